// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Passes the Kokkos::View arrays of a Kokkos program to the library as spans, without a copy.
//
//   $ OMP_PROC_BIND=false build/release/examples/kokkos_view
//   converged after 500 iterations
//   largest relative error: below 1e-6
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include <ostinato/ostinato.hpp>

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace>;

// The second difference on n points (2 on the diagonal, -1 beside it), in compressed rows (CSR) of three views.
struct Rows {
  HostView<ostinato::Offset> row_ptr;
  HostView<ostinato::Index> col;
  HostView<double> val;
};

Rows second_difference(int n) {
  const auto points = static_cast<std::size_t>(n);
  Rows a{HostView<ostinato::Offset>("row_ptr", points + 1), HostView<ostinato::Index>("col", 3 * points - 2),
         HostView<double>("val", 3 * points - 2)};
  Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace> rows(0, n);
  Kokkos::parallel_for("fill", rows, [=](int i) {
    ostinato::Offset at = i == 0 ? 0 : 3 * i - 1;
    a.row_ptr(i) = at;
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      a.col(at) = j;
      a.val(at++) = i == j ? 2 : -1;
    }
    if (i == n - 1) a.row_ptr(n) = at;
  });
  return a;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);  // the program initialises Kokkos; ostinato::Host only uses it
  const int n = 1000;
  const Rows a = second_difference(n);
  HostView<double> b("b", n), x("x", n);  // x begins with zeros
  Kokkos::deep_copy(b, 1.0);

  const ostinato::Host space;
  const ostinato::Operator A(space, ostinato::csr_view(n, n, a.row_ptr, a.col, a.val));  // the views are lent to A
  const ostinato::SolveResult result = ostinato::cg(space, A, ostinato::span_of(b), ostinato::span_of(x));
  std::printf("%s after %d iterations\n", in_words(result.status).c_str(), result.iterations);

  // The solution is (i + 1) (n - i) / 2. Kokkos computes the error from the view.
  double error = 0;
  Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace> rows(0, n);
  Kokkos::parallel_reduce(
      "error", rows,
      [=](int i, double& largest) { largest = std::fmax(largest, std::fabs(x(i) / (0.5 * (i + 1) * (n - i)) - 1)); },
      Kokkos::Max<double>(error));
  std::printf("largest relative error: %s 1e-6\n", error < 1e-6 ? "below" : "above");
  return result && error < 1e-6 ? 0 : 1;
}
