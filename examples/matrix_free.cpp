// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Solves with a matrix that isn't stored. The solvers take any class with rows(), cols() and apply().
//
// -laplace(u) = f in five-point differences, with the matrix written as a loop over the grid. The same matrix, stored,
// gives the same solution in as many iterations.
//
//   $ build/release/examples/matrix_free
//   loop            0 bytes of matrix, 369 iterations
//   stored    1598576 bytes of matrix, 369 iterations
//   largest difference, relative: below 1e-6
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <ostinato/ostinato.hpp>

// -h^2 laplace on n x n inner points of a square.
struct Laplacian {
  using value_type = double;
  ostinato::Host space;
  int n;

  int rows() const { return n * n; }
  int cols() const { return n * n; }

  // y = alpha A x + beta y. With beta = 0 y is overwritten without being read: it may hold anything, even NaN.
  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    const auto width = static_cast<std::size_t>(n);
    ostinato::parallel_for(space, width, [=](std::size_t j) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t k = j * width + i;
        double sum = 4 * x[k];
        if (i > 0) sum -= x[k - 1];
        if (i + 1 < width) sum -= x[k + 1];
        if (j > 0) sum -= x[k - width];
        if (j + 1 < width) sum -= x[k + width];
        y[k] = beta == 0 ? alpha * sum : alpha * sum + beta * y[k];
      }
    });
  }
};

int main() {
  const ostinato::Host space;
  const int n = 200;
  const Laplacian free{space, n};
  const ostinato::Operator stored(space, ostinato::generate<double>("poisson2d", {.n = n}));

  const std::vector<double> b(n * n, 1.0);
  std::vector<double> x(b.size(), 0.0), y(b.size(), 0.0);
  const ostinato::SolveResult by_loop = ostinato::cg(space, free, b, x);
  const ostinato::SolveResult by_matrix = ostinato::cg(space, stored, b, y);

  double difference = 0, largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    difference = std::fmax(difference, std::fabs(x[k] - y[k]));
    largest = std::fmax(largest, std::fabs(y[k]));
  }
  std::printf("loop    %9zu bytes of matrix, %d iterations\n", std::size_t{0}, by_loop.iterations);
  std::printf("stored  %9zu bytes of matrix, %d iterations\n", stored.bytes(), by_matrix.iterations);
  std::printf("largest difference, relative: %s 1e-6\n", difference <= 1e-6 * largest ? "below" : "above");
  return by_loop && by_matrix && difference <= 1e-6 * largest ? 0 : 1;
}
