// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/cg.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/dense/tridiagonal.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class CgOn : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    if (options.mixed != MixedPrecision::on) return solve_honestly<Cg>(this->space(), system, options, m);
    // By diagonals, which have mixed products; a GPU takes another format for small matrices.
    using Space = typename Case::Space;
    const Analysis<Space, T> analysis(this->space(), system.a);
    Solved<T> solved =
        run_with<Cg>(this->space(), Operator<Space, T>(analysis, FormatOptions{.format = "dia"}), system, m, options);
    expect_honest(solved, system, options);
    return solved;
  }
};

TYPED_TEST_SUITE(CgOn, EverySpace, SpaceNames);

bool has_note(const SolveResult& result, std::string_view words) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TYPED_TEST(CgOn, FollowsTheMethodByHand) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{4, 1}, {1, 3}}), {1, 2}, {2, 1}};

  const auto one = this->solve(system, {.rtol = 1e-5, .max_iterations = 1});
  const auto two = this->solve(system, {.rtol = 1e-5});

  // r0 = (-8, -3), alpha0 = 73 / 331, beta0 = 0.00884...
  EXPECT_NEAR(one.x[0], 2 - 8 * 73 / 331.0, 1e-5);
  EXPECT_NEAR(one.x[1], 1 - 3 * 73 / 331.0, 1e-5);
  EXPECT_NEAR(one.result.history[0], std::sqrt(73 / 5.0), 1e-5);
  EXPECT_EQ(two.result.iterations, 2);
  EXPECT_NEAR(two.x[0], 1 / 11.0, 1e-5);
  EXPECT_NEAR(two.x[1], 7 / 11.0, 1e-5);
}

// With vectors in float, x has to become as accurate as in double, in about as many iterations.
TYPED_TEST(CgOn, MixedPrecisionReachesWhatFullPrecisionReachesSlow) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "mixed precision is for double";
  const std::pair<const char*, GenerateOptions> cases[] = {{"poisson2d", {.n = 300}},
                                                           {"poisson3d", {.n = 33}},
                                                           {"variable2d", {.n = 97}},
                                                           {"variable3d", {.n = 21}},
                                                           {"anisotropic", {.n = 64, .anisotropy = 0.01}}};
  for (const auto& [family, options] : cases) {
    const Csr<T> a = generate<T>(family, options);
    const Multigrid m(this->space(), a, {.kind = MultigridKind::structured});
    const std::pair<double, double> scales_and_goals[] = {{1, 1e-4},     {1, 1e-8},    {1, 1e-11},
                                                          {1e-6, 1e-11}, {1e7, 1e-11}, {1e-200, 1e-11}};
    for (const auto& [scale, rtol] : scales_and_goals) {
      SCOPED_TRACE(std::string(family) + ", b of " + std::to_string(std::log10(scale)) + ", " + std::to_string(rtol));
      System<T> system = with_known_solution(a);  // smooth: float alone would leave a large residual
      for (T& v : system.b) v = static_cast<T>(v * scale);
      system.x0.assign(system.b.size(), T{0});
      const auto full = this->solve(system, {.rtol = rtol, .mixed = MixedPrecision::off}, m).result;
      const auto mixed = this->solve(system, {.rtol = rtol, .mixed = MixedPrecision::on}, m).result;
      ASSERT_EQ(full.status, Status::converged);
      EXPECT_EQ(mixed.status, Status::converged);
      EXPECT_LE(mixed.iterations, full.iterations + 2);
    }
  }
}

TYPED_TEST(CgOn, MixedPrecisionGoesOnInFullWhereFloatIsNotEnough) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "mixed precision is for double";
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 60}));
  const Multigrid m(this->space(), system.a, {.kind = MultigridKind::structured});
  const SolveOptions beyond{.rtol = 1e-17, .mixed = MixedPrecision::off};
  SolveOptions mixed = beyond;
  mixed.mixed = MixedPrecision::on;

  const auto full = this->solve(system, beyond, m).result, other = this->solve(system, mixed, m).result;

  EXPECT_EQ(other.status, full.status);
  EXPECT_EQ(other.at_precision_limit, full.at_precision_limit);
  EXPECT_LE(other.relative_residual, 4 * full.relative_residual);
}

