// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gcrodr.hpp>

#include <gtest/gtest.h>

#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GcrodrOn : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Gcrodr>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(GcrodrOn, EverySpace, SpaceNames);

/// Eigenvalues of 1 to 2 and a few small ones, above which there are entries that make the matrix unsymmetric.
template <class T>
Csr<T> with_small_eigenvalues(Index n, Index small) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, static_cast<T>(i < small ? 0.01 * (i + 1) : 1 + static_cast<double>(i) / n)});
    if (i + 1 < n) triplets.push_back({i, i + 1, T(0.1)});
  }
  return from_triplets<T>(n, n, triplets);
}

/// The matrix with another diagonal.
template <class T>
Csr<T> with_more_on_the_diagonal(Csr<T> a, double more) {
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
      if (a.col[k] == i) a.val[k] += static_cast<T>(more);
    }
  }
  return a;
}

template <class T>
Csr<T> rotation() {
  return dense<T>({{0, 1}, {-1, 0}});
}

TYPED_TEST(GcrodrOn, FirstCycleIsThatOfGmres) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 12}));
  const Jacobi m(this->space(), system.a);

  const auto result = this->solve(system, {.rtol = 1e-4, .restart = 144}, m);
  const auto gmres_result = solve_honestly<Gmres>(this->space(), system, {.rtol = 1e-4, .restart = 144}, m);

  EXPECT_EQ(result.result.status, Status::converged);
  constexpr double rounding = is_single<T> ? 1e-5 : 1e-13;
  ASSERT_EQ(result.result.history.size(), gmres_result.result.history.size());
  for (std::size_t k = 0; k < result.result.history.size(); ++k)
    EXPECT_NEAR(result.result.history[k], gmres_result.result.history[k], rounding);
  for (std::size_t i = 0; i < result.x.size(); ++i) EXPECT_NEAR(result.x[i], gmres_result.x[i], rounding);
}

TYPED_TEST(GcrodrOn, TakesFewerIterationsThanGmresInTheSameMemory) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(with_small_eigenvalues<T>(400, 4));
  const SolveOptions options{.rtol = 1e-4, .max_iterations = 3000, .restart = 12, .recycle = 4};
  SolveOptions more = options;
  more.restart = 12 + 2 * 4;

  const auto result = this->solve(system, options).result;
  const auto gmres_result = solve_honestly<Gmres>(this->space(), system, more).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_GE(restarts(result), 2) << "else nothing was tested";
  EXPECT_LT(result.iterations, gmres_result.iterations);
}

TYPED_TEST(GcrodrOn, LaterSolvesProfitFromWhatIsKept) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_small_eigenvalues<T>(400, 4);
  RecycledSpace kept;
  const SolveOptions plain{.rtol = 1e-4, .restart = 24, .recycle = 5};
  SolveOptions options = plain;
  options.recycled = &kept;
  const auto first = this->solve(with_known_solution(a, 1), options).result;
  ASSERT_EQ(first.status, Status::converged) << first.message();
  EXPECT_EQ(kept.vectors(), 5);
  EXPECT_EQ(kept.bytes(), 2 * 5 * 400 * sizeof(T));
  for (std::uint64_t seed = 2; seed < 5; ++seed) {
    const auto system = with_known_solution(a, seed);

    const auto with = this->solve(system, options).result, without = this->solve(system, plain).result;

    EXPECT_EQ(with.status, Status::converged) << with.message();
    EXPECT_TRUE(mentions(with, "gcrodr recycled 5 directions of an earlier solve; 1 product besides the iterations"));
    EXPECT_LT(with.iterations, without.iterations);
  }
  kept.clear();
  EXPECT_EQ(kept.vectors(), 0);
  EXPECT_EQ(kept.bytes(), 0u);
}

TYPED_TEST(GcrodrOn, SolvesTheSameSystemAgainWithoutManyIterations) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(dense<T>({{4, 1, 0, 0}, {0, 5, 1, 0}, {1, 0, 6, 1}, {0, 2, 0, 5}}));
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 4, .recycle = 3, .recycled = &kept};

  const auto first = this->solve(system, options).result, again = this->solve(system, options).result;

  EXPECT_EQ(first.status, Status::converged);
  EXPECT_EQ(kept.vectors(), 3);
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_LE(again.iterations, 1) << "three of four directions are known";
}

