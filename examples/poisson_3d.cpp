// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// -laplace(u) = f on the unit cube, u = 0 on its boundary, with seven-point differences and CG. The matrix is
// assembled here, entry by entry.
//
// f is chosen so that u = e^x sin(pi x) sin(pi y) sin(pi z) is the solution. The largest error falls with h^2.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/poisson_3d
//    n    rows  format    iterations    error  order
//    7     343  dia                7  2.0e-02
//   15    3375  brcsd-i           20  5.0e-03   2.01
//   31   29791  brcsd-ii          51  1.3e-03   2.00
//   63  250047  dia              111  3.1e-04   2.00
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <ostinato/ostinato.hpp>

using ostinato::Index;
using std::numbers::pi;

ostinato::Csr<double> laplacian(Index n) {
  std::vector<ostinato::Triplet<double>> entries;
  const double scale = (n + 1.0) * (n + 1.0);  // 1 / h^2
  const Index strides[] = {1, n, n * n};
  for (Index row = 0; row < n * n * n; ++row) {
    entries.push_back({row, row, 6 * scale});
    for (const Index stride : strides) {
      const Index place = row / stride % n;  // the point's index along this axis
      if (place > 0) entries.push_back({row, row - stride, -scale});
      if (place < n - 1) entries.push_back({row, row + stride, -scale});
    }
  }
  return ostinato::from_triplets<double>(n * n * n, n * n * n, entries);
}

double solution(double x, double y, double z) {
  return std::exp(x) * std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z);
}

double right_hand_side(double x, double y, double z) {  // -laplace of the solution
  const double along_x = (3 * pi * pi - 1) * std::sin(pi * x) - 2 * pi * std::cos(pi * x);
  return std::exp(x) * along_x * std::sin(pi * y) * std::sin(pi * z);
}

template <class F>
std::vector<double> on_grid(Index n, F f) {
  const double h = 1.0 / (n + 1);
  std::vector<double> values;
  for (Index row = 0; row < n * n * n; ++row)
    values.push_back(f(h * (row % n + 1), h * (row / n % n + 1), h * (row / n / n + 1)));
  return values;
}

int main() {
  const ostinato::Host space;
  double previous = 0, order = 0;
  std::printf(" n    rows  format    iterations    error  order\n");
  for (Index n : {7, 15, 31, 63}) {
    const std::vector<double> u = on_grid(n, solution), b = on_grid(n, right_hand_side);
    std::vector<double> x(u.size(), 0.0);
    const ostinato::Operator A(space, laplacian(n));
    const ostinato::SolveResult result = ostinato::cg(space, A, b, x, ostinato::Identity{}, {.rtol = 1e-10});
    if (!result) {
      std::fprintf(stderr, "%s\n", result.message().c_str());
      return 1;
    }
    double error = 0;
    for (std::size_t k = 0; k < u.size(); ++k) error = std::fmax(error, std::fabs(x[k] - u[k]));
    order = previous > 0 ? std::log2(previous / error) : 0;
    std::printf("%2d  %6d  %-8s  %10d  %.1e", n, A.rows(), A.format().c_str(), result.iterations, error);
    std::printf(previous > 0 ? "  %5.2f\n" : "\n", order);
    previous = error;
  }
  return std::fabs(order - 2) <= 0.2 ? 0 : 1;
}
