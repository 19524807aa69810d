// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/renumber.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

std::vector<Index> at_random(Index n, unsigned seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

/// The matrix with row order[i] of A as row i, assembled entry by entry.
Csr<double> assembled_in_order(const Csr<double>& a, const std::vector<Index>& order) {
  std::vector<Index> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  std::vector<Triplet<double>> t;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      t.push_back({number[i], number[static_cast<std::size_t>(a.col[k])], a.val[k]});
  }
  return from_triplets<double>(a.rows, a.cols, t);
}

/// A few entries a row at random columns, one row empty, one row full.
Csr<double> random_square(Index n) {
  std::mt19937 random(static_cast<unsigned>(n) + 3);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    const bool is_full = i == n / 2, is_empty = i == n / 3 && n > 3;
    for (Index k = 0; k < (is_full ? n : 4) && !is_empty; ++k)
      t.push_back({i, is_full ? k : static_cast<Index>(random() % static_cast<unsigned>(n)), 1.0 + k});
  }
  return from_triplets<double>(n, n, t);
}

TEST(Renumber, MovesEachEntry) {
  for (const Index n : {0, 1, 2, 31, 33, 597, 5000}) {
    const Csr<double> a = random_square(n);
    const std::vector<Index> order = at_random(n, 5);

    const Csr<double> moved = renumber<double>(Host(), a, order);

    const Csr<double> expected = assembled_in_order(a, order);
    EXPECT_EQ(moved.row_ptr, expected.row_ptr) << n;
    EXPECT_EQ(moved.col, expected.col) << n;
    EXPECT_EQ(moved.val, expected.val) << n;
  }
}

TEST(Renumber, PutsRowsOfAnyLengthInOrder) {
  constexpr Index n = 64;
  for (const Index width : {1, 15, 16, 17, 40}) {
    std::vector<Triplet<double>> t;
    for (Index i = 0; i < n; ++i) {
      const std::vector<Index> columns = at_random(n, static_cast<unsigned>(i));
      for (Index k = 0; k < width; ++k) t.push_back({i, columns[static_cast<std::size_t>(k)], 1.0 + k});
    }
    const Csr<double> a = from_triplets<double>(n, n, t);
    const std::vector<Index> order = at_random(n, 5);

    const Csr<double> moved = renumber<double>(Host(), a, order);

    const Csr<double> expected = assembled_in_order(a, order);
    EXPECT_EQ(moved.col, expected.col) << width;
    EXPECT_EQ(moved.val, expected.val) << width;
  }
}

TEST(Renumber, KeepsEntriesOfARepeatedColumn) {
  const Csr<double> a{3, 3, {0, 3, 4, 5}, {1, 0, 1, 1, 2}, {1, 2, 3, 4, 5}};

  const Csr<double> moved = renumber<double>(Host(), a, std::vector<Index>{2, 0, 1});

  EXPECT_EQ(moved.col, (Array<Index>{0, 1, 2, 2, 2}));
  EXPECT_EQ(moved.val, (Array<double>{5, 2, 1, 3, 4}));
}

TEST(Renumber, TakesVectorsThereAndBack) {
  const std::vector<float> v = {10, 11, 12};
  const std::vector<Index> order = {2, 0, 1};

  const Array<float> moved = renumber<float>(v, order);

  EXPECT_EQ(moved, (Array<float>{12, 10, 11}));
  EXPECT_EQ(number_as_before<float>(moved, order), (Array<float>{10, 11, 12}));
}

TEST(Renumber, RefusesWhatIsNoOrder) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 2});
  const std::vector<Index> twice = {0, 1, 1, 3}, outside = {0, 1, 2, 4}, negative = {0, -1, 2, 3}, shorter = {0, 1, 2};
  for (const auto& order : {twice, outside, negative}) EXPECT_THROW(renumber<double>(Host(), a, order), ArgumentError);
  EXPECT_NE(message_of<ArgumentError>([&] { renumber<double>(Host(), a, twice); }).find("element 2 of the order is 1"),
            std::string::npos);
  EXPECT_THROW(renumber<double>(Host(), a, shorter), DimensionError);
  EXPECT_THROW(renumber<double>(std::vector<double>(3), twice), DimensionError);
  EXPECT_THROW(number_as_before<double>(std::vector<double>(5), twice), DimensionError);
  EXPECT_THROW(renumber<double>(Host(), dense<double>({{1, 2}}), std::vector<Index>{0}), DimensionError);
}

