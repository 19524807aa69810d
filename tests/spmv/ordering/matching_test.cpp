// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/matching.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "support/at_once.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/shared_matrices.hpp"

namespace ostinato::test {
namespace {

double entry(const Csr<double>& a, Index i, Index j) {
  for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
    if (a.col[static_cast<std::size_t>(k)] == j) return a.val[static_cast<std::size_t>(k)];
  }
  return 0;
}

/// Checks the claims of the class: a permutation; scaled entries of at most 1; 1 where rows are matched.
void expect_true(const Csr<double>& a, const Matching& m) {
  std::vector<Index> sorted = m.col_of_row;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < a.rows; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  const auto scaled = [&](std::size_t i, std::size_t j, double v) {
    return std::abs(m.row_scale[i] * v * m.col_scale[j]);
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      EXPECT_LE(scaled(i, static_cast<std::size_t>(a.col[k]), a.val[k]), 1 + 1e-9);
    if (std::binary_search(m.unmatched.begin(), m.unmatched.end(), static_cast<Index>(i))) continue;
    const Index j = m.col_of_row[i];
    EXPECT_NEAR(scaled(i, static_cast<std::size_t>(j), entry(a, static_cast<Index>(i), j)), 1, 1e-9);
  }
}

/// The largest sum of log|a(i, p(i))| over all permutations p.
double best_by_trying_all(const Csr<double>& a) {
  std::vector<Index> p(static_cast<std::size_t>(a.rows));
  std::iota(p.begin(), p.end(), Index{0});
  double best = -HUGE_VAL;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += std::log(std::abs(entry(a, static_cast<Index>(i), p[i])));
    best = std::max(best, sum);
  } while (std::next_permutation(p.begin(), p.end()));
  return best;
}

Csr<double> random_matrix(Index n, double density, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (std::abs(signed_unit(random)) < density) t.push_back({i, j, std::exp(5 * signed_unit(random))});
    }
  }
  return from_triplets<double>(n, n, t);
}

TEST(Matching, TakesTheLargestProduct) {
  const Matching m = max_product_matching(dense<double>({{1, 8, 0}, {4, 5, 0}, {0, 2, 3}}));

  EXPECT_EQ(m.col_of_row, (std::vector<Index>{1, 0, 2}));
  EXPECT_FALSE(m.is_structurally_singular());
}

TEST(Matching, HasTheProductOfTheBestPermutation) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Csr<double> a = random_matrix(2 + static_cast<Index>(seed % 5), 0.6, seed);
    SCOPED_TRACE(seed);
    const Matching m = max_product_matching(a);
    expect_true(a, m);
    const double best = best_by_trying_all(a);
    EXPECT_EQ(m.is_structurally_singular(), std::isinf(best));
    if (m.is_structurally_singular()) continue;
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i)
      sum += std::log(std::abs(entry(a, i, m.col_of_row[static_cast<std::size_t>(i)])));
    EXPECT_NEAR(sum, best, 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(Matching, NamesRowsThatCannotBeMatched) {
  const Csr<double> a = dense<double>({{1, 0, 0}, {2, 0, 0}, {0, 3, 4}});

  const Matching m = max_product_matching(a);

  EXPECT_EQ(m.unmatched.size(), 1u);
  EXPECT_LT(m.unmatched[0], 2);
  expect_true(a, m);
}

TEST(Matching, TakesZerosForAbsentAndEmptyRowsAndSizesZeroAndOne) {
  EXPECT_EQ(max_product_matching(Csr<double>{0, 0, {0}, {}, {}}).col_of_row.size(), 0u);
  EXPECT_EQ(max_product_matching(Csr<double>{1, 1, {0, 0}, {}, {}}).unmatched, std::vector<Index>{0});
  const Csr<double> zero{2, 2, {0, 1, 2}, {0, 1}, {0, 5}};
  EXPECT_EQ(max_product_matching(zero).unmatched, std::vector<Index>{0});
  expect_true(zero, max_product_matching(zero));
}

TEST(Matching, RefusesARectangularMatrix) {
  EXPECT_NE(message_of<DimensionError>([] {
              max_product_matching(Csr<double>{1, 2, {0, 0}, {}, {}});
            }).find("1 x 2"),
            std::string::npos);
}

TEST(Matching, HoldsItsClaimsOnRealMatrices) {
  for (const char* name : {"685_bus", "nos3", "sherman3"}) {
    SCOPED_TRACE(name);
    const auto a = read_matrix_market<double>(std::string(OSTINATO_EXAMPLES_DIR) + "/matrices/" + name + ".mtx.gz");
    expect_true(a, max_product_matching(a));
  }
}

TEST(Matching, HoldsItsClaimsOnSharedMatrices) {
  if (const std::string why = why_no_shared_matrices(); !why.empty()) GTEST_SKIP() << why;
  for (const SharedMatrixEntry& e : shared_matrices([](const auto& m) { return m.square() && m.entries < 50000; })) {
    SCOPED_TRACE(e.name);
    const auto a = canonical(read<double>(e).view());
    expect_true(a, max_product_matching(a));
  }
}

TEST(Matching, EndsOnceAStopIsRequested) {
  const Csr<double> a = random_matrix(1500, 0.02, 3);
  EXPECT_NO_THROW(max_product_matching(a));
  EXPECT_THROW(max_product_matching(a, AtOnce()), Stopped);
}

}  // namespace
}  // namespace ostinato::test
