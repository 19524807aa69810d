// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/prepared_matrix.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class PreparedMatrixOn : public SpaceTest<Case> {
 protected:
  using Real = typename Case::T;
  using Space = typename Case::Space;
  using Prepared = PreparedMatrix<Space, Real>;

  Prepared prepare(const Csr<Real>& a, const SystemPreparationOptions& options = {}) const {
    return Prepared(Analysis<Space, Real>(this->space(), Csr<Real>(a)), options);
  }

  /// All elements of the prepared matrix, row by row.
  std::vector<Real> elements(const Prepared& p) const {
    const CsrView<Real>& a = p.analysis().matrix().view();
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<Offset> row_ptr(n + 1);
    std::vector<Index> col(a.col.size());
    std::vector<Real> val(a.val.size()), all(n * n);
    this->space().download(row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
    this->space().download(col.data(), a.col.data(), a.col.size_bytes());
    this->space().download(val.data(), a.val.data(), a.val.size_bytes());
    for (std::size_t i = 0; i < n; ++i) {
      for (auto k = static_cast<std::size_t>(row_ptr[i]); k < static_cast<std::size_t>(row_ptr[i + 1]); ++k)
        all[i * n + static_cast<std::size_t>(col[k])] = val[k];
    }
    return all;
  }

  struct Entered {
    std::vector<Real> b, x;
  };
  Entered enter(const Prepared& p, const std::vector<Real>& b, const std::vector<Real>& x) const {
    Vector<Space, Real> to_b(this->space(), b.size()), to_x(this->space(), b.size());
    p.enter(this->put(b), this->put(x), to_b, to_x);
    return {to_b.download(), to_x.download()};
  }
  std::vector<Real> leave(const Prepared& p, const std::vector<Real>& found, const std::vector<Real>& b,
                          const std::vector<Real>& guess) const {
    Vector<Space, Real> x(this->space(), b.size());
    p.leave(this->put(found), this->put(b), this->put(guess), x);
    return x.download();
  }
};
TYPED_TEST_SUITE(PreparedMatrixOn, EverySpace, SpaceNames);

TYPED_TEST(PreparedMatrixOn, LeavesAnOrdinaryMatrixAsItIs) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : {generate<T>("poisson2d", {.n = 8}), generate<T>("convection-diffusion2d", {.n = 8}),
                          diagonal_matrix<T>({1, 2, 3}), Csr<T>{0, 0, {0}, {}, {}}}) {
    const auto p = this->prepare(a);

    EXPECT_FALSE(p.changes());
    EXPECT_EQ(&p.analysis().structure(), &p.given().structure());
  }
}

TYPED_TEST(PreparedMatrixOn, SolvesDiagonalRowsAloneWhereTheRestIsSymmetric) {
  using T = typename TypeParam::T;
  const auto p = this->prepare(dense<T>({{5, 0, 0}, {-1, 2, -1}, {0, -1, 2}}));

  EXPECT_EQ(p.what().diagonal_rows, 1);
  EXPECT_TRUE(p.what().fixes_unknowns);
  EXPECT_TRUE(p.analysis().structure().symmetric);
  EXPECT_EQ(this->elements(p), (std::vector<T>{5, 0, 0, 0, 2, -1, 0, -1, 2}));
  const auto entered = this->enter(p, {10, 3, 1}, {7, 8, 9});
  EXPECT_EQ(entered.b, (std::vector<T>{10, 5, 1})) << "x0 = 2 is known";
  EXPECT_EQ(entered.x, (std::vector<T>{2, 8, 9}));
  EXPECT_EQ(this->leave(p, {2, 4, 5}, {10, 3, 1}, {7, 8, 9}), (std::vector<T>{2, 4, 5}));
}

TYPED_TEST(PreparedMatrixOn, LeavesDiagonalRowsWhereTheRestIsNotSymmetric) {
  using T = typename TypeParam::T;

  EXPECT_FALSE(this->prepare(dense<T>({{5, 0, 0}, {-1, 2, -1}, {0, -3, 2}})).changes());
}

