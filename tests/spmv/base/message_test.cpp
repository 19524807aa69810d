// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/message.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "support/reference.hpp"

namespace ostinato::test {
namespace {

TEST(Message, NamesAreTheSameInAnyCase) {
  EXPECT_EQ(lower("BiCGStab-2"), "bicgstab-2");
  EXPECT_TRUE(same_name("BRCSD-I", "brcsd-i"));
  EXPECT_FALSE(same_name("brcsd-i", "brcsd-ii"));
}

TEST(Message, UnknownNameOffersTheNearest) {
  const std::vector<std::string> known{"auto", "cg", "bicgstab", "gmres"};

  EXPECT_EQ(unknown_name("solver", "cgs", known),
            "unknown solver 'cgs'; did you mean cg? known: auto, cg, bicgstab, gmres");
  EXPECT_EQ(unknown_name("solver", "GMERS", known),
            "unknown solver 'GMERS'; did you mean gmres? known: auto, cg, bicgstab, gmres");
  EXPECT_EQ(unknown_name("solver", "qmr", known), "unknown solver 'qmr'; known: auto, cg, bicgstab, gmres");
  EXPECT_EQ(unknown_name("solver", "", {}), "unknown solver ''; ");
}

TEST(Message, RowsSayWhereTheyBegin) {
  EXPECT_EQ(row_text(5), "row 5 (counted from 0)");
  EXPECT_EQ(row_text(5, 5), "row 5 (counted from 0)");
  EXPECT_EQ(row_text(5, 7), "rows 5 to 7 (counted from 0)");
}

TEST(Message, OptionOutOfRangeIsNamedWithItsRange) {
  const auto text = [](double value, double least, double most) {
    return message_of<ArgumentError>([&] { require_between("ssor", "omega", value, least, most); });
  };

  EXPECT_EQ(text(3, 0.01, 1.99), "ssor: omega is 3; it has to be 0.01 to 1.99");
  EXPECT_EQ(text(std::nan(""), 0, 1), "ssor: omega is nan; it has to be 0 to 1");
  EXPECT_EQ(text(-1e-8, 0, HUGE_VAL), "ssor: omega is -1e-08; it has to be at least 0");
  EXPECT_EQ(text(100001, 2, 100000), "ssor: omega is 100001; it has to be 2 to 100000");
  EXPECT_NO_THROW(require_between("ssor", "omega", 1.99, 0.01, 1.99));
  EXPECT_NO_THROW(require_between("ssor", "omega", HUGE_VAL, 0));
}

}  // namespace
}  // namespace ostinato::test
