// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/jacobi.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/solvers/recurrence/workspace.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class JacobiOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  struct Applied {
    std::vector<Value> z;
    double dot;
  };

  /// The results of apply_dot(). apply() must give the same z.
  Applied apply(const Csr<Value>& a, const std::vector<Value>& r) const {
    const Jacobi m(this->space(), a);
    const auto dr = this->put(r);
    auto z = this->put(std::vector<Value>(r.size())), with_dot = this->put(std::vector<Value>(r.size()));
    auto slot = this->template put<double>({-1});
    m.apply(dr, z);
    m.apply_dot(dr, with_dot, slot.data());
    EXPECT_TRUE(same_bits(z.download(), with_dot.download()));
    return {z.download(), slot.download()[0]};
  }
};

TYPED_TEST_SUITE(JacobiOn, EverySpace, SpaceNames);

TYPED_TEST(JacobiOn, DividesByTheDiagonal) {
  using T = typename TypeParam::T;

  const auto [z, dot] = this->apply(dense<T>({{4, 1, 0}, {1, -2, 1}, {0, 9, 0.5}}), {8, 6, 3});

  EXPECT_EQ(z, (std::vector<T>{2, -3, 6}));
  EXPECT_EQ(dot, 16 - 18 + 18);
}

TYPED_TEST(JacobiOn, AddsDuplicatesOfUnsortedRows) {
  using T = typename TypeParam::T;
  const Csr<T> mixed{2, 2, {0, 3, 5}, {1, 0, 0, 1, 0}, {5, 1, 3, 2, 7}};

  const auto [z, dot] = this->apply(mixed, {8, 8});

  EXPECT_EQ(z, (std::vector<T>{2, 4}));
  EXPECT_EQ(dot, 48);
}

TYPED_TEST(JacobiOn, IsExactToRoundingOverManyBlocks) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 100});
  const auto r = random_vector<T>(a.rows, 1);

  const auto z = this->apply(a, r).z;

  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
      if (a.col[k] != i) continue;
      EXPECT_NEAR(z[row], r[row] / a.val[k], 2 * std::abs(r[row] / a.val[k]) * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(JacobiOn, NamesTheFirstRowThatItCannotDivideBy) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const T bad : {T{0}, nan, infinity, -infinity}) {
    auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
    a.val[4711] = a.val[9000] = bad;

    const auto text = message_of<ArgumentError>([&] { Jacobi(this->space(), a); });

    EXPECT_NE(text.find("row 4711 (counted from 0) "), std::string::npos) << text;
  }
}

TYPED_TEST(JacobiOn, RefusesAMissingDiagonalEntry) {
  using T = typename TypeParam::T;

  const auto text = message_of<ArgumentError>([&] { Jacobi(this->space(), dense<T>({{1, 2}, {3, 0}})); });

  EXPECT_NE(text.find("row 1 (counted from 0) "), std::string::npos) << text;
}

TYPED_TEST(JacobiOn, HoldsOneValueARow) {
  using T = typename TypeParam::T;

  EXPECT_EQ(Jacobi(this->space(), generate<T>("poisson2d", {.n = 10})).bytes(), 100 * sizeof(T));
}

TYPED_TEST(JacobiOn, IsMadeByNameAndChosenByItself) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto constant = generate<T>("poisson2d", {.n = 10}), varied = generate<T>("variable2d", {.n = 10});
  const auto gap = dense<T>({{1, 2}, {3, 0}});

  const Any by_name(this->space(), varied, "jacobi");
  const Any none(this->space(), varied, "none");
  const Any for_varied(this->space(), varied);
  const Any for_constant(this->space(), constant);
  const Any for_gap(this->space(), gap);

  EXPECT_EQ(by_name.name(), "jacobi");
  EXPECT_EQ(by_name.reason(), "asked for");
  EXPECT_EQ(none.name(), "none");
  EXPECT_EQ(none.bytes(), 0u);
  EXPECT_NE(for_varied.name(), "none");
  EXPECT_GT(for_varied.bytes(), 0u);
  EXPECT_EQ(for_constant.name(), "none");
  EXPECT_EQ(for_gap.name(), "none");
  EXPECT_FALSE(for_gap.reason().empty());
}

TYPED_TEST(JacobiOn, IsNotTakenUnaskedWhereItCannotBeBuilt) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const T tiny = std::numeric_limits<T>::denorm_min(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const T bad : {tiny, nan, std::numeric_limits<T>::infinity()}) {
    const auto a = dense<T>({{1, 0, 0}, {0, bad, 0}, {0, 0, 3}});

    const Any automatic(this->space(), a);

    EXPECT_EQ(automatic.name(), "none");
    EXPECT_NE(automatic.reason().find("row 1 (counted from 0) "), std::string::npos) << automatic.reason();
    EXPECT_EQ(automatic.reason().find("preconditioner none"), std::string::npos) << automatic.reason();
    EXPECT_NE(message_of<ArgumentError>([&] { Any(this->space(), a, "jacobi"); }).find("row 1 (counted from 0) "),
              std::string::npos);
  }
}

TYPED_TEST(JacobiOn, IsOneOfTheNamesThatAnUnknownOneLists) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto a = dense<T>({{1}});

  const auto text = message_of<ArgumentError>([&] { Any(this->space(), a, "jacobbi"); });

  EXPECT_NE(text.find("'jacobbi'"), std::string::npos);
  for (const PreconditionerInfo& info : preconditioner_infos())
    EXPECT_NE(text.find(info.name), std::string::npos) << text;
}

}  // namespace
}  // namespace ostinato::test