// A recurrence in float then goes five digits far, although the way to the goal is endless.
TYPED_TEST(CgOn, MixedPrecisionTakesAGoalOfZero) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "mixed precision is for double";
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 60}));
  const Multigrid m(this->space(), system.a, {.kind = MultigridKind::structured});
  for (const double rtol : {0.0, 1e-320}) {
    const SolveOptions options{.rtol = rtol, .max_iterations = 4, .mixed = MixedPrecision::on};
    const auto result = this->solve(system, options, m).result;
    EXPECT_EQ(result.status, Status::iteration_limit);
    EXPECT_FALSE(has_note(result, "restarted"));
  }
}

// Without a solution the residual grows. In float it would go on growing slowly, without a breakdown.
TYPED_TEST(CgOn, MixedPrecisionEndsWhereThereIsNoSolution) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "mixed precision is for double";
  const Csr<T> a = generate<T>("poisson2d", {.n = 48, .periodic = true});  // singular
  const Multigrid m(this->space(), a, {.kind = MultigridKind::structured});
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE("b of seed " + std::to_string(seed));
    const System<T> system{a, random_vector<T>(a.rows, seed)};
    const auto ended = this->solve(system, {.mixed = MixedPrecision::on}, m).result;
    EXPECT_TRUE(ended.status == Status::breakdown || ended.status == Status::diverged) << ended.message();
    EXPECT_LE(ended.iterations, 200);

    const auto full = this->solve(system, {.divergence_limit = 2, .mixed = MixedPrecision::off}, m).result;
    const auto mixed = this->solve(system, {.divergence_limit = 2, .mixed = MixedPrecision::on}, m).result;
    EXPECT_EQ(full.status, Status::diverged);
    EXPECT_EQ(mixed.status, Status::diverged);
    EXPECT_LE(mixed.iterations, 2 * full.iterations + 1) << "in float, and from the best x once more in double";
  }
}

TYPED_TEST(CgOn, MixedPrecisionSaysWhereItHasNoEffect) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));
  const Jacobi m(this->space(), system.a);

  const auto result = this->solve(system, {.rtol = attainable<T>(), .mixed = MixedPrecision::on}, m).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(has_note(result, is_single<T>
                                   ? "mixed = on had no effect: the system is in single precision"
                                   : "mixed = on had no effect with jacobi: A or M doesn't take vectors in float"));
}

TYPED_TEST(CgOn, MixedPrecisionIsNotedWhereItRan) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "mixed precision is for double";
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 60}));
  const Multigrid m(this->space(), system.a, {.kind = MultigridKind::structured});
  const auto solved = [&](double rtol, int most) {
    return this->solve(system, {.rtol = rtol, .max_iterations = most, .mixed = MixedPrecision::on}, m).result;
  };

  EXPECT_TRUE(has_note(solved(1e-8, 100), "cg kept r, p, q and z in single precision, x in double"));
  EXPECT_FALSE(has_note(solved(1e-8, 100), "went on in double"));
  EXPECT_TRUE(has_note(solved(1e-17, 100), "and then went on in double precision"));
  EXPECT_FALSE(has_note(solved(1e-8, 0), "cg kept"));
  std::fill(system.b.begin(), system.b.end(), T{0});
  EXPECT_TRUE(solved(1e-8, 100).notes.empty());
}

/// An operator of a user with mixed products.
struct UsersMatrix {
  using value_type = double;
  Csr<double> a;

