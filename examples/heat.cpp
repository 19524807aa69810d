// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// du/dt = div(k grad u) + f on the unit square by implicit Euler. k changes in every step, but not the places of the
// entries: operator and preconditioner take new values, and x begins where the last step ended. f is chosen so that
// u = e^-t sin(pi x) sin(pi y) is the solution. A number sets the points along a side.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/heat
//   step  iterations    error
//     10         131  8.2e-04
//     20         133  5.8e-04
//   refilled 20 times
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>

using std::numbers::pi;
double k(double x, double t) { return 1 + 0.5 * x * std::sin(2 * pi * t); }
double u(double x, double y, double t) { return std::exp(-t) * std::sin(pi * x) * std::sin(pi * y); }
double f(double x, double y, double t) {  // du/dt - div(k grad u)
  return (2 * pi * pi * k(x, t) - 1) * u(x, y, t) - 0.5 * std::sin(2 * pi * t) * pi * u(x + 0.5, y, t);
}

// The entries of I - dt div(k grad) at time t, always in the same order.
std::vector<ostinato::Triplet<double>> entries(int n, double dt, double t) {
  std::vector<ostinato::Triplet<double>> all;
  const double h = 1.0 / (n + 1), w = dt / (h * h);
  for (int row = 0; row < n * n; ++row) {
    const int i = row % n, j = row / n;
    const double x = h * (i + 1), west = w * k(x - h / 2, t), east = w * k(x + h / 2, t), y = w * k(x, t);
    all.push_back({row, row, 1 + west + east + 2 * y});
    if (i > 0) all.push_back({row, row - 1, -west});
    if (i < n - 1) all.push_back({row, row + 1, -east});
    if (j > 0) all.push_back({row, row - n, -y});
    if (j < n - 1) all.push_back({row, row + n, -y});
  }
  return all;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::stoi(argv[1]) : 100, steps = 20;
  int refilled = 0;
  const double dt = 1.0 / steps, h = 1.0 / (n + 1);
  const ostinato::Host space;
  std::vector<ostinato::Offset> where;  // the position in matrix.val of each entry
  auto matrix = ostinato::from_triplets(n * n, n * n, entries(n, dt, dt), &where);
  ostinato::Operator A(space, matrix);  // analyses, chooses, converts: once
  ostinato::Jacobi M(space, matrix);
  std::vector<double> x(matrix.rows), b(matrix.rows);
  const auto at = [&](auto g, int row, double t) { return g(h * (row % n + 1), h * (row / n + 1), t); };
  for (int row = 0; row < matrix.rows; ++row) x[row] = at(u, row, 0);
  double error = 0, solving = 0;
  std::chrono::duration<double> updating{0};
  std::printf("step  iterations    error\n");
  for (int step = 1; step <= steps && error < 0.01; ++step) {
    const double t = step * dt;
    const auto fresh = entries(n, dt, t);
    std::fill(matrix.val.begin(), matrix.val.end(), 0.0);
    for (std::size_t e = 0; e < fresh.size(); ++e) matrix.val[where[e]] += fresh[e].val;
    const auto start = std::chrono::steady_clock::now();
    refilled += A.update_values(matrix) == ostinato::Update::refilled;
    M.update_values(matrix);
    updating += std::chrono::steady_clock::now() - start;
    for (int row = 0; row < matrix.rows; ++row) b[row] = x[row] + dt * at(f, row, t);
    const ostinato::SolveResult result = ostinato::cg(space, A, b, x, M);  // from the x of the last step
    solving += result.seconds, error = result ? 0 : 1;
    for (int row = 0; row < matrix.rows; ++row) error = std::fmax(error, std::fabs(x[row] - at(u, row, t)));
    if (step % 10 == 0) std::printf("%4d  %10d  %.1e\n", step, result.iterations, error);
  }
  const double set_up = A.analyse_seconds() + A.convert_seconds(), update = updating.count() / steps;
  std::printf("refilled %d times\nms: set-up %.1f, update %.1f, solve %.1f\n", refilled, 1e3 * set_up, 1e3 * update,
              1e3 * solving / steps);
  return error < 0.01 ? 0 : 1;
}
