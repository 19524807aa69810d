// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/transpose.hpp>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

template <class Case>
using MatrixTransposeOn = AlgebraTest<Case>;
TYPED_TEST_SUITE(MatrixTransposeOn, EverySpace, SpaceNames);

TYPED_TEST(MatrixTransposeOn, MatchesTheReferenceInEveryShape) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      for (const Csr<T>& a : matrices_of<T>(m, n, 10)) {
        const auto t = transpose(this->space(), this->on(a));
        EXPECT_EQ(difference(this->back(t), reference_transpose(reference_of(a.view())), 0), "") << m << " x " << n;
      }
    }
  }
}

TYPED_TEST(MatrixTransposeOn, TakesNewValuesIntoTheSameArrays) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : matrices_of<T>(597, 33, 20)) {
    MatrixTranspose t(this->space(), this->on(a));
    const T* const values = t.result().view().val.data();
    const Csr<T> b = other_values(a, 5);

    t.update(this->on(b));

    EXPECT_EQ(t.result().view().val.data(), values);
    EXPECT_EQ(difference(this->back(t.result()), reference_transpose(reference_of(b.view())), 0), "");
  }
}

TYPED_TEST(MatrixTransposeOn, RefusesValuesOfAnotherMatrix) {
  using T = typename TypeParam::T;
  MatrixTranspose t(this->space(), this->on(dense<T>({{1, 2, 0}, {0, 0, 3}})));

  EXPECT_EQ(message_of<DimensionError>([&] {
              t.update(this->on(dense<T>({{1, 2}, {0, 3}})));
            }),
            "update of a rearranged matrix: the plan was made for a matrix that is 2 x 3 with 3 entries, but this one "
            "is 2 x 2 with 3 entries; make a new plan");
  EXPECT_THROW(t.update(this->on(dense<T>({{1, 2, 5}, {0, 0, 3}}))), DimensionError);
}

}  // namespace
}  // namespace ostinato::test