  Index rows() const { return a.rows; }
  Index cols() const { return a.cols; }
  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = alpha * row(x, i) + (beta == 0 ? 0 : beta * y[i]);
  }
  const LinearMap<Host, float>* lower() const { return &low; }

  struct Lower : LinearMap<Host, float> {
    const UsersMatrix& of;
    explicit Lower(const UsersMatrix& m)
        : LinearMap(Host(), static_cast<std::size_t>(m.a.rows), static_cast<std::size_t>(m.a.cols)), of(m) {}
    void apply(float alpha, Block<const float> x, float beta, Block<float> y) const override {
      const auto from = x.column(0);
      const auto to = y.column(0);
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<float>(alpha * of.row(from, i) + (beta == 0 ? 0.0 : double{beta} * double{to[i]}));
    }
  };
  Lower low{*this};

 private:
  template <class V>
  double row(std::span<const V> x, std::size_t i) const {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      sum += a.val[k] * static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
    return sum;
  }
};

/// A preconditioner of a user: z = r / 4.
template <class T>
struct UsersQuarter : PreconditionerBase<Host, T> {
  UsersQuarter() : PreconditionerBase<Host, T>(Host()) {}
  void apply(Block<const T> r, Block<T> z) const override {
    for (std::size_t i = 0; i < r.rows; ++i) z.data[i] = r.data[i] / 4;
  }
  const PreconditionerBase<Host, float>* lower() const override {
    if constexpr (std::is_same_v<T, double>) return &low;
    return nullptr;
  }

  std::conditional_t<std::is_same_v<T, double>, UsersQuarter<float>, int> low{};
};

TEST(CgMixed, ScalesTheRightHandSideIntoTheRangeOfFloat) {
  const auto system = with_known_solution(generate<double>("poisson2d", {.n = 30}));
  const UsersMatrix a{.a = system.a};
  for (const double scale : {1.0, 1e-30, 1e-40, 1e-45, 1e30, 1e40}) {
    SCOPED_TRACE(scale);
    std::vector<double> b = system.b, x(b.size());
    for (double& v : b) v *= scale;
    const SolveResult result = cg(Host(), a, b, x, UsersQuarter<double>(), {.mixed = MixedPrecision::on});
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_LE(result.iterations, 200);
  }
}

TEST(CgOnCuda, RefusesVectorsInHostMemory) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  const Cuda space;
  const Operator a(space, generate<double>("poisson2d", {.n = 4}));
  std::vector<double> b(16, 1.0), x(16, 0.0);

  EXPECT_THROW(cg(space, a, b, x), DeviceError);
}

TYPED_TEST(CgOn, NeedsAsManyStepsAsThereAreEigenvalues) {
  using T = typename TypeParam::T;
  std::vector<T> d(200);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = T{1} + static_cast<T>(i % 4);

  const auto result = this->solve(with_known_solution(diagonal_matrix(d)), {.rtol = 1e-5}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(result.iterations, 4);
}

TYPED_TEST(CgOn, SolvesEverySymmetricDefiniteFamily) {
  using T = typename TypeParam::T;
  for (const char* family : {"poisson2d", "poisson3d", "anisotropic", "variable2d", "variable3d", "fem27"}) {
    SCOPED_TRACE(family);
    const Index n = std::string(family).find("2d") != std::string::npos ? 40 : 12;
    const auto system = with_known_solution(generate<T>(family, {.n = n, .anisotropy = 0.1}));
    const Jacobi m(this->space(), system.a);

    const auto plain = this->solve(system, {.rtol = attainable<T>()});
    const auto with = this->solve(system, {.rtol = attainable<T>()}, m);

    EXPECT_EQ(plain.result.status, Status::converged);
    EXPECT_EQ(with.result.status, Status::converged);
    EXPECT_GT(plain.result.iterations, 1);
  }
}

TYPED_TEST(CgOn, JacobiUndoesBadScaling) {
  using T = typename TypeParam::T;
  auto system = with_known_solution(generate<T>("poisson2d", {.n = 30}));
  std::vector<Triplet<T>> scaled;
  const auto factor = [](Index i) { return std::ldexp(T{1}, i % 6); };
  for (Index i = 0; i < system.a.rows; ++i) {
    for (auto k = system.a.row_ptr[i]; k < system.a.row_ptr[i + 1]; ++k)
      scaled.push_back({i, system.a.col[k], factor(i) * system.a.val[k] * factor(system.a.col[k])});
  }
  system = with_known_solution(from_triplets<T>(system.a.rows, system.a.cols, scaled));
  const Jacobi m(this->space(), system.a);

  const auto plain = this->solve(system, {.rtol = 1e-4}), with = this->solve(system, {.rtol = 1e-4}, m);

  EXPECT_EQ(with.result.status, Status::converged);
  EXPECT_LT(2 * with.result.iterations, plain.result.iterations);
}

TYPED_TEST(CgOn, FallsToTheGoalAndNotBefore) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 30}));

  const auto result = this->solve(system, {.rtol = 1e-4}).result;

  EXPECT_LE(result.history.back(), 1e-4);
  for (std::size_t k = 0; k + 1 < result.history.size(); ++k) EXPECT_GT(result.history[k], 1e-4) << k;
}