TEST(BreadthFirstOrder, PutsNeighboursOfAGridNearEachOther) {
  const Index side = 30;
  const Csr<double> grid = generate<double>("poisson2d", {.n = side});
  const Csr<double> a = renumber<double>(Host(), grid, at_random(grid.rows, 9));

  const std::vector<Index> order = breadth_first_order(a.row_ptr, a.col);

  const Csr<double> ordered = renumber<double>(Host(), a, order);
  Index farthest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ordered.rows); ++i) {
    for (auto k = static_cast<std::size_t>(ordered.row_ptr[i]); k < static_cast<std::size_t>(ordered.row_ptr[i + 1]);
         ++k)
      farthest = std::max(farthest, std::abs(ordered.col[k] - static_cast<Index>(i)));
  }
  EXPECT_LE(farthest, 2 * side + 1);  // a front of the search and the next one
}

TEST(BreadthFirstOrder, MeetsEachRowOnce) {
  // Chains that lead one way only, so that a search from the end meets nothing, and rows without entries.
  std::vector<Triplet<double>> chain;
  for (Index i = 0; i + 1 < 5000; ++i) chain.push_back({i, i + 1, 1});
  for (const Csr<double>& a : {random_square(0), random_square(1), random_square(597),
                               from_triplets<double>(5000, 5000, chain), from_triplets<double>(7, 7, {})}) {
    std::vector<Index> order = breadth_first_order(a.row_ptr, a.col);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<Index>(i));
  }
}

TEST(BreadthFirstDepth, CountsTheLevelsFromTheFirstRow) {
  const auto depth = [](const Csr<double>& a) { return breadth_first_depth(a.row_ptr, a.col, checked); };
  EXPECT_EQ(depth(from_triplets<double>(0, 0, {})), 0);
  EXPECT_EQ(depth(from_triplets<double>(3, 3, {})), 1) << "nothing is met from there";
  EXPECT_EQ(depth(dense<double>({{2, 1, 0}, {1, 2, 1}, {0, 1, 2}})), 3);
  EXPECT_EQ(depth(dense<double>({{2, 1, 1}, {1, 2, 0}, {1, 0, 2}})), 2);
  EXPECT_EQ(depth(generate<double>("poisson2d", {.n = 30})), 59);
}

template <class Case>
using RenumberOn = SpaceTest<Case>;
TYPED_TEST_SUITE(RenumberOn, EverySpace, SpaceNames);

TYPED_TEST(RenumberOn, MovesVectorsThereAndBack) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597, 20000}) {
    const std::vector<T> v = random_vector<T>(n, 3);
    const std::vector<Index> order = at_random(n, 7);
    const auto from = this->put(v);
    const auto on_order = this->template put<Index>(order);
    const std::vector<T> unset(v.size(), std::numeric_limits<T>::quiet_NaN());
    auto there = this->put(unset), back = this->put(unset);

    renumber<typename TypeParam::Space, T>(this->space(), from.span(), on_order.span(), there.span());
    number_as_before<typename TypeParam::Space, T>(this->space(), there.span(), on_order.span(), back.span());

    std::vector<T> expected;
    for (const Index row : order) expected.push_back(v[static_cast<std::size_t>(row)]);
    EXPECT_EQ(there.download(), expected) << n;
    EXPECT_EQ(back.download(), v) << n;
    const Array<T> numbered = renumber<T>(v, order), as_before = number_as_before<T>(numbered, order);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbered.begin(), numbered.end())) << n;
    EXPECT_TRUE(std::equal(v.begin(), v.end(), as_before.begin(), as_before.end())) << n;
  }
}

TYPED_TEST(RenumberOn, RefusesOtherLengths) {
  using T = typename TypeParam::T;
  const auto from = this->put(std::vector<T>(3));
  const auto order = this->template put<Index>({1, 0, 2});
  auto shorter = this->put(std::vector<T>(2));
  using Home = typename TypeParam::Space;
  EXPECT_THROW((renumber<Home, T>(this->space(), from.span(), order.span(), shorter.span())), DimensionError);
  EXPECT_THROW((number_as_before<Home, T>(this->space(), shorter.span(), order.span(), shorter.span())),
               DimensionError);
}

}  // namespace
}  // namespace ostinato::test