TYPED_TEST(GcrodrOn, NoticesByItselfThatTheMatrixHasChanged) {
  using T = typename TypeParam::T;
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 24, .recycle = 5, .recycled = &kept};
  this->solve(with_known_solution(with_small_eigenvalues<T>(400, 4)), options);
  for (const auto& a : {with_more_on_the_diagonal(with_small_eigenvalues<T>(400, 4), 0.002),
                        with_more_on_the_diagonal(with_small_eigenvalues<T>(400, 4), -9),
                        generate<T>("convection-diffusion2d", {.n = 20})}) {
    ASSERT_GT(kept.vectors(), 0);
    const std::string words = std::to_string(1 + kept.vectors()) + " products besides the iterations";

    const auto result = this->solve(with_known_solution(a, 2), options).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_TRUE(mentions(result, words)) << result.notes.front();
  }
}

TYPED_TEST(GcrodrOn, NoticesByItselfThatThePreconditionerHasChanged) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 30}));
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 20, .recycled = &kept};
  const UserDiagonal<Space, T> half(this->space(), std::vector<T>(900, T(0.5)));

  this->solve(system, options, Jacobi(this->space(), system.a));
  const auto result = this->solve(system, options, half).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_TRUE(mentions(result, "5 products besides the iterations")) << result.notes.front();
}

TYPED_TEST(GcrodrOn, SlowlyChangingMatricesTakeFewerIterationsAsASequence) {
  using T = typename TypeParam::T;
  RecycledSpace kept;
  const SolveOptions plain{.rtol = 1e-4, .restart = 24, .recycle = 5};
  SolveOptions options = plain;
  options.recycled = &kept;
  const Csr<T> a = with_small_eigenvalues<T>(400, 4);
  int with = 0, without = 0;
  for (int step = 0; step < 6; ++step) {
    const auto system = with_known_solution(with_more_on_the_diagonal(a, 0.001 * step), 7);
    const auto sequence = this->solve(system, options).result, alone = this->solve(system, plain).result;
    EXPECT_EQ(sequence.status, Status::converged) << sequence.message();
    with += sequence.iterations + (step > 0 ? 6 : 0);  // with the products that renew the images
    without += alone.iterations;
  }
  EXPECT_LT(with, without);
}

TYPED_TEST(GcrodrOn, WhatIsKeptOfAnotherSizeIsNotUsed) {
  using T = typename TypeParam::T;
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 20, .recycled = &kept};
  this->solve(with_known_solution(generate<T>("convection-diffusion2d", {.n = 30})), options);
  ASSERT_GT(kept.vectors(), 0);

  const auto result =
      this->solve(with_known_solution(generate<T>("convection-diffusion2d", {.n = 20})), options).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_TRUE(mentions(result, "gcrodr began without the recycled directions"));
  EXPECT_EQ(kept.bytes(), 2 * static_cast<std::size_t>(kept.vectors()) * 400 * sizeof(T));
}

TYPED_TEST(GcrodrOn, WhatIsKeptInAnotherPrecisionIsNotUsed) {
  using T = typename TypeParam::T;
  using Other = std::conditional_t<is_single<T>, double, float>;
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 20, .recycled = &kept};
  this->solve(with_known_solution(generate<Other>("convection-diffusion2d", {.n = 20})), options);

  const auto result =
      this->solve(with_known_solution(generate<T>("convection-diffusion2d", {.n = 20})), options).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_TRUE(mentions(result, "gcrodr began without the recycled directions"));
}

