// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/function_operator.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/transposable_operator.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class FunctionOperatorOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(FunctionOperatorOn, EverySpace, SpaceNames);

TYPED_TEST(FunctionOperatorOn, IsRectangularAndHasATranspose) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2, 3}, {0, 4, 5}});
  const Operator forward(this->space(), a), back(this->space(), transpose(a.view()));
  const auto op = make_operator<T>(
      this->space(), 2, [&](std::span<const T> x, std::span<T> y) { forward.apply(T{1}, x, T{0}, y); },
      {.cols = 3, .transposed = [&](std::span<const T> x, std::span<T> y) { back.apply(T{1}, x, T{0}, y); }});
  EXPECT_EQ(op.rows(), 2u);
  EXPECT_EQ(op.cols(), 3u);
  ASSERT_NE(op.adjoint(), nullptr);
  EXPECT_EQ(op.facts(), nullptr);

  const auto x = this->put(std::vector<T>{1, 10, 100}), u = this->put(std::vector<T>{1, 10});
  auto y = this->put(std::vector<T>(2, std::numeric_limits<T>::quiet_NaN()));
  op.apply(T{1}, x, T{0}, y.span());
  EXPECT_EQ(y.download(), (std::vector<T>{321, 540}));
  op.apply(T{-1}, x, T{2}, y.span());
  EXPECT_EQ(y.download(), (std::vector<T>{321, 540}));
  auto v = this->put(std::vector<T>(3, std::numeric_limits<T>::quiet_NaN()));
  op.adjoint()->apply(T{1}, u, T{0}, v.span());
  EXPECT_EQ(v.download(), (std::vector<T>{1, 42, 53}));
  op.adjoint()->apply(T{2}, u, T{-1}, v.span());
  EXPECT_EQ(v.download(), (std::vector<T>{1, 42, 53}));
}

TYPED_TEST(FunctionOperatorOn, TellsWhatItWasTold) {
  using T = typename TypeParam::T;
  const auto copy_of = [&](FunctionOptions<T> options) {
    return make_operator<T>(
        this->space(), 4, [](std::span<const T>, std::span<T>) {}, std::move(options));
  };
  const auto plain = copy_of({}), symmetric = copy_of({.symmetric = true}),
             definite = copy_of({.positive_definite = true});
  EXPECT_EQ(plain.facts(), nullptr);
  EXPECT_EQ(plain.adjoint(), nullptr);
  ASSERT_NE(symmetric.facts(), nullptr);
  EXPECT_TRUE(symmetric.facts()->symmetric);
  EXPECT_FALSE(symmetric.facts()->positive_diagonal);
  EXPECT_EQ(symmetric.adjoint(), &symmetric);
  ASSERT_NE(definite.facts(), nullptr);
  EXPECT_TRUE(definite.facts()->symmetric);
  EXPECT_TRUE(definite.facts()->positive_diagonal);
  EXPECT_THROW(copy_of({.cols = 3, .symmetric = true}), ArgumentError);
  EXPECT_THROW(copy_of({.cols = 5, .positive_definite = true}), ArgumentError);
  EXPECT_NO_THROW(copy_of({.cols = 4, .positive_definite = true}));
  using Ref = OperatorRef<typename TypeParam::Space, T>;
  EXPECT_EQ(Ref(plain).facts(), nullptr);
  EXPECT_EQ(Ref(symmetric).facts(), symmetric.facts());
  EXPECT_FALSE(Ref(plain).has_transpose());
  EXPECT_TRUE(Ref(symmetric).has_transpose());
}

TYPED_TEST(FunctionOperatorOn, NamesBothSizes) {
  using T = typename TypeParam::T;
  bool called = false;
  const auto note = [&called](std::span<const T>, std::span<T>) { called = true; };
  const auto op = make_operator<T>(this->space(), 7, note, {.cols = 5, .transposed = note});
  const auto five = this->put(std::vector<T>(5)), seven = this->put(std::vector<T>(7));
  auto to_five = this->put(std::vector<T>(5)), to_seven = this->put(std::vector<T>(7));
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const DimensionError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(message([&] { op.apply(T{1}, seven, T{0}, to_seven.span()); }),
            "apply: the matrix is 7 x 5, but x has 7 and y 7 elements");
  EXPECT_EQ(message([&] { op.adjoint()->apply(T{1}, five, T{0}, to_five.span()); }),
            "apply: the matrix is 5 x 7, but x has 5 and y 5 elements");
  EXPECT_FALSE(called);
  const TransposableOperator both(this->space(), dense<T>({{1, 2, 3}, {0, 4, 5}}));
  EXPECT_EQ(message([&] { both.adjoint()->apply(T{1}, five, T{0}, to_seven.span()); }),
            "apply: the matrix is 3 x 2, but x has 5 and y 7 elements");
}

}  // namespace
}  // namespace ostinato::test