TYPED_TEST(CgOn, SeesAnIndefinitePreconditioner) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 10}));
  const UserDiagonal<typename TypeParam::Space, T> negative(this->space(), std::vector<T>(100, T{-1}));

  const auto [result, x] = this->solve(system, {}, negative);

  EXPECT_EQ(result.status, Status::breakdown);
  EXPECT_EQ(x, system.x0);
}

/// A few steps of CG, which isn't a linear function of r.
template <class Space, class T>
class InnerCg {
 public:
  InnerCg(const Space& space, const Operator<Space, T>& a, bool varies) : space_(space), a_(a), varies_(varies) {}
  void apply(std::span<const T> r, std::span<T> z) const {
    space_.zero(z.data(), z.size_bytes());
    cg(space_, a_, r, z, {.rtol = 0.3, .max_iterations = 60});
  }
  bool varies() const { return varies_; }

 private:
  Space space_;
  const Operator<Space, T>& a_;
  bool varies_;
};

TYPED_TEST(CgOn, BearsAPreconditionerThatSaysThatItVaries) {
  using T = typename TypeParam::T;
  using M = InnerCg<typename TypeParam::Space, T>;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const Operator a(this->space(), system.a);
  const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-8};

  const auto flexible = this->solve(system, options, M(this->space(), a, true));
  const auto unaware = this->solve(system, options, M(this->space(), a, false));

  EXPECT_EQ(flexible.result.status, Status::converged) << flexible.result.message();
  EXPECT_LT(2 * flexible.result.iterations, unaware.result.iterations) << "it can't have varied";
}

/// Jacobi that says that it varies, though it doesn't.
template <class Space, class T>
struct Anxious : Jacobi<Space, T> {
  using Jacobi<Space, T>::Jacobi;
  bool varies() const { return true; }
};

TYPED_TEST(CgOn, IsTheSameForAPreconditionerThatOnlySaysThatItVaries) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 30}));
  const SolveOptions options{.rtol = 1e-4};

  const auto fixed = this->solve(system, options, Jacobi<Space, T>(this->space(), system.a));
  const auto anxious = this->solve(system, options, Anxious<Space, T>(this->space(), system.a));

  EXPECT_EQ(anxious.result.status, Status::converged) << anxious.result.message();
  EXPECT_NEAR(anxious.result.iterations, fixed.result.iterations, 1);
}

/// The last matrix of the Lanczos process that a callback was shown, and how often none was shown.
struct LanczosRecord {
  Tridiagonal last;
  int calls = 0, without = 0;

