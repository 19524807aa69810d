// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/bench/formats/csr_adaptive/csr_adaptive.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// What is special to CSR-Adaptive; what it shares with all formats is in format_conformance_test.cpp.

namespace ostinato::test {
namespace {

using formats::CsrAdaptive;
using formats::RowBlock;

std::vector<RowBlock> blocks_of(const std::vector<Offset>& lengths) {
  std::vector<Offset> row_ptr = {0};
  for (const Offset length : lengths) row_ptr.push_back(row_ptr.back() + length);
  return formats::cut_rows(row_ptr);
}

std::string text_of(const RowBlock& b) {
  return std::to_string(b.row) + "+" + std::to_string(b.rows) + ": " + std::to_string(b.begin) + "+" +
         std::to_string(b.length) + ", piece " + std::to_string(b.first) + " of " + std::to_string(b.pieces);
}

std::vector<std::string> texts_of(const std::vector<RowBlock>& blocks) {
  std::vector<std::string> texts;
  for (const RowBlock& b : blocks) texts.push_back(text_of(b));
  return texts;
}

TEST(CsrAdaptive, CutsRowsIntoBlocks) {
  EXPECT_EQ(texts_of(blocks_of({1000, 24, 1, 0, 0, 2000, 40000, 3, 16385})),
            (std::vector<std::string>{
                "0+2: 0+1024, piece 0 of 1", "2+3: 1024+1, piece 0 of 1", "5+1: 1025+2000, piece 0 of 1",
                "6+1: 3025+16384, piece 0 of 3", "6+1: 19409+16384, piece 0 of 3", "6+1: 35793+7232, piece 0 of 3",
                "7+1: 43025+3, piece 3 of 1", "8+1: 43028+16384, piece 3 of 2", "8+1: 59412+1, piece 3 of 2"}));
}

TEST(CsrAdaptive, NoBlockHasMoreRowsThanAThreadBlockHasThreads) {
  const auto blocks = blocks_of(std::vector<Offset>(600, 0));

  EXPECT_EQ(texts_of(blocks), (std::vector<std::string>{"0+256: 0+0, piece 0 of 1", "256+256: 0+0, piece 0 of 1",
                                                        "512+88: 0+0, piece 0 of 1"}));
}

TEST(CsrAdaptive, BlocksHoldEachEntryOnce) {
  for (const Sample<double>& sample : every_sample<double>()) {
    SCOPED_TRACE(sample.name);
    const auto& row_ptr = sample.matrix.row_ptr;
    Offset next = 0;
    for (const RowBlock& b : formats::cut_rows(row_ptr)) {
      ASSERT_EQ(b.begin, next);
      next += b.length;
      ASSERT_LE(b.begin + b.length, row_ptr[static_cast<std::size_t>(b.row + b.rows)]);
      ASSERT_GE(b.begin, row_ptr[static_cast<std::size_t>(b.row)]);
      if (b.rows > 1) {
        ASSERT_LE(b.length, formats::stream_entries);
        ASSERT_EQ(b.length, row_ptr[static_cast<std::size_t>(b.row + b.rows)] - b.begin);
      }
    }
    EXPECT_EQ(next, sample.matrix.nonzeros());
  }
}

template <class Case>
using CsrAdaptiveOn = SpaceTest<Case>;
TYPED_TEST_SUITE(CsrAdaptiveOn, EverySpace, SpaceNames);

TYPED_TEST(CsrAdaptiveOn, AddsUpRowsOfEveryKindAgainAndAgain) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  const std::vector<Index> lengths = {3, 70000, 0, 1024, 1, 1025, 16384, 16385, 33, 32768, 500, 500, 500, 1};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (Index j = 0; j < lengths[i]; ++j)
      triplets.push_back({static_cast<Index>(i), j, static_cast<T>(1 + (j + static_cast<Index>(i)) % 7)});
  }
  const auto rows = static_cast<Index>(lengths.size());
  const Csr<T> a = from_triplets<T>(rows, 70000, triplets);
  const Structure s = analyse(Host(), a.view());
  const Machine m = machine_of(this->space());
  const CsrAdaptive<Space, T> f(this->space(), SpaceCsr<Space, T>(this->space(), a.view()), PlanInput{s, m});
  const auto x = random_vector<T>(70000, 1), y = random_vector<T>(rows, 2);
  const auto in = this->put(x);
  const auto reference = reference_product(a.view(), T(2.5), x, T{-1}, y);
  std::vector<T> first;
  for (int k = 0; k < 5; ++k) {
    auto out = this->put(y);

    f.apply(T(2.5), in, T{-1}, out);

    EXPECT_EQ(difference(out.download(), reference), "") << k;
    if (k == 0) first = out.download();
    EXPECT_TRUE(same_bits(first, out.download())) << k;
  }
}

}  // namespace
}  // namespace ostinato::test
