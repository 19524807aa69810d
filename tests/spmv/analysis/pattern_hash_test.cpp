// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/pattern_hash.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class PatternHashOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  std::string of(const Csr<Value>& a) const {
    const SpaceCsr<typename Case::Space, Value> matrix(this->space(), a.view());
    return pattern_hash(this->space(), matrix.view());
  }
};

TYPED_TEST_SUITE(PatternHashOf, EverySpace, SpaceNames);

TYPED_TEST(PatternHashOf, IsWhatItAlwaysWas) {
  const auto a = dense<typename TypeParam::T>({{4, -1, 0, 0}, {-1, 4, 0, 2}, {0, 0, 0, 0}, {0, 2, 0, 4}});

  EXPECT_EQ(this->of(a), "e0c93b145ba65690ae51d0c7");
}

TYPED_TEST(PatternHashOf, TellsEverySampleFromAnother) {
  using T = typename TypeParam::T;
  using Pattern = std::tuple<Index, Index, std::vector<Offset>, std::vector<Index>>;
  std::map<std::string, Pattern> known;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    const Csr<T>& a = sample.matrix;
    const Pattern pattern{a.rows, a.cols, {a.row_ptr.begin(), a.row_ptr.end()}, {a.col.begin(), a.col.end()}};

    const auto [at, is_new] = known.insert({this->of(a), pattern});

    EXPECT_EQ(at->first.size(), 24u);
    EXPECT_EQ(at->first.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(is_new || at->second == pattern);
  }
  EXPECT_GT(known.size(), 30u);
}

TYPED_TEST(PatternHashOf, IsTheSameOnTheHost) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>())
    EXPECT_EQ(this->of(sample.matrix), pattern_hash(Host(), sample.matrix.view())) << sample.name;
}

TYPED_TEST(PatternHashOf, IsToldLaterWhenTheMatrixIsGone) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const Sample<T>& sample : every_sample<T, Space>()) {
    std::string mark;
    LaterMark<Space> known, unknown;
    {
      const SpaceCsr<Space, T> matrix(this->space(), sample.matrix.view());
      Index longest = 0;
      for (std::size_t i = 0; i + 1 < sample.matrix.row_ptr.size(); ++i)
        longest = std::max(longest, static_cast<Index>(sample.matrix.row_ptr[i + 1] - sample.matrix.row_ptr[i]));
      mark = pattern_mark(this->space(), matrix.view());
      known = LaterMark<Space>(this->space(), matrix.view(), longest);
      unknown = LaterMark<Space>(this->space(), matrix.view(), 0);
    }
    EXPECT_EQ(known.text(), mark) << sample.name;
    EXPECT_EQ(known.text(), mark) << sample.name << ", asked again";
    EXPECT_EQ(unknown.text(), mark) << sample.name << ", length of rows unknown";
  }
}

TYPED_TEST(PatternHashOf, DoesNotDependOnValues) {
  using T = typename TypeParam::T;
  Csr<T> a = scattered<T>(3000, 2000, 5, true, 3);
  const std::string before = this->of(a);
  for (T& v : a.val) v = T(7);

  EXPECT_EQ(this->of(a), before);
}

TYPED_TEST(PatternHashOf, DependsOnEachEntryAndTheShape) {
  using T = typename TypeParam::T;
  const Csr<T> a = stencil<T>(700, 700, 9, 1);
  const std::string hash = this->of(a);
  Csr<T> moved = a, taller = a, wider = a, shifted = a;
  moved.col[moved.col.size() - 1] -= 2;
  taller.row_ptr.push_back(taller.row_ptr.back());
  ++taller.rows;
  ++wider.cols;
  ++shifted.row_ptr[350];  // the first entry of row 350 goes to row 349

  EXPECT_NE(this->of(moved), hash);
  EXPECT_NE(this->of(taller), hash);
  EXPECT_NE(this->of(wider), hash);
  EXPECT_NE(this->of(shifted), hash);
}

/// `a` with entry k in another column, or the row before one entry shorter. Rows needn't ascend afterwards.
template <class T>
std::vector<Csr<T>> with_one_change(const Csr<T>& a) {
  std::vector<Csr<T>> all;
  for (std::size_t k = 0; k < a.col.size(); k += 1 + a.col.size() / 199) {
    all.push_back(a);
    all.back().col[k] ^= 1 << (k % 3);
  }
  for (std::size_t i = 1; i + 1 < a.row_ptr.size(); i += 1 + a.row_ptr.size() / 97) {
    all.push_back(a);
    all.back().row_ptr[i] -= 1;
  }
  all.push_back(a);
  std::swap(all.back().col.front(), all.back().col.back());
  all.push_back(a);
  all.back().cols += 1;
  return all;
}

TEST(PatternMark, TellsChangedArraysFromThoseBefore) {
  for (const int n : {1, 2, 5, 31, 64}) {
    const Csr<double> a = generate<double>("pde2d", {.n = n});
    std::map<std::string, std::size_t> known{{pattern_mark(Host(), a.view()), 0}};
    const auto changed = with_one_change(a);
    for (const Csr<double>& other : changed) {
      if (other.col == a.col && other.row_ptr == a.row_ptr && other.cols == a.cols) continue;
      EXPECT_TRUE(known.insert({pattern_mark(Host(), other.view()), 1}).second) << n << ": " << &other - changed.data();
    }
  }
}

TEST(PatternMark, LooksAtNoValues) {
  Csr<float> a = generate<float>("pde2d", {.n = 20});
  const std::string mark = pattern_mark(Host(), a.view());
  for (float& v : a.val) v = 7;

  EXPECT_EQ(pattern_mark(Host(), a.view()), mark);
}

}  // namespace
}  // namespace ostinato::test
