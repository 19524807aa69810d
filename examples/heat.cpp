// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// du/dt = div(k grad u) + f on the unit square by implicit Euler, u = 0 on the boundary. k = 1 + x sin(2 pi t) / 2 changes
// in every step, but not the places of the entries: the operator and the preconditioner take new values, and x begins
// where the last step ended. f is chosen so that u = e^-t sin(pi x) sin(pi y) is the solution.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/heat
//   step  iterations    error
//     10          54  9.3e-04
//     20          55  7.3e-04
//   refilled 20 times
//
// With a number, such as 400, it takes as many points along a side, and tells the times of set-up and steps.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include <ostinato/ostinato.hpp>

using ostinato::Index;
using std::numbers::pi;

double k(double x, double t) { return 1 + 0.5 * x * std::sin(2 * pi * t); }
double u(double x, double y, double t) { return std::exp(-t) * std::sin(pi * x) * std::sin(pi * y); }
double f(double x, double y, double t) {  // du/dt - div(k grad u)
  const double along_x = pi * std::exp(-t) * std::cos(pi * x) * std::sin(pi * y);
  return (2 * pi * pi * k(x, t) - 1) * u(x, y, t) - 0.5 * std::sin(2 * pi * t) * along_x;
}

// The entries of I - dt div(k grad) at time t, always in the same order.
std::vector<ostinato::Triplet<double>> entries(Index n, double dt, double t) {
  std::vector<ostinato::Triplet<double>> all;
  const double h = 1.0 / (n + 1), weight = dt / (h * h);
  for (Index row = 0; row < n * n; ++row) {
    const Index i = row % n, j = row / n;
    const double x = h * (i + 1), west = weight * k(x - h / 2, t), east = weight * k(x + h / 2, t),
                 y = weight * k(x, t);
    all.push_back({row, row, 1 + west + east + 2 * y});
    if (i > 0) all.push_back({row, row - 1, -west});
    if (i < n - 1) all.push_back({row, row + 1, -east});
    if (j > 0) all.push_back({row, row - n, -y});
    if (j < n - 1) all.push_back({row, row + n, -y});
  }
  return all;
}

int main(int argc, char** argv) {
  const Index n = argc > 1 ? std::atoi(argv[1]) : 100, steps = 20;
  const double dt = 1.0 / steps, h = 1.0 / (n + 1);
  const ostinato::Host space;
  std::vector<ostinato::Offset> where;  // the position in matrix.val of each entry
  auto matrix = ostinato::from_triplets(n * n, n * n, entries(n, dt, 0), &where);
  ostinato::Operator A(space, matrix);  // analyses, chooses, converts: once
  ostinato::Jacobi M(space, matrix);
  std::vector<double> x(matrix.rows), b(matrix.rows);
  const auto at = [&](auto g, Index row, double t) { return g(h * (row % n + 1), h * (row / n + 1), t); };
  for (Index row = 0; row < matrix.rows; ++row) x[row] = at(u, row, 0);
  int refilled = 0;
  double error = 0, solving = 0;
  std::chrono::duration<double> updating{};
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
    for (Index row = 0; row < matrix.rows; ++row) b[row] = x[row] + dt * at(f, row, t);
    const ostinato::SolveResult result = ostinato::cg(space, A, b, x, M);  // from the x of the last step
    solving += result.seconds;
    error = result ? 0 : 1;
    for (Index row = 0; row < matrix.rows; ++row) error = std::fmax(error, std::fabs(x[row] - at(u, row, t)));
    if (step % 10 == 0) std::printf("%4d  %10d  %.1e\n", step, result.iterations, error);
  }
  std::printf("refilled %d times\n", refilled);
  const double set_up = A.analyse_seconds() + A.convert_seconds(), ms = 1e3;
  if (argc > 1) std::printf("set-up of %s %.1f ms; a step: ", A.format().c_str(), ms * set_up);
  if (argc > 1) std::printf("update %.1f ms, solve %.1f ms\n", ms * updating.count() / steps, ms * solving / steps);
  return error < 0.01 ? 0 : 1;
}
