// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/solvers/recurrence/gradient_judge.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>

#include "support/least_squares.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GradientJudgeOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using On = typename Case::Space;

  struct Judged {
    double cosine, share;
  };

  template <class M = Identity>
  Judged judge(const Csr<Value>& a, const std::vector<Value>& r, const M& given = {}) const {
    const auto& adapted = detail::as_preconditioner<On, Value>(this->space(), given);
    const PreconditionerRef<On, Value> m(adapted);
    const TransposableOperator op(this->space(), a);
    const auto b = this->put(r), x = this->put(std::vector<Value>(static_cast<std::size_t>(a.cols)));
    Workspace<On> workspace(this->space());
    const ScaledSystem<On, Value> system("test", this->space(), op, b, x, m, workspace, Shape::any);
    const auto room = [&](Index n) { return workspace.template allocate<Value>(static_cast<std::size_t>(n)); };
    GradientJudge<On, Value> judge(system, {room(a.rows), room(a.cols), m.is_identity() ? Out<Value>{} : room(a.cols)},
                                   workspace);
    long double squares = 0;
    for (const Value v : r) squares += static_cast<long double>(v) * v;
    const auto norm = static_cast<double>(std::sqrt(squares));
    return {judge.largest_cosine(b, norm), judge.share(b, norm)};
  }
};

TYPED_TEST_SUITE(GradientJudgeOn, EverySpace, SpaceNames);

TYPED_TEST(GradientJudgeOn, LargestCosineIsThatOfAnyColumn) {
  using T = typename TypeParam::T;
  EXPECT_NEAR(this->judge(dense<T>({{1, 0}, {1, 0}, {0, 3}}), {1, -1, 0}).cosine, 0, 1e-7);
  EXPECT_NEAR(this->judge(dense<T>({{1, 0}, {1, 0}, {0, 3}}), {1, -1, 1}).cosine, 1 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(this->judge(dense<T>({{1, 0}, {1, 0}, {0, 3}}), {1, 1, 1}).cosine, 2 / std::sqrt(6.0), 1e-6);
}

TYPED_TEST(GradientJudgeOn, SizeOfAColumnMakesNoDifference) {
  using T = typename TypeParam::T;
  constexpr bool is_double = !is_single<T>;
  const T large = is_double ? static_cast<T>(1e150) : static_cast<T>(1e15), small = T{1} / large / large;
  for (const T size : {small, T{1}, large}) {
    for (const T of_r : {small, T{1}, large}) {
      // r is at right angles to the first column alone.
      const double cosine = this->judge(dense<T>({{1, size}, {1, 0}, {0, size}}), {of_r, -of_r, of_r}).cosine;
      EXPECT_NEAR(cosine, 2 / std::sqrt(6.0), 1e-6) << size << ", " << of_r;
    }
  }
}

TYPED_TEST(GradientJudgeOn, ColumnsOfZerosCountForNothing) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->judge(dense<T>({{0, 1}, {0, 1}}), {1, -1}).cosine, 0);
  EXPECT_EQ(this->judge(from_triplets<T>(2, 3, {}), {1, 2}).cosine, 0);
  EXPECT_EQ(this->judge(from_triplets<T>(2, 0, {}), {1, 2}).cosine, 0);
}

TYPED_TEST(GradientJudgeOn, ShareOfCompleteFactorsIsThatOfTheRange) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 1}, {1, 2}, {1, 3}, {1, 4}});
  const std::vector<T> r = {1, 5, -2, 3};
  const double rest = least_squares_reference(a.view(), r).residual, norm = std::sqrt(39.0);
  const LeastSquaresPreconditioner<typename TypeParam::Space, T> m(
      Analysis<typename TypeParam::Space, T>(this->space(), a), "cholesky");

  EXPECT_NEAR(this->judge(a, r, m).share, std::sqrt(1 - rest * rest / norm / norm), 1e-3);
  EXPECT_EQ(this->judge(a, r).share, 0) << "without a preconditioner";
}

}  // namespace
}  // namespace ostinato::test
