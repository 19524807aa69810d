// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/sum.hpp>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MatrixSumOn : public AlgebraTest<Case> {
 protected:
  using Value = typename Case::T;

  static ReferenceMatrix reference(const Csr<Value>& a, Value s, const Csr<Value>& b) {
    ReferenceMatrix c = reference_of(a.view());
    reference_of(b.view()).visit(
        [&](Index i, Index j, long double v) { c.add(i, j, static_cast<long double>(s) * v); });
    return c;
  }
};

TYPED_TEST_SUITE(MatrixSumOn, EverySpace, SpaceNames);

TYPED_TEST(MatrixSumOn, MatchesTheReferenceInEveryShapeAndTakesNewValues) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      const auto left = matrices_of<T>(m, n, 1), right = matrices_of<T>(m, n, 2);
      for (const Csr<T>& a : left) {
        for (const Csr<T>& b : right) {
          MatrixSum c(this->space(), this->on(a), T{-0.7f}, this->on(b));
          EXPECT_EQ(difference(this->back(c.result()), this->reference(a, T{-0.7f}, b), 2), "") << m << " x " << n;
          const T* const values = c.result().view().val.data();

          const Csr<T> a2 = other_values(a, 3), b2 = other_values(b, 4);
          c.update(this->on(a2), T{3}, this->on(b2));

          EXPECT_EQ(c.result().view().val.data(), values);
          EXPECT_EQ(difference(this->back(c.result()), this->reference(a2, T{3}, b2), 2), "") << m << " x " << n;
        }
      }
    }
  }
}

TYPED_TEST(MatrixSumOn, KeepsEntriesThatCancel) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2}, {0, 3}}));

  const Csr<T> c = this->back(add(this->space(), a, T{-1}, a));

  EXPECT_EQ(c.nonzeros(), 3);
  EXPECT_EQ(std::vector<T>(c.val.begin(), c.val.end()), std::vector<T>(3, 0));
}

TYPED_TEST(MatrixSumOn, RefusesTermsOfOtherShapes) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2, 3}})), b = this->on(dense<T>({{1, 2}}));

  EXPECT_EQ(message_of<DimensionError>([&] { add(this->space(), a, T{1}, b); }),
            "sum of matrices: the first is 1 x 3, the second 1 x 2; they have to have the same shape");
  MatrixSum c(this->space(), a, T{1}, a);
  EXPECT_THROW(c.update(a, T{1}, this->on(dense<T>({{1, 0, 3}}))), DimensionError);
}

}  // namespace
}  // namespace ostinato::test
