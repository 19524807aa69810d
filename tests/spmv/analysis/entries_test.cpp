// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/entries.hpp>

#include <gtest/gtest.h>

#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

EntryFacts facts_of(const Csr<double>& a) { return look_at_entries(a.view()); }

TEST(EntryFacts, CountsEmptyRowsAndColumns) {
  const EntryFacts f =
      facts_of(from_triplets<double>(4, 3, std::vector<Triplet<double>>{{0, 1, 2}, {2, 1, 0}, {2, 2, 0}, {3, 2, 1}}));
  EXPECT_EQ(f.empty_rows.count, 2);  // row 2 holds zeros alone
  EXPECT_EQ(f.empty_rows.first, 1);
  EXPECT_EQ(f.empty_cols.count, 1);
  EXPECT_EQ(f.empty_cols.first, 0);
  EXPECT_EQ(f.zeros, 2);
}

TEST(EntryFacts, LooksAtTheDiagonal) {
  const auto a = from_triplets<double>(3, 3, std::vector<Triplet<double>>{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {2, 2, -3}});
  const EntryFacts f = facts_of(a);
  EXPECT_EQ(f.zero_diagonal.count, 1);
  EXPECT_EQ(f.zero_diagonal.first, 0);
  EXPECT_EQ(f.missing_diagonal.count, 1);
  EXPECT_EQ(f.missing_diagonal.first, 1);
  EXPECT_EQ(f.negative_diagonal.first, 2);
  EXPECT_EQ(f.positive_diagonal.count, 0);
  EXPECT_EQ(f.bandwidth, 1);
}

TEST(EntryFacts, FindsTheLargestAndSmallest) {
  const EntryFacts f = facts_of(dense<double>({{1, -8, 0}, {0, 0.5, 0}, {0, 2, -4}}));
  EXPECT_EQ(f.largest_row.value, 8);
  EXPECT_EQ(f.largest_row.at, 0);
  EXPECT_EQ(f.smallest_row.value, 0.5);
  EXPECT_EQ(f.smallest_row.at, 1);
  EXPECT_EQ(f.largest_col.at, 1);
  EXPECT_EQ(f.smallest_col.value, 1);
  EXPECT_EQ(f.smallest_col.at, 0);
  EXPECT_EQ(f.largest_entry.value, 8);
  EXPECT_EQ(f.smallest_entry.value, 0.5);
  EXPECT_EQ(f.smallest_entry.at, 1);
}

TEST(EntryFacts, TellsDominantRowsFromStrictlyDominantOnes) {
  const EntryFacts f = facts_of(dense<double>({{2, -1, -1}, {-1, 3, -1}, {-2, -2, 1}}));
  EXPECT_EQ(f.dominant_rows, 2);
  EXPECT_EQ(f.strictly_dominant_rows, 1);
  EXPECT_EQ(f.least_dominant.at, 2);
  EXPECT_EQ(f.least_dominant.value, 0.25);
  EXPECT_EQ(f.wrong_signs.count, 0);
  EXPECT_EQ(facts_of(dense<double>({{2, 1}, {-1, 2}})).wrong_signs.first, 0);
  EXPECT_EQ(facts_of(dense<double>({{2, -1}, {-1, -2}})).wrong_signs.first, 1);
}

TEST(EntryFacts, SeesTheConstantInTheNullSpace) {
  const EntryFacts both = facts_of(dense<double>({{0.3, -0.1, -0.2}, {-0.1, 0.1, 0}, {-0.2, 0, 0.2}}));
  EXPECT_TRUE(both.constant_in_null_space);
  EXPECT_TRUE(both.constant_in_left_null_space);
  const EntryFacts rows = facts_of(dense<double>({{1, -1}, {-2, 2}}));
  EXPECT_TRUE(rows.constant_in_null_space);
  EXPECT_FALSE(rows.constant_in_left_null_space);
  const EntryFacts none = facts_of(dense<double>({{1, -1}, {-1, 1.0000001}}));
  EXPECT_FALSE(none.constant_in_null_space);
  EXPECT_FALSE(facts_of(from_triplets<double>(2, 2, std::vector<Triplet<double>>{})).constant_in_null_space);
}

TEST(EntryFacts, NamesDenseRows) {
  const auto a = generate<double>("dense-row", {.n = 1000});
  const EntryFacts f = facts_of(a);
  EXPECT_EQ(f.dense_rows.count, 1);
  EXPECT_EQ(f.longest_row, 1000);
  EXPECT_EQ(a.row_ptr[static_cast<std::size_t>(f.dense_rows.first) + 1] -
                a.row_ptr[static_cast<std::size_t>(f.dense_rows.first)],
            1000);
  EXPECT_EQ(f.dense_cols.count, 0);
  EXPECT_EQ(facts_of(transpose(a.view())).dense_cols.count, 1);
  EXPECT_EQ(facts_of(generate<double>("poisson2d", {.n = 20})).dense_rows.count, 0);
  EXPECT_EQ(facts_of(dense<double>({{1, 2}, {3, 4}})).dense_rows.count, 0);
}

}  // namespace
}  // namespace ostinato::test
