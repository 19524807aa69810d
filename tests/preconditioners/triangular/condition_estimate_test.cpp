// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/condition_estimate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/dense_condition.hpp"
#include "support/matrices.hpp"

namespace ostinato::test {
namespace {

using Of = Condition::Of;

/// The condition that complete factors tell.
template <class Kind>
Condition condition_by(const Csr<double>& a, const char* options) {
  using M = IncompleteLu<Host, double, Kind>;
  return M(Host(), a, M::parse_options(options)).condition();
}

void expect_near_below(const Condition& found, const Csr<double>& a, const std::string& what) {
  const double condition = condition_1(a.view());
  EXPECT_EQ(found.of, Of::matrix) << what;
  EXPECT_GT(found.value, 0.1 * condition) << what;
  EXPECT_LE(found.value, (1 + 1e-6) * condition) << what;
}

Csr<double> random_matrix(Index n, std::uint64_t seed, double spread) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, (i + 1) % n, 2});
    t.push_back({i, i, std::pow(10, -spread * i / n)});
    for (int k = 0; k < 4; ++k) t.push_back({i, below(random, n), signed_unit(random)});
  }
  return from_triplets<double>(n, n, t);
}

/// A Hilbert matrix.
Csr<double> hilbert(Index n) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) t.push_back({i, j, 1.0 / (i + j + 1)});
  }
  return from_triplets<double>(n, n, t);
}

/// D A D, where the elements of D go from 1 to 10^-decades and back.
Csr<double> rescaled(Csr<double> a, double decades) {
  const auto scale = [&](Index i) { return std::pow(10, -decades * (i % 2 == 0 ? i : a.rows - i) / a.rows); };
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      a.val[k] *= scale(i) * scale(a.col[k]);
  }
  return a;
}

TEST(ConditionEstimate, IsBelowAndNearThatOfDenseMatrices) {
  for (const char* options : {"", "match=no,pivot=1", "order=natural", "order=rcm,pivot=0.5"}) {
    for (const Index n : {1, 2, 5, 33, 90}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Csr<double> a = random_matrix(n, seed, static_cast<double>(seed));
        expect_near_below(condition_by<LuKind>(a, options), a, options + std::to_string(n));
      }
    }
  }
}

TEST(ConditionEstimate, OfSymmetricMatricesIsThatOfBothFactorisations) {
  for (const Csr<double>& a : {generate<double>("poisson2d", {.n = 9}), generate<double>("variable2d", {.n = 8}),
                               hilbert(6), rescaled(generate<double>("poisson2d", {.n = 6}), 4)}) {
    expect_near_below(condition_by<LuKind>(a, ""), a, "lu");
    expect_near_below(condition_by<CholeskyKind>(a, ""), a, "cholesky");
  }
}

TEST(ConditionEstimate, OfAPoorlyScaledMatrixIsThatAfterScaling) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 8});
  const Csr<double> scaled = rescaled(a, 20);
  const double condition = condition_1(a.view());
  ASSERT_GT(condition_1(scaled.view()), 1e20);
  for (const Condition found : {condition_by<LuKind>(scaled, ""), condition_by<CholeskyKind>(scaled, "")}) {
    EXPECT_EQ(found.of, Of::scaled);
    EXPECT_GT(found.value, 0.1 * condition);
    EXPECT_LT(found.value, 10 * condition);
  }
}

TEST(ConditionEstimate, OfASingularMatrixIsBeyondThePrecision) {
  const Condition found = condition_by<LuKind>(hilbert(14), "");
  EXPECT_TRUE(!found.is_known() || found.value > 1e15) << found.value;
}

TEST(ConditionEstimate, IsUnknownWherePivotsWereRaisedAndOfIncompleteFactors) {
  const Csr<double> a =
      from_triplets<double>(3, 3, std::vector<Triplet<double>>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  EXPECT_FALSE(condition_by<LuKind>(a, "").is_known());
  EXPECT_FALSE(condition_by<Ilu0Kind>(generate<double>("poisson2d", {.n = 8}), "").is_known());
  EXPECT_FALSE(condition_by<IctKind>(generate<double>("poisson2d", {.n = 8}), "").is_known());
}

}  // namespace
}  // namespace ostinato::test
