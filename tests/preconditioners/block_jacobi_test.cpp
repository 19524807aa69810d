// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/block_jacobi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/preconditioning.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class BlockJacobiOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;

  /// A random matrix whose blocks of rows are well-conditioned, although their largest entries are off the diagonal.
  static Csr<Value> turned_blocks(Index n, Index rows) {
    Random random(9);
    std::vector<Triplet<Value>> t;
    for (Index i = 0; i < n; ++i) {
      const Index first = i / rows * rows, size = std::min(rows, n - first);
      for (Index j = first; j < first + size; ++j)
        t.push_back({i, j, static_cast<Value>(0.2 * signed_unit(random) / rows + ((i + 1 - j) % size == 0 ? 1 : 0))});
      t.push_back({i, below(random, n), static_cast<Value>(1e-3 * signed_unit(random))});
    }
    return from_triplets<Value>(n, n, t);
  }

  /// Checks that B z = r, with the diagonal blocks B of A that begin at the rows `begin`.
  void expect_solved(const Csr<Value>& a, const std::vector<Index>& begin, const std::vector<Value>& r,
                     const std::vector<Value>& z) const {
    for (std::size_t b = 0; b + 1 < begin.size(); ++b) {
      for (Index i = begin[b]; i < begin[b + 1]; ++i) {
        const auto row = static_cast<std::size_t>(i);
        long double left = r[row], size = std::abs(left);
        for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
          if (a.col[k] < begin[b] || a.col[k] >= begin[b + 1]) continue;
          const long double term = static_cast<long double>(a.val[k]) * z[static_cast<std::size_t>(a.col[k])];
          left -= term;
          size += std::abs(term);
        }
        EXPECT_LE(std::abs(left), 100 * this->epsilon * size) << "row " << i;
      }
    }
  }

  static std::vector<Index> every(Index n, Index rows) {
    std::vector<Index> begin;
    for (Index i = 0; i < n; i += rows) begin.push_back(i);
    begin.push_back(n);
    return begin;
  }
};

TYPED_TEST_SUITE(BlockJacobiOn, EverySpace, SpaceNames);

TYPED_TEST(BlockJacobiOn, InvertsBlocksOfAnyRows) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597, 20000}) {
    for (const int rows : {1, 2, 7, 31, 32}) {
      const auto a = this->turned_blocks(n, rows);
      const BlockJacobi<typename TypeParam::Space, T> m(this->space(), a, {.block = rows});
      const auto r = random_vector<T>(n, 4);

      this->expect_solved(a, this->every(n, rows), r, this->apply(m, r));
    }
  }
}

TYPED_TEST(BlockJacobiOn, KeepsUnknownsOfANodeTogether) {
  using T = typename TypeParam::T;
  using M = BlockJacobi<typename TypeParam::Space, T>;
  // Nodes of 12 rows, coupled with the next node: two fit into a block of 32, three don't.
  const Index nodes = 7, rows = 12;
  Random random(2);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < nodes * rows; ++i) {
    for (Index j = i / rows * rows; j < std::min((i / rows + 2) * rows, nodes * rows); ++j)
      t.push_back({i, j, static_cast<T>(signed_unit(random) + (i == j ? 9 : 0))});
  }
  const auto a = from_triplets<T>(nodes * rows, nodes * rows, t);
  const M m(this->space(), a);
  const auto r = random_vector<T>(a.rows, 4);

  EXPECT_EQ(m.blocks(), 4u);
  this->expect_solved(a, {0, 24, 48, 72, 84}, r, this->apply(m, r));
}

TYPED_TEST(BlockJacobiOn, CutsLongSupervariablesAndMergesShortOnes) {
  using T = typename TypeParam::T;
  using M = BlockJacobi<typename TypeParam::Space, T>;
  std::vector<Triplet<T>> full;
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 70; ++j) full.push_back({i, j, T(i == j ? 100 : 1)});
  }

  EXPECT_EQ(M(this->space(), from_triplets<T>(70, 70, full)).blocks(), 3u);
  EXPECT_EQ(M(this->space(), diagonal_matrix(std::vector<T>(70, T{2}))).blocks(), 3u);
  EXPECT_EQ(M(this->space(), diagonal_matrix(std::vector<T>(70, T{2}))).remarks(), "3 blocks");
}

TYPED_TEST(BlockJacobiOn, IsSymmetricAndDefiniteWhereTheMatrixIs) {
  using T = typename TypeParam::T;
  for (const Index n : {1, 31, 33, 97}) {
    const auto a = random_definite<T>(n, 3, 8);
    const BlockJacobi m(this->space(), a);
    this->expect_definite(m, n);
    const Dense inverse = this->inverse(m, n);
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(inverse[i][j], inverse[j][i]);
    }
  }
}

TYPED_TEST(BlockJacobiOn, NeedsNoDiagonalEntries) {
  using T = typename TypeParam::T;
  const BlockJacobi m(this->space(), dense<T>({{0, 2}, {4, 0}}));

  EXPECT_EQ(this->apply(m, {2, 4}), (std::vector<T>{1, 1}));
}

TYPED_TEST(BlockJacobiOn, NamesTheRowsOfASingularBlock) {
  using T = typename TypeParam::T;
  using M = BlockJacobi<typename TypeParam::Space, T>;
  auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const T bad : {T{0}, nan, infinity}) {
    a.val[4711] = a.val[9000] = bad;
    const auto blocks = message_of<ArgumentError>([&] { M(this->space(), a, {.block = 10}); });
    const auto rows = message_of<ArgumentError>([&] { M(this->space(), a, {.block = 1}); });
    EXPECT_NE(blocks.find("rows 4710 to 4719 (counted from 0) "), std::string::npos) << blocks;
    EXPECT_NE(rows.find("row 4711 (counted from 0) "), std::string::npos) << rows;
  }
  EXPECT_THROW(M(this->space(), dense<T>({{1, 1}, {1, 1}})), ArgumentError);
  EXPECT_THROW(M(this->space(), dense<T>({{1}}), {.block = 33}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
