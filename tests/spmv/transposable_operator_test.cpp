// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/transposable_operator.hpp>

#include <gtest/gtest.h>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class TransposableOperatorOn : public SpaceTest<Case> {
 protected:
  using Number = typename Case::T;
  using On = typename Case::Space;

  /// Compares products with A and A^T with those of the reference, and returns the operator's formats.
  void expect_products(const Csr<Number>& a, const TransposableOperator<On, Number>& op) const {
    const Csr<Number> at = transpose(a.view());
    const auto x = random_vector<Number>(a.cols, 1), y0 = random_vector<Number>(a.rows, 2);
    auto forward = this->put(y0), back = this->put(x);

    op.apply(Number{2}, this->put(x), Number{-1}, forward);
    op.adjoint()->apply(Number{2}, this->put(y0), Number{-1}, back);

    EXPECT_EQ(difference(forward.download(), reference_product(a.view(), Number{2}, x, Number{-1}, y0)), "");
    EXPECT_EQ(difference(back.download(), reference_product(at.view(), Number{2}, y0, Number{-1}, x)), "");
  }
};

TYPED_TEST_SUITE(TransposableOperatorOn, EverySpace, SpaceNames);

TYPED_TEST(TransposableOperatorOn, MultipliesWithBothForEveryShape) {
  using T = typename TypeParam::T;
  Random random(3);
  for (const auto& [rows, cols] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {597, 31}, {31, 597}, {33, 33}, {5, 0}, {0, 5}}) {
    std::vector<Triplet<T>> triplets;
    for (int k = 0; k < 400 && rows > 0 && cols > 0; ++k)
      triplets.push_back({below(random, rows), below(random, cols), static_cast<T>(signed_unit(random))});
    const auto a = from_triplets<T>(rows, cols, triplets);

    const TransposableOperator op(this->space(), a);

    EXPECT_EQ(op.rows(), rows);
    EXPECT_EQ(op.cols(), cols);
    EXPECT_EQ(op.bytes(), op.forward().bytes() + op.transposed().bytes());
    this->expect_products(a, op);
  }
}

TYPED_TEST(TransposableOperatorOn, BothTakeTheFormatAskedFor) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("convection-diffusion2d", {.n = 12});

  const TransposableOperator op(this->space(), a, {.format = "dia"});

  EXPECT_EQ(op.forward().format(), "dia");
  EXPECT_EQ(op.transposed().format(), "dia");
  this->expect_products(a, op);
}

TYPED_TEST(TransposableOperatorOn, TheReferenceOfASolverSeesTheTranspose) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = dense<T>({{1, 2, 0}, {0, 3, 4}});
  const TransposableOperator both(this->space(), a);
  const Operator one(this->space(), a);
  const OperatorRef<Space, T> with(both), without(one);
  auto room = this->put(std::vector<T>(3)), x = this->put(std::vector<T>(3));

  with.scaled(this->space(), 1, room).apply_transposed(this->put(std::vector<T>{1, 10}), x);

  EXPECT_TRUE(with.has_transpose());
  EXPECT_FALSE(without.has_transpose());
  EXPECT_EQ(x.download(), (std::vector<T>{2, 64, 80}));
}

TYPED_TEST(TransposableOperatorOn, TellsTheNormsOfItsColumns) {
  using T = typename TypeParam::T;
  const TransposableOperator op(this->space(), dense<T>({{3, 2, 0, 0}, {4, 0, 0, 0}, {0, 0, 0, 1}}));
  std::vector<double> norms(4);
  ASSERT_EQ(op.column_norms().size(), 4u);
  this->space().download(norms.data(), op.column_norms().data(), 4 * sizeof(double));
  EXPECT_EQ(norms, (std::vector<double>{5, 2, 0, 1}));
  EXPECT_EQ((OperatorRef<typename TypeParam::Space, T>(op).column_norms().size()), 4u);
  EXPECT_TRUE((OperatorRef<typename TypeParam::Space, T>(op.forward()).column_norms().empty()));
}

}  // namespace
}  // namespace ostinato::test
