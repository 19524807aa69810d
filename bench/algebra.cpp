// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Operations on matrices beside Eigen's, one thread: the products of a multigrid set-up with trilinear interpolation P
// on poisson3d, and the transpose of P. The median of 7 runs counts. A term is one value times another.
//
//   bench_algebra [cpu|cuda] [N]      N points along each axis, even; 64

#include <Eigen/Sparse>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>

namespace {

using namespace ostinato;
using Eigens = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

/// Trilinear interpolation from the points with even coordinates of a grid of n x n x n.
Csr<double> interpolation(Index n) {
  std::vector<Triplet<double>> triplets;
  const Index half = n / 2;
  for (Index i = 0; i < n * n * n; ++i) {
    const Index at[3] = {i % n, i / n % n, i / (n * n)};
    for (int corner = 0; corner < 8; ++corner) {
      Index j = 0;
      double weight = 1;
      for (int axis = 2; axis >= 0; --axis) {
        const bool up = (corner >> axis & 1) != 0, odd = at[axis] % 2 == 1;
        const Index near = at[axis] / 2 + (up ? 1 : 0);
        weight *= odd && near < half ? 0.5 : (odd || up ? 0 : 1);
        j = j * half + std::min(near, half - 1);
      }
      if (weight > 0) triplets.push_back({i, j, weight});
    }
  }
  return from_triplets<double>(n * n * n, half * half * half, triplets);
}

template <class Space, class F>
double median_seconds(const Space& space, F f) {
  std::vector<double> times;
  for (int k = 0; k < 7; ++k) {
    space.wait();
    const Stopwatch watch;
    f();
    space.wait();
    times.push_back(watch.seconds());
  }
  std::sort(times.begin(), times.end());
  return times[3];
}

Eigens eigens(const Csr<double>& a) {
  return Eigen::Map<const Eigens>(a.rows, a.cols, a.nonzeros(), a.row_ptr.data(),
                                  std::vector<std::int64_t>(a.col.begin(), a.col.end()).data(), a.val.data());
}

/// The terms of A B.
Offset terms(const Csr<double>& a, const Csr<double>& b) {
  Offset count = 0;
  for (const Index k : a.col)
    count += b.row_ptr[static_cast<std::size_t>(k) + 1] - b.row_ptr[static_cast<std::size_t>(k)];
  return count;
}

void print(const char* what, double count, double whole, double update, double eigen) {
  std::printf("%-12s %10.0f %8.2f ms %6.2f ns %10.2f ms %6.2f ns %8.2f ms %6.2f ns\n", what, count, whole * 1e3,
              whole / count * 1e9, update * 1e3, update / count * 1e9, eigen * 1e3, eigen / count * 1e9);
}

template <class Space>
void product(const Space& space, const char* what, const Csr<double>& a, const Csr<double>& b) {
  const SpaceCsr<Space, double> left(space, Csr<double>(a)), right(space, Csr<double>(b));
  const Eigens of_a = eigens(a), of_b = eigens(b);
  MatrixProduct c(space, left, right);
  Eigens by_eigen;
  const double whole = median_seconds(space, [&] { multiply(space, left, right); });
  const double update = median_seconds(space, [&] { c.update(left, right); });
  const double eigen = median_seconds(space, [&] { by_eigen = of_a * of_b; });
  print(what, static_cast<double>(terms(a, b)), whole, update, eigen);
}

template <class Space>
void transposition(const Space& space, const Csr<double>& a) {
  const SpaceCsr<Space, double> matrix(space, Csr<double>(a));
  const Eigens of_a = eigens(a);
  MatrixTranspose t(space, matrix);
  Eigens by_eigen;
  const double whole = median_seconds(space, [&] { transpose(space, matrix); });
  const double update = median_seconds(space, [&] { t.update(matrix); });
  const double eigen = median_seconds(space, [&] { by_eigen = of_a.transpose(); });
  print("P^T", static_cast<double>(a.nonzeros()), whole, update, eigen);
}

template <class Space>
void measure(const Space& space, Index n) {
  const Csr<double> a = generate<double>("poisson3d", {.n = n}), p = interpolation(n);
  const Host host;
  const SpaceCsr<Host, double> on_a(host, a), on_p(host, p);
  const auto copy = [](const SpaceCsr<Host, double>& m) {
    const CsrView<double>& v = m.view();
    return Csr<double>{v.rows,
                       v.cols,
                       {v.row_ptr.begin(), v.row_ptr.end()},
                       {v.col.begin(), v.col.end()},
                       {v.val.begin(), v.val.end()}};
  };
  const Csr<double> ap = copy(multiply(host, on_a, on_p)), r = copy(transpose(host, on_p));
  std::printf("poisson3d:%d on %s\n%-12s %10s %21s %23s %21s\n", n, space.description().c_str(), "", "terms", "whole",
              "update", "Eigen");
  product(space, "A A", a, a);
  product(space, "A P", a, p);
  product(space, "P^T (A P)", r, ap);
  transposition(space, p);
}

}  // namespace

int main(int count, char** arguments) try {
  const Index n = count > 2 ? static_cast<Index>(std::atoi(arguments[2])) : 64;
  if (count > 1 && std::string(arguments[1]) == "cuda") {
    measure(Cuda(), n);
  } else {
    measure(Host(), n);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