TYPED_TEST(GcrodrOn, LetsDirectionsGoThatContradictTheSpaceSearched) {
  using T = typename TypeParam::T;
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .recycled = &kept};
  this->solve(System<T>{rotation<T>(), {1, 0}}, options);
  ASSERT_EQ(kept.vectors(), 1);

  // r has a part along u, orthogonal to c = A u; and A maps that part to c again.
  for (const std::vector<T>& b : {std::vector<T>{1, 1}, {0, 1}, {-3, 2}, {1, 0}}) {
    const auto [result, x] = this->solve(System<T>{rotation<T>(), b}, options);

    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_NEAR(x[0], -b[1], 1e-4);
    EXPECT_NEAR(x[1], b[0], 1e-4);
  }
}

TYPED_TEST(GcrodrOn, SolvesWhatGmresSolvesAlsoWithDirectionsThatDoHarm) {
  using T = typename TypeParam::T;
  Random random(1);
  for (const Index n : {4, 6, 8}) {
    for (int k = 0; k < 20; ++k) {
      // Besides an odd number of images, a skew-symmetric matrix is singular.
      std::vector<Triplet<T>> triplets;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
          if (k % 2 == 1 && (j != i - 1 || i % 2 == 0)) continue;
          const T value = static_cast<T>(1.5 + signed_unit(random));
          triplets.push_back({i, j, value});
          triplets.push_back({j, i, -value});
        }
      }
      const Csr<T> a = from_triplets<T>(n, n, triplets);
      RecycledSpace kept;
      const SolveOptions options{.rtol = 1e-3, .restart = n, .recycled = &kept};
      for (std::uint64_t seed = 1; seed < 5; ++seed) {
        const auto result = this->solve(with_known_solution(a, seed), options).result;

        EXPECT_EQ(result.status, Status::converged) << n << " " << k << " " << seed << " " << result.message();
        EXPECT_LE(result.iterations, 3 * n);
      }
    }
  }
}

TYPED_TEST(GcrodrOn, GoesOnAsGmresWhereTheKeptDirectionsLeaveTheResidualAsItIs) {
  using T = typename TypeParam::T;
  for (const Index n : {4, 6, 8, 20}) {
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < n; i += 2) {
      triplets.push_back({i, i + 1, 1});
      triplets.push_back({i + 1, i, -1});
    }
    const Csr<T> a = from_triplets<T>(n, n, triplets);
    RecycledSpace kept;
    const SolveOptions options{.rtol = 1e-3, .max_iterations = 400, .restart = n / 2, .recycled = &kept};
    for (std::uint64_t seed = 1; seed < 13; ++seed) {
      const auto result = this->solve(with_known_solution(a, seed), options).result;

      EXPECT_EQ(result.status, Status::converged) << n << " " << seed << " " << result.message();
    }
  }
}

/// An operator whose first products are those of another matrix.
template <class Op>
class ChangesDuringTheSolve {
 public:
  using value_type = typename Op::value_type;
  ChangesDuringTheSolve(const Op& op, int last) : op_(op), last_(last) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    op_.apply(calls_++ <= last_ ? alpha * value_type(1.5) : alpha, x, beta, y);
  }

 private:
  const Op& op_;
  int last_;
  mutable int calls_ = 0;
};

TYPED_TEST(GcrodrOn, RenewsImagesThatTheRecomputedResidualContradicts) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(with_small_eigenvalues<T>(400, 4));
  const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-8, .restart = 12, .recycle = 4};
  const Operator op(this->space(), system.a);

  const auto plain = this->solve(system, options).result;
  const auto changed =
      run_with<Gcrodr>(this->space(), ChangesDuringTheSolve(op, 12), system, Identity{}, options).result;

  EXPECT_EQ(changed.status, Status::converged) << changed.message();
  EXPECT_GE(restarts(changed), 2) << "else nothing was tested";
  EXPECT_LE(changed.iterations, 1.5 * plain.iterations);
}

