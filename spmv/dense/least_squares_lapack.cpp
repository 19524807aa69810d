// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/least_squares.hpp>

#include <algorithm>

// LAPACK has no C header of its own.
extern "C" void dgelsy_(const int* rows, const int* cols, const int* sides, double* a, const int* lda, double* b,
                        const int* ldb, int* pivots, const double* cut, int* rank, double* work, const int* size,
                        int* info);

namespace ostinato {

bool has_dense_least_squares() { return true; }

DenseSolution dense_least_squares(int rows, int cols, std::vector<double> a, std::vector<double> b, double cut) {
  DenseSolution solution{std::vector<double>(static_cast<std::size_t>(cols), 0.0)};
  if (rows == 0 || cols == 0) return solution;
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
  std::copy_n(b.begin(), cols, solution.x.begin());
  return solution;
}

}  // namespace ostinato
