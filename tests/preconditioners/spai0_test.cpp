// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/spai0.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "support/preconditioning.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class Spai0On : public PreconditionerTest<Case> {};

TYPED_TEST_SUITE(Spai0On, EverySpace, SpaceNames);

TYPED_TEST(Spai0On, MinimisesTheDistanceToTheInverse) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597, 5000}) {
    const auto a = random_definite<T>(n, 3);
    const Spai0 m(this->space(), a);
    const auto r = random_vector<T>(n, 4);

    const auto z = this->apply(m, r);

    for (std::size_t i = 0; i < z.size(); ++i) {
      long double squares = 0, diagonal = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
        squares += static_cast<long double>(a.val[k]) * a.val[k];
        if (a.col[k] == static_cast<Index>(i)) diagonal = a.val[k];
      }
      const double want = static_cast<double>(diagonal / squares * r[i]);
      EXPECT_NEAR(z[i], want, 4 * this->epsilon * std::abs(want)) << i;
    }
  }
}

TYPED_TEST(Spai0On, StaysInRangeForLargeAndSmallValues) {
  using T = typename TypeParam::T;
  const T large = is_single<T> ? T(1e30) : T(1e200);
  for (const T scale : {large, 1 / large}) {
    const Spai0 m(this->space(), dense<T>({{3.0 * scale, 4.0 * scale}, {0, 2.0 * scale}}));

    const auto z = this->apply(m, {scale, scale});

    EXPECT_NEAR(z[0], 3.0 / 25, 4 * this->epsilon);
    EXPECT_NEAR(z[1], 0.5, 4 * this->epsilon);
  }
}

TYPED_TEST(Spai0On, IsPositiveForASymmetricMatrix) {
  using T = typename TypeParam::T;
  const Spai0 symmetric(this->space(), dense<T>({{-2, 1}, {1, 2}})), other(this->space(), dense<T>({{-2, 0}, {1, 2}}));

  EXPECT_GT(this->apply(symmetric, {1, 1})[0], 0);
  EXPECT_LT(this->apply(other, {1, 1})[0], 0);
}

TYPED_TEST(Spai0On, GivesTheDotProductInTheSamePass) {
  using T = typename TypeParam::T;
  const Spai0 m(this->space(), diagonal_matrix(std::vector<T>{2, 4, 8}));
  const auto r = this->put(std::vector<T>{2, 4, 8});
  auto z = this->put(std::vector<T>(3));
  auto slot = this->template put<double>({-1});

  m.apply_dot(r, z, slot.data());

  EXPECT_EQ(z.download(), (std::vector<T>{1, 1, 1}));
  EXPECT_EQ(slot.download()[0], 14);
}

TYPED_TEST(Spai0On, NamesTheFirstRowWithoutAUsableDiagonal) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const T bad : {T{0}, nan, infinity}) {
    auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
    a.val[4711] = a.val[9000] = bad;

    const auto text = message_of<ArgumentError>([&] { Spai0(this->space(), a); });

    EXPECT_NE(text.find("row 4711 (counted from 0) "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ostinato::test
