// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/scale.hpp>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

template <class Case>
using ScaleOn = AlgebraTest<Case>;
TYPED_TEST_SUITE(ScaleOn, EverySpace, SpaceNames);

TYPED_TEST(ScaleOn, MatchesTheReferenceInEveryShape) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      const std::vector<T> left = random_vector<T>(m, 1), right = random_vector<T>(n, 2);
      const auto on_left = this->put(left), on_right = this->put(right);
      for (const Csr<T>& a : matrices_of<T>(m, n, 10)) {
        ReferenceMatrix both{m, n, {}}, one{m, n, {}};
        reference_of(a.view()).visit([&](Index i, Index j, long double v) {
          one.add(i, j, v * left[static_cast<std::size_t>(i)]);
          both.add(i, j, v * left[static_cast<std::size_t>(i)] * right[static_cast<std::size_t>(j)]);
        });

        EXPECT_EQ(difference(this->back(scaled(this->space(), this->on(a), on_left.span(), on_right.span())), both, 2),
                  "");
        EXPECT_EQ(
            difference(this->back(scaled<typename TypeParam::Space, T>(this->space(), this->on(a), on_left.span(), {})),
                       one, 1),
            "");
      }
    }
  }
}

TYPED_TEST(ScaleOn, RefusesDiagonalsOfOtherLengths) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2, 3}}));
  const auto two = this->put({1, 2});

  EXPECT_EQ(message_of<DimensionError>([&] { scaled(this->space(), a, two.span(), {}); }),
            "scaling of a matrix: left has 2 elements, but the matrix is 1 x 3 and needs 1");
  EXPECT_THROW(scaled(this->space(), a, {}, two.span()), DimensionError);
}

TYPED_TEST(ScaleOn, DiagonalIsZeroWhereThereIsNoEntry) {
  using T = typename TypeParam::T;
  auto d = this->put(std::vector<T>(2, 7));

  diagonal(this->space(), this->on(dense<T>({{4, 0, 1}, {2, 0, 3}})).view(), d.span());
  EXPECT_EQ(d.download(), (std::vector<T>{4, 0}));
  diagonal(this->space(), this->on(dense<T>({{0, 1}, {2, 5}, {3, 3}})).view(), d.span());
  EXPECT_EQ(d.download(), (std::vector<T>{0, 5}));
}

}  // namespace
}  // namespace ostinato::test
