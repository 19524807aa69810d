// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/dense_inverse.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::test {
namespace {

/// The largest element of A B - I.
double error_of(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      double sum = i == k ? -1 : 0;
      for (std::size_t j = 0; j < n; ++j) sum += a[i * n + j] * b[j * n + k];
      largest = std::max(largest, std::abs(sum));
    }
  }
  return largest;
}

TEST(DenseInverse, IsTheInverse) {
  const std::vector<double> definite = {4, -1, 0, -1, 4, -1, 0, -1, 4}, turned = {0, 2, 0, 0, 0, 3, 5, 0, 0},
                            indefinite = {0, 1, 0, 1, 0, 0, 0, 0, -2};
  for (const auto& a : {definite, turned, indefinite}) EXPECT_LT(error_of(a, dense_inverse(a, 3, false), 3), 1e-14);
}

TEST(DenseInverse, LiftsWhatRoundingMadeIndefinite) {
  const double less = 1 + 1e-4;
  const std::vector<double> a = {1, less, less, 1};
  EXPECT_LT(dense_inverse(a, 2, false)[0], 0);
  EXPECT_GT(dense_inverse(a, 2, true)[0], 0);
}

TEST(DenseInverse, RefusesASingularMatrix) {
  EXPECT_THROW(dense_inverse({1, 1, 1, 1}, 2, false), ArgumentError);
  EXPECT_THROW(dense_inverse({1, 2, 2, 4.5, 9, 9, 1, 0, 1}, 3, false), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
