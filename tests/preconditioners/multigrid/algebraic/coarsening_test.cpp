// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

/// A coarsening in host memory.
struct Coarsened {
  std::vector<std::uint8_t> strong;
  std::vector<std::int32_t> split;
  std::vector<Offset> number;
  Index coarse_rows;
};

template <class Case>
class CoarseningOn : public SpaceTest<Case> {
 protected:
  using T = typename Case::T;

  Coarsened coarsened(const Csr<T>& a, const algebraic::CoarseningOptions& options = {}) const {
    const SpaceCsr<typename Case::Space, T> on_space(this->space(), Csr<T>(a));
    const auto c = algebraic::coarsen(this->space(), on_space.view(), options);
    return {c.strong.download(), c.split.download(), c.number.download(), c.coarse_rows};
  }

  static std::vector<Csr<T>> matrices() {
    std::vector<Csr<T>> all;
    for (const Index n : {0, 1, 2, 31, 33, 597}) {
      all.push_back(graph_laplacian<T>(n, 3, 0, 0, 1));
      all.push_back(graph_laplacian<T>(n, 3, 2, 0.1, 2, 4));
      all.push_back(times(graph_laplacian<T>(n, 2, 1, 0, 3), -1));
      if (n > 1) all.push_back(with_dense_row<T>(n, n, n / 2, 4));
      if (n > 0) all.push_back(scattered<T>(n, n, 4, true, 5));
    }
    return all;
  }
};

TYPED_TEST_SUITE(CoarseningOn, EverySpace, SpaceNames);

/// Whether entry k of row i is strong, from its definition.
template <class T>
bool is_strong(const Csr<T>& a, std::size_t i, std::size_t k, double threshold, double largest_sum) {
  const auto begin = static_cast<std::size_t>(a.row_ptr[i]), end = static_cast<std::size_t>(a.row_ptr[i + 1]);
  T diagonal = 0, total = 0;
  for (std::size_t l = begin; l < end; ++l) {
    total += a.val[l];
    if (a.col[l] == static_cast<Index>(i)) diagonal = a.val[l];
  }
  if (a.col[k] == static_cast<Index>(i)) return false;
  if (std::abs(total) > static_cast<T>(largest_sum) * std::abs(diagonal)) return false;
  const T sign = diagonal < 0 ? T{-1} : T{1};
  T opposite = 0, all = 0;
  for (std::size_t l = begin; l < end; ++l) {
    if (a.col[l] == static_cast<Index>(i)) continue;
    opposite = std::max(opposite, -sign * a.val[l]);
    all = std::max(all, std::abs(a.val[l]));
  }
  if (opposite == 0) return std::abs(a.val[k]) > static_cast<T>(threshold) * all;
  return -sign * a.val[k] > static_cast<T>(threshold) * opposite;
}

TYPED_TEST(CoarseningOn, MarksTheStrongEntries) {
  for (const auto& a : this->matrices()) {
    for (const double threshold : {0.25, 0.6}) {
      const Coarsened c = this->coarsened(a, {threshold, 0.9});
      for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
        for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
          ASSERT_EQ(c.strong[k] != 0, is_strong(a, i, k, threshold, 0.9)) << "row " << i << " of " << a.rows;
      }
    }
  }
}

/// Whether row i depends on row j.
template <class T>
bool depends(const Csr<T>& a, const Coarsened& c, std::size_t i, Index j) {
  for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
    if (a.col[k] == j) return c.strong[k] != 0;
  return false;
}

TYPED_TEST(CoarseningOn, TakesNoTwoRowsThatDependOnEachOther) {
  for (const auto& a : this->matrices()) {
    const Coarsened c = this->coarsened(a);
    for (std::size_t i = 0; i < c.split.size(); ++i) {
      ASSERT_TRUE(c.split[i] == algebraic::coarse || c.split[i] == algebraic::fine);
      if (c.split[i] != algebraic::coarse) continue;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        EXPECT_FALSE(c.strong[k] && c.split[static_cast<std::size_t>(a.col[k])] == algebraic::coarse &&
                     depends(a, c, static_cast<std::size_t>(a.col[k]), static_cast<Index>(i)));
    }
  }
}

/// A fine row on which others depend depends on a coarse one: otherwise it could have been coarse itself.
TYPED_TEST(CoarseningOn, TakesAsManyRowsAsThereCanBe) {
  for (const auto& a : this->matrices()) {
    const Coarsened c = this->coarsened(a);
    std::vector<int> dependent(c.split.size());
    for (std::size_t k = 0; k < c.strong.size(); ++k) dependent[static_cast<std::size_t>(a.col[k])] += c.strong[k];
    for (std::size_t i = 0; i < c.split.size(); ++i) {
      bool finds_coarse = false;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        finds_coarse |= c.strong[k] && c.split[static_cast<std::size_t>(a.col[k])] == algebraic::coarse;
      EXPECT_TRUE(c.split[i] == algebraic::coarse || dependent[i] == 0 || finds_coarse) << "row " << i;
      EXPECT_TRUE(c.split[i] == algebraic::fine || dependent[i] > 0) << "row " << i;
    }
  }
}

TYPED_TEST(CoarseningOn, NumbersTheCoarseRowsInTheirOrder) {
  for (const auto& a : this->matrices()) {
    const Coarsened c = this->coarsened(a);
    Offset next = 0;
    for (std::size_t i = 0; i < c.split.size(); ++i) {
      EXPECT_EQ(c.number[i], next);
      next += c.split[i] == algebraic::coarse;
    }
    EXPECT_EQ(c.number.back(), next);
    EXPECT_EQ(c.coarse_rows, next);
  }
}

TYPED_TEST(CoarseningOn, IsTheSameOnEveryRun) {
  const auto a = renumbered(generate<typename TypeParam::T>("poisson3d", {.n = 20}));
  const Coarsened first = this->coarsened(a);
  EXPECT_GT(first.coarse_rows, a.rows / 8);
  EXPECT_LT(first.coarse_rows, a.rows / 2);
  for (int run = 0; run < 5; ++run) EXPECT_EQ(this->coarsened(a).split, first.split);
}

TYPED_TEST(CoarseningOn, KeepsNoRowOfADominantMatrix) {
  const auto a = graph_laplacian<typename TypeParam::T>(100, 2, 0, 1000, 1);
  const Coarsened c = this->coarsened(a);
  EXPECT_EQ(c.coarse_rows, 0);
  EXPECT_EQ(std::count(c.strong.begin(), c.strong.end(), 0), static_cast<std::ptrdiff_t>(c.strong.size()));
}

}  // namespace
}  // namespace ostinato::test
