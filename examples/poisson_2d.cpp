// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// -laplace(u) = f on the unit square, u = 0 on its boundary, with five-point differences.
//
// f is chosen so that u = e^x sin(pi x) sin(pi y) is the solution. The largest error at the grid points falls with h^2.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/poisson_2d
//     n  format    iterations    error  order
//    15  dia               17  4.7e-03
//    31  dia               42  1.2e-03   1.99
//    63  dia               92  3.0e-04   2.00
//   127  brcsd-i           11  7.4e-05   2.00
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <ostinato/ostinato.hpp>

using std::numbers::pi;

double solution(double x, double y) { return std::exp(x) * std::sin(pi * x) * std::sin(pi * y); }

// -laplace of the solution
double right_hand_side(double x, double y) {
  return std::exp(x) * ((2 * pi * pi - 1) * std::sin(pi * x) - 2 * pi * std::cos(pi * x)) * std::sin(pi * y);
}

// f at the n x n inner points, numbered along x first.
template <class F>
std::vector<double> on_grid(int n, F f) {
  std::vector<double> values;
  for (int j = 1; j <= n; ++j) {
    for (int i = 1; i <= n; ++i) values.push_back(f(i / (n + 1.0), j / (n + 1.0)));
  }
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::fmax(largest, std::fabs(a[k] - b[k]));
  return largest;
}

int main() {
  double previous = 0, order = 0;
  std::printf("  n  format    iterations    error  order\n");
  for (int n : {15, 31, 63, 127}) {
    const double h = 1.0 / (n + 1);
    const std::vector<double> u = on_grid(n, solution);
    std::vector<double> b = on_grid(n, right_hand_side);
    for (double& value : b) value *= h * h;  // the matrix is -laplace, times h^2

    const ostinato::Csr<double> matrix = ostinato::generate<double>("poisson2d", {.n = n});
    const auto s = ostinato::solve(matrix, b, {.solve = {.rtol = 1e-10}, .device = "cpu"});
    if (!s) {
      std::fprintf(stderr, "%s\n", s.message().c_str());
      return 1;
    }

    const double error = largest_difference(s.x, u);
    order = previous > 0 ? std::log2(previous / error) : 0;
    std::printf("%3d  %-8s  %10d  %.1e", n, s.set_up.choice.format.c_str(), s.iterations, error);
    std::printf(previous > 0 ? "  %5.2f\n" : "\n", order);
    previous = error;
  }
  return std::fabs(order - 2) <= 0.2 ? 0 : 1;
}