  SolveOptions options(double rtol) {
    return {.rtol = rtol, .callback = [this](const Iteration& now) {
              ++calls;
              without += now.lanczos == nullptr;
              if (now.lanczos == nullptr) return true;
              EXPECT_EQ(now.lanczos->diagonal.size(), static_cast<std::size_t>(std::min(now.number, 256)));
              EXPECT_EQ(now.lanczos->beside.size(), now.lanczos->diagonal.size());
              last = *now.lanczos;
              return true;
            }};
  }
};

TYPED_TEST(CgOn, ShowsTheEigenvaluesToTheCallback) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  constexpr Index n = 12;
  for (const T sign : {T{1}, T{-1}}) {
    auto system = with_known_solution(generate<T>("poisson2d", {.n = n}));
    for (T& v : system.a.val) v *= sign;
    system = with_known_solution(system.a);
    const Jacobi<Space, T> m(this->space(), system.a);
    LanczosRecord record;

    const auto result = this->solve(system, record.options(1e-5), m).result;

    EXPECT_EQ(result.status, Status::converged);
    EXPECT_GT(record.calls, 0);
    EXPECT_EQ(record.without, 0);
    ASSERT_GE(record.last.diagonal.size(), 10u);
    // Of D^-1 A: 1 - (cos(i h) + cos(j h)) / 2, with h = pi / (n + 1).
    const double extreme = std::cos(std::numbers::pi / (n + 1));
    EXPECT_NEAR(eigenvalue(record.last, 0), 1 - extreme, 1e-3);
    EXPECT_NEAR(eigenvalue(record.last, record.last.diagonal.size() - 1), 1 + extreme, 1e-3);
  }
}

TYPED_TEST(CgOn, ShowsTheEigenvaluesWithoutAPreconditionerAndInLongBlocks) {
  using T = typename TypeParam::T;
  constexpr Index n = 12;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = n}));
  for (const int every : {0, 1, 7, 64}) {
    LanczosRecord record;
    SolveOptions options = record.options(1e-5);
    options.check_every = every;

    EXPECT_EQ(this->solve(system, options).result.status, Status::converged);
    ASSERT_GE(record.last.diagonal.size(), 10u) << every;
    // Of A: 4 - 2 cos(i h) - 2 cos(j h).
    const double extreme = 4 * std::cos(std::numbers::pi / (n + 1));
    EXPECT_NEAR(eigenvalue(record.last, 0), 4 - extreme, 4e-3) << every;
    EXPECT_NEAR(eigenvalue(record.last, record.last.diagonal.size() - 1), 4 + extreme, 4e-3) << every;
  }
}

TYPED_TEST(CgOn, ShowsTheEigenvaluesOfTheFirstIterations) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("anisotropic", {.n = 120, .anisotropy = 1e-2}));
  LanczosRecord record;
  SolveOptions options = record.options(0);
  options.max_iterations = 300;

  const auto result = this->solve(system, options).result;

  EXPECT_EQ(result.iterations, 300);
  EXPECT_EQ(record.last.diagonal.size(), 256u);
  EXPECT_GT(eigenvalue(record.last, 0), 0);
  EXPECT_LT(eigenvalue(record.last, 255), 4 * 1.01 + 1e-3) << "at most twice the diagonal";
}

TYPED_TEST(CgOn, ShowsNoEigenvaluesWherePreconditionersVary) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 30}));
  LanczosRecord record;

  (void)this->solve(system, record.options(1e-4), Anxious<typename TypeParam::Space, T>(this->space(), system.a));

  EXPECT_GT(record.calls, 0);
  EXPECT_EQ(record.without, record.calls);
}

TYPED_TEST(CgOn, GoesOnFromTheTruthWhenTheRecurrenceHasDrifted) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 60}));

  const auto result = this->solve(system, {.rtol = 3 * std::numeric_limits<T>::epsilon()}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_GE(restarts(result), 1);
}

}  // namespace
}  // namespace ostinato::test
