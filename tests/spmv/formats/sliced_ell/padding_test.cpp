// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/operator.hpp>

// A long row pads the other 31 rows of its slice, so the formats of slices have a bound on padding.

namespace ostinato::test {
namespace {

/// Rows with one entry, but for row 1, which has `longest`.
Csr<double> one_long_row(Index rows, Index longest) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) entries.push_back({i, 0, 1});
  for (Index j = 1; j < longest; ++j) entries.push_back({1, j, 1});
  return from_triplets<double>(rows, longest, entries);
}

const Candidate& candidate(const Choice& choice, const std::string& name) {
  for (const Candidate& c : choice.candidates) {
    if (c.name == name) return c;
  }
  throw ArgumentError(name);
}

TEST(SlicedPadding, IsBounded) {
  const Csr<double> long_row = one_long_row(3, 100000);
  const Host host;
  const Operator<Host, double> csr(host, long_row, {.format = "csr"});
  EXPECT_EQ(candidate(csr.choice(), "sliced-ell").cost.reason_not,
            "the longest row has 100,000 entries and pads 31 others: 31 slots for an entry");
  EXPECT_EQ(formats::why_not_sliced(csr.structure()), candidate(csr.choice(), "sliced-ell").cost.reason_not);
  try {
    const Operator<Host, double> sliced(host, long_row, {.format = "sliced-ell"});
    ADD_FAILURE() << "built";
  } catch (const ArgumentError& e) {
    EXPECT_NE(std::string(e.what()).find("31 slots for an entry"), std::string::npos) << e.what();
  }
}

TEST(SlicedPadding, MayBeAnythingInASmallMatrix) {
  const Operator<Host, double> sliced(Host(), one_long_row(3, 2000), {.format = "sliced-ell"});
  EXPECT_GT(candidate(sliced.choice(), "sliced-ell").cost.padding, 30);
}

}  // namespace
}  // namespace ostinato::test