TYPED_TEST(PreparedMatrixOn, GivesARowOfZerosADiagonal) {
  using T = typename TypeParam::T;
  for (const bool stored : {true, false}) {
    std::vector<Triplet<T>> entries = {{0, 0, 2}, {0, 2, -1}, {2, 0, -1}, {2, 2, 2}};
    if (stored) entries.push_back({1, 1, 0});

    const auto p = this->prepare(from_triplets<T>(3, 3, entries));

    EXPECT_EQ(p.what().zero_rows, 1);
    EXPECT_FALSE(p.what().fixes_unknowns);
    EXPECT_TRUE(p.analysis().structure().symmetric);
    EXPECT_TRUE(p.analysis().structure().positive_diagonal);
    EXPECT_EQ(this->leave(p, {1, 0, 3}, {1, 0, 1}, {0, 9, 0}), (std::vector<T>{1, 9, 3})) << "the guess stays";
    EXPECT_FALSE(p.unsolvable_row(this->put(std::vector<T>{1, 0, 1}), 0));
    EXPECT_EQ(p.unsolvable_row(this->put(std::vector<T>{1, 2, 1}), 1), 1);
    EXPECT_FALSE(p.unsolvable_row(this->put(std::vector<T>{1, 2, 1}), 3)) << "within the goal";
  }
}

TYPED_TEST(PreparedMatrixOn, GivesARowOfZerosTheSignOfTheOthers) {
  using T = typename TypeParam::T;

  EXPECT_TRUE(this->prepare(dense<T>({{-2, 1, 0}, {1, -2, 0}, {0, 0, 0}})).analysis().structure().negative_diagonal);
}

TYPED_TEST(PreparedMatrixOn, TakesTheSymmetricPartWhereRoundingIsTheDifference) {
  using T = typename TypeParam::T;
  const T above = T{-1} * (1 + 2 * std::numeric_limits<T>::epsilon());
  const auto p = this->prepare(dense<T>({{2, static_cast<double>(above)}, {-1, 2}}));

  EXPECT_TRUE(p.what().symmetrised);
  EXPECT_GT(p.what().asymmetry, 0);
  EXPECT_TRUE(p.analysis().structure().symmetric);
  EXPECT_EQ(this->elements(p)[1], this->elements(p)[2]);
  EXPECT_FALSE(this->prepare(dense<T>({{2, -1}, {-1.001, 2}})).changes());
}

TYPED_TEST(PreparedMatrixOn, TakesTheSymmetricPartWhenTold) {
  using T = typename TypeParam::T;
  const auto p = this->prepare(dense<T>({{2, -1}, {-3, 2}}), {.symmetric = true});

  EXPECT_TRUE(p.what().symmetrised);
  EXPECT_EQ(this->elements(p), (std::vector<T>{2, -2, -2, 2}));
}

TYPED_TEST(PreparedMatrixOn, ScalesRowsOfVeryDifferentSize) {
  using T = typename TypeParam::T;
  const double large = is_single<T> ? 0x1p40 : 0x1p100;
  for (const bool symmetric : {true, false}) {
    const double beside = symmetric ? 1 : 0.5;
    const auto p = this->prepare(dense<T>({{large, 1, 0}, {beside, 2, 1}, {0, 1, 1 / large}}));

    EXPECT_GE(p.what().scaled_by, 40);
    EXPECT_EQ(p.analysis().structure().symmetric, symmetric);
    for (const T v : this->elements(p)) EXPECT_LE(std::abs(v), 8);
    const std::vector<T> x{1, 2, 3}, b{static_cast<T>(large), 4, 5};
    EXPECT_EQ(this->leave(p, this->enter(p, b, x).x, b, x), x) << "powers of two, back and forth";
  }
}

TYPED_TEST(PreparedMatrixOn, TakesConstantsOutOfB) {
  using T = typename TypeParam::T;
  const auto p = this->prepare(dense<T>({{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}}));

  EXPECT_TRUE(p.what().has_constants);
  EXPECT_FALSE(p.what().changes_matrix());
  EXPECT_EQ(this->enter(p, {1, 2, 6}, {0, 0, 0}).b, (std::vector<T>{-2, -1, 3}));
}

TYPED_TEST(PreparedMatrixOn, TakesTheConstantsOfEachPartOutOfB) {
  using T = typename TypeParam::T;
  auto p = this->prepare(
      dense<T>({{1, -1, 0, 0, 0}, {-1, 1, 0, 0, 0}, {0, 0, 3, -3, 0}, {0, 0, -3, 3, 0}, {0, 0, 0, 0, 7}}));
  auto whole = this->prepare(dense<T>({{1, -1}, {-1, 1}}));

  EXPECT_TRUE(p.separate_parts());
  EXPECT_EQ(this->enter(p, {1, 3, 10, 20, 5}, {0, 0, 0, 0, 0}).b, (std::vector<T>{-1, 1, -5, 5, 5}));
  EXPECT_FALSE(whole.separate_parts());
}

TYPED_TEST(PreparedMatrixOn, DoesNothingWhenToldSo) {
  using T = typename TypeParam::T;

  EXPECT_FALSE(this->prepare(dense<T>({{1, -1, 0}, {-1, 1, 0}, {0, 0, 0}}), {.enabled = false}).changes());
}

}  // namespace
}  // namespace ostinato::test
