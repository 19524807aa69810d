// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/least_squares.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

// LAPACK has no C header of its own.
extern "C" void dgelsy_(const int* rows, const int* cols, const int* sides, double* a, const int* lda, double* b,
                        const int* ldb, int* pivots, const double* cut, int* rank, double* work, const int* size,
                        int* info);

namespace ostinato {

namespace {

/// Makes the largest element of each column 1 to 2 in size. Returns the scales.
std::vector<double> scale_columns(std::size_t rows, std::size_t cols, std::vector<double>& a) {
  std::vector<double> scale(cols, 1.0);
  for (std::size_t j = 0; j < cols; ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < rows; ++i) largest = std::max(largest, std::abs(a[j * rows + i]));
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    scale[j] = std::ldexp(1.0, -std::ilogb(largest));
    for (std::size_t i = 0; i < rows; ++i) a[j * rows + i] *= scale[j];
  }
  return scale;
}

}  // namespace

bool has_dense_least_squares() { return true; }

DenseSolution dense_least_squares(int rows, int cols, std::vector<double> a, std::vector<double> b, double cut) {
  DenseSolution solution{std::vector<double>(static_cast<std::size_t>(cols), 0.0)};
  if (rows == 0 || cols == 0) return solution;
  const std::vector<double> scale = scale_columns(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), a);
  const int one = 1, height = std::max(rows, cols), ask = -1;
  b.resize(static_cast<std::size_t>(height), 0.0);
  std::vector<int> pivots(static_cast<std::size_t>(cols), 0);
  int info = 0;
  double best = 0;
  dgelsy_(&rows, &cols, &one, a.data(), &rows, b.data(), &height, pivots.data(), &cut, &solution.rank, &best, &ask,
          &info);
  const int size = std::max(static_cast<int>(best), 4 * height + 64);
  std::vector<double> work(static_cast<std::size_t>(size));
  dgelsy_(&rows, &cols, &one, a.data(), &rows, b.data(), &height, pivots.data(), &cut, &solution.rank, work.data(),
          &size, &info);
  for (std::size_t j = 0; j < scale.size(); ++j) solution.x[j] = b[j] * scale[j];
  return solution;
}

}  // namespace ostinato
