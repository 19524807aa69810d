// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/row_numbers.hpp>

#include <gtest/gtest.h>

#include <string>

#include <ostinato/spmv/base/message.hpp>

namespace ostinato {
namespace {

std::size_t same(std::size_t row) { return row; }
std::size_t reversed(std::size_t row) { return 99 - row; }
std::size_t scattered(std::size_t row) { return (row * 37) % 100; }

TEST(RowNumbers, CountFromOneAsFilesDo) {
  const auto text = [](const std::string& of) { return with_row_numbers(of, same, RowCount::from_1); };
  EXPECT_EQ(text("b holds NaN in " + row_text(5)), "b holds NaN in row 6");
  EXPECT_EQ(text("jacobi: " + row_text(9, 11) + " and " + row_text(0)), "jacobi: rows 10 to 12 and row 1");
  EXPECT_EQ(text("column 4 (counted from 0) has 9 entries"), "column 5 has 9 entries");
  EXPECT_EQ(text("3 rows, 7 entries"), "3 rows, 7 entries");
  EXPECT_EQ(text(""), "");
}

TEST(RowNumbers, FollowAnOrder) {
  EXPECT_EQ(with_row_numbers("a " + row_text(5) + ": 5", reversed), "a row 94 (counted from 0): 5");
  EXPECT_EQ(with_row_numbers(row_text(0, 2), scattered), "rows 0, 37, 74 (counted from 0)");
  EXPECT_EQ(with_row_numbers(row_text(0, 2), reversed), "rows 99, 98, 97 (counted from 0)");
  EXPECT_EQ(with_row_numbers(row_text(1) + " and " + row_text(2), scattered),
            "row 37 (counted from 0) and row 74 (counted from 0)");
}

TEST(RowNumbers, TakeTheirOwnWords) {
  const std::string listed = with_row_numbers(row_text(4, 6), scattered);
  EXPECT_EQ(listed, "rows 48, 85, 22 (counted from 0)");
  EXPECT_EQ(with_row_numbers(listed, same, RowCount::from_1), "rows 49, 86, 23");
  EXPECT_EQ(with_row_numbers(with_row_numbers(row_text(3, 8), same), same), row_text(3, 8));
}

TEST(RowNumbers, LeaveOtherWordsInParentheses) {
  EXPECT_EQ(with_row_numbers("nothing (counted from 0)", same), "nothing (counted from 0)");
  EXPECT_EQ(with_row_numbers(" (counted from 0)", same), " (counted from 0)");
}

}  // namespace
}  // namespace ostinato