TYPED_TEST(GcrodrOn, TinySystemsMayBeSequencesToo) {
  using T = typename TypeParam::T;
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-5, .recycled = &kept};
  for (int k = 0; k < 3; ++k) {
    const auto none = this->solve(System<T>{from_triplets<T>(0, 0, {}), {}}, options).result;
    const auto one = this->solve(System<T>{dense<T>({{4}}), {8}}, options);
    const auto two = this->solve(System<T>{dense<T>({{2, 1}, {1, 3}}), {4, 7}}, options);

    EXPECT_EQ(none.status, Status::converged);
    EXPECT_EQ(one.result.status, Status::converged);
    EXPECT_NEAR(one.x[0], 2, 1e-5);
    EXPECT_EQ(two.result.status, Status::converged) << two.result.message();
    EXPECT_NEAR(two.x[0], 1, 1e-4);
    EXPECT_NEAR(two.x[1], 2, 1e-4);
  }
}

TYPED_TEST(GcrodrOn, SurvivesNumbersThatAreNotFiniteInASequence) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(with_small_eigenvalues<T>(400, 4));
  auto bad = system;
  bad.a.val[7] = std::numeric_limits<T>::quiet_NaN();
  RecycledSpace kept;
  const SolveOptions options{.rtol = 1e-4, .restart = 24, .recycled = &kept};
  this->solve(system, options);

  const auto spoilt = this->solve(bad, options).result, after = this->solve(system, options).result;

  EXPECT_EQ(spoilt.status, Status::not_finite);
  EXPECT_EQ(after.status, Status::converged) << after.message();
}

TYPED_TEST(GcrodrOn, SolvesANearlySingularSequence) {
  using T = typename TypeParam::T;
  auto a = with_small_eigenvalues<T>(200, 3);
  a.val[0] = is_single<T> ? T(1e-4) : T(1e-11);
  RecycledSpace kept;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const auto result =
        this->solve(with_known_solution(a, seed), {.rtol = 1e-4, .restart = 20, .recycled = &kept}).result;

    EXPECT_EQ(result.status, Status::converged) << result.message();
  }
}

TYPED_TEST(GcrodrOn, MemoryIsThatOfTheDirections) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));

  const auto small = this->solve(system, {.rtol = 1e-4, .restart = 20, .recycle = 2}).result;
  const auto large = this->solve(system, {.rtol = 1e-4, .restart = 30, .recycle = 7}).result;

  EXPECT_GE(large.workspace_bytes, small.workspace_bytes + (10 + 2 * 5) * 400 * sizeof(T));
  EXPECT_LE(large.workspace_bytes, small.workspace_bytes + (10 + 2 * 5) * 400 * sizeof(T) + 20000);
}

TYPED_TEST(GcrodrOn, VectorsStayWithinALimitOfMemory) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 30}));
  const std::size_t limit = 30 * 900 * sizeof(T);

  const auto result = this->solve(system, {.rtol = 1e-3, .mem_limit = limit}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LE(result.workspace_bytes, limit + 12 * 900 * sizeof(T));
  EXPECT_THROW(this->solve(system, {.mem_limit = limit, .restart = 24}), MemoryLimitError);
  EXPECT_NO_THROW(this->solve(system, {.rtol = 1e-3, .mem_limit = limit, .restart = 20, .recycle = 4}));
}

TYPED_TEST(GcrodrOn, RefusesWhatItCannotDo) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  struct Varying : UserDiagonal<Space, T> {
    using UserDiagonal<Space, T>::UserDiagonal;
    bool varies() const { return true; }
  };
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 5}));
  const Varying varying(this->space(), std::vector<T>(25, T{1}));

  EXPECT_EQ(message_of<ArgumentError>([&] { this->solve(system, {.restart = 10, .recycle = 10}); }),
            "gcrodr: recycle is 10; it has to be less than restart, 10");
  EXPECT_EQ(message_of<ArgumentError>([&] { this->solve(system, {.recycle = -1}); }),
            "SolveOptions: recycle is -1; it has to be at least 0");
  EXPECT_NE(message_of<ArgumentError>([&] { this->solve(system, {}, varying); }).find("use cg, gmres or bicgstab"),
            std::string::npos);
  EXPECT_EQ(this->solve(system, {.rtol = 1e-4, .restart = 1000000, .recycle = 999999}).result.status,
            Status::converged);
  EXPECT_EQ(this->solve(system, {.rtol = 1e-4, .recycle = 100}).result.status, Status::converged);
}

}  // namespace
}  // namespace ostinato::test
