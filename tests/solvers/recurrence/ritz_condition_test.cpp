// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/ritz_condition.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/minres.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/dense_condition.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

using Of = Condition::Of;

/// The condition number of D^-1/2 A D^-1/2, where D is the diagonal of A or, without Jacobi, 1.
template <class T>
double condition_2(const Csr<T>& a, bool with_jacobi) {
  DenseMatrix dense(a.view());
  std::vector<long double> root(dense.rows(), 1);
  for (std::size_t i = 0; with_jacobi && i < root.size(); ++i) root[i] = std::sqrt(std::abs(dense.at(i, i)));
  for (std::size_t i = 0; i < root.size(); ++i) {
    for (std::size_t j = 0; j < root.size(); ++j) dense.at(i, j) /= root[i] * root[j];
  }
  const std::vector<long double> values = dense.eigenvalues();
  const long double first = std::abs(values.front()), last = std::abs(values.back());
  return static_cast<double>(std::max(first, last) / std::min(first, last));
}

template <class Case>
class RitzConditionOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  SolveResult solve(const Csr<Value>& a, bool with_jacobi) const {
    const auto system = with_known_solution(a);
    const Operator<typename Case::Space, Value> op(this->space(), system.a);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    const SolveOptions options{.rtol = is_single<Value> ? 1e-5 : 1e-10};
    if (!with_jacobi) return cg(this->space(), op, b.span(), x.span(), options);
    return cg(this->space(), op, b.span(), x.span(), Jacobi<typename Case::Space, Value>(this->space(), system.a),
              options);
  }
};
TYPED_TEST_SUITE(RitzConditionOn, EverySpace, SpaceNames);

TYPED_TEST(RitzConditionOn, IsBelowAndNearThatOfTheEigenvalues) {
  using T = typename TypeParam::T;
  Csr<T> negative = generate<T>("variable2d", {.n = 9});
  for (T& v : negative.val) v = -v;
  for (const Csr<T>& a : {generate<T>("poisson2d", {.n = 12}), generate<T>("variable2d", {.n = 10}), negative}) {
    for (const bool with_jacobi : {false, true}) {
      const SolveResult result = this->solve(a, with_jacobi);  // in some twenty iterations or more
      const double condition = condition_2(a, with_jacobi);
      ASSERT_EQ(result.status, Status::converged) << result.message();
      EXPECT_EQ(result.condition.of, with_jacobi ? Of::preconditioned : Of::matrix);
      EXPECT_GT(result.condition.value, 0.1 * condition);
      EXPECT_LT(result.condition.value, 1.1 * condition);
    }
  }
}

TYPED_TEST(RitzConditionOn, IsUnknownOfOtherMethodsAndTooFewIterations) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 12}));
  const Operator<typename TypeParam::Space, T> op(this->space(), system.a);
  const auto b = this->put(system.b);
  auto x = this->put(system.x0);

  const SolveResult by_minres = minres(this->space(), op, b.span(), x.span());
  const SolveResult at_once = cg(this->space(), op, b.span(), x.span(), {.max_iterations = 1});

  EXPECT_FALSE(by_minres.condition.is_known());
  EXPECT_FALSE(at_once.condition.is_known());
  EXPECT_TRUE(std::isnan(by_minres.forward_error()));
  EXPECT_EQ(by_minres.message().find("forward error"), std::string::npos);
}

TEST(RitzCondition, NeedsAPositiveDefiniteProcess) {
  EXPECT_FALSE(ritz_condition({}, true).is_known());
  EXPECT_FALSE(ritz_condition({{2}, {0}}, true).is_known());
  EXPECT_FALSE(ritz_condition({{1, 1}, {2, 0}}, true).is_known());
  EXPECT_FALSE(ritz_condition({{1, 4}, {0, 0}}, true).is_known()) << "of two rows, nobody knows what would follow";
}

/// A process whose matrix is diagonal, so that its eigenvalues are known.
Tridiagonal diagonal(std::size_t rows, double last) {
  Tridiagonal t{std::vector<double>(rows, 4.0), std::vector<double>(rows, 0.0)};
  t.diagonal.front() = 8;
  t.diagonal[2] = 1;
  t.diagonal.back() = last;
  return t;
}

TEST(RitzCondition, IsUnknownWhileTheSmallestValueFalls) {
  EXPECT_NEAR(ritz_condition(diagonal(20, 2), true).value, 8, 0.8);
  EXPECT_NEAR(ritz_condition(diagonal(20, 0.7), true).value, 8 / 0.7, 1.2);
  EXPECT_FALSE(ritz_condition(diagonal(20, 0.1), true).is_known());
}

}  // namespace
}  // namespace ostinato::test
