// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/level_smoother.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

// Preconditioners as smoothers of algebraic multigrid: smoother=fsai, ilu0 and ic0.

namespace ostinato::test {
namespace {

constexpr std::array smoothers = {Smoother::fsai, Smoother::ilu0, Smoother::ic0};
constexpr std::array kinds = {MultigridKind::classical, MultigridKind::aggregation, MultigridKind::pairwise,
                              MultigridKind::plain};

void expect_refusal(auto f, const std::string& text) {
  const std::string message = message_of<ArgumentError>(f);
  EXPECT_NE(message.find(text), std::string::npos) << message;
}

/// ilu0 isn't symmetric.
std::string solver_for(Smoother smoother) { return smoother == Smoother::ilu0 ? "gmres" : "cg"; }

template <class Case>
class LevelSmootherOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  static constexpr double rtol = sizeof(Value) == 4 ? 1e-4 : 1e-8;

  Analysis<Home, Value> analysed(const Csr<Value>& a) const { return Analysis<Home, Value>(this->space(), a); }

  /// Iterations for a random solution; the residual is computed again.
  template <class M>
  int iterations(const Csr<Value>& a, const M& m, const std::string& solver) const {
    const Operator<Home, Value> op(analysed(a));
    const auto system = with_known_solution(a);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    const SolveResult result =
        ostinato::solve(this->space(), op, b, x, m, solver, {.rtol = rtol, .max_iterations = 300});
    const ReferenceResidual end = reference_residual(a.view(), x.download(), system.b);
    EXPECT_TRUE(result) << result.message();
    EXPECT_LE(end.norm, rtol * end.b_norm * 1.0001L);
    return result.iterations;
  }
  int iterations(const Csr<Value>& a, const MultigridOptions& options) const {
    const std::string solver = options.smoother ? solver_for(*options.smoother) : "cg";
    return iterations(a, Multigrid<Home, Value>(analysed(a), options), solver);
  }

  static bool is_rough(Smoother smoother) { return smoother == Smoother::fsai; }

  std::vector<Value> apply(const Multigrid<Home, Value>& m, const std::vector<Value>& r) const {
    const auto on_space = this->put(r);
    auto z = this->put(std::vector<Value>(r.size()));
    m.apply(on_space, z);
    return z.download();
  }
};

TYPED_TEST_SUITE(LevelSmootherOn, EverySpace, SpaceNames);

/// One sweep smooths at least as well as one of Jacobi. fsai is damped more.
TYPED_TEST(LevelSmootherOn, SolvesInNoMoreIterationsThanJacobi) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : {generate<T>("mesh3d", {.n = 9}), renumbered(generate<T>("anisotropic", {.n = 40})),
                          times(generate<T>("mesh2d", {.n = 30}), -3)}) {
    for (const MultigridKind kind : kinds) {
      const int jacobi = this->iterations(a, {.kind = kind, .sweeps = 1, .smoother = Smoother::jacobi});
      for (const Smoother smoother : smoothers)
        EXPECT_LE(this->iterations(a, {.kind = kind, .smoother = smoother}),
                  jacobi + (this->is_rough(smoother) ? 1 : 0))
            << static_cast<int>(kind) << ' ' << static_cast<int>(smoother);
    }
  }
}

TYPED_TEST(LevelSmootherOn, IsSymmetricAndPositiveButForIlu0) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(1500, 3, 2, 0.1, 1);
  const auto u = random_vector<T>(a.rows, 1), v = random_vector<T>(a.rows, 2);
  for (const Smoother smoother : smoothers) {
    const Multigrid m(this->space(), a, {.kind = MultigridKind::classical, .smoother = smoother});
    EXPECT_EQ(m.symmetric(), smoother != Smoother::ilu0);
    if (!m.symmetric()) continue;
    const auto mu = this->apply(m, u), mv = this->apply(m, v);
    EXPECT_NEAR(dot_of(u, mv), dot_of(v, mu), 1e-5 * std::sqrt(dot_of(u, mu) * dot_of(v, mv)));
    EXPECT_GT(dot_of(u, mu), 0);
    EXPECT_GT(dot_of(v, mv), 0);
  }
}

/// A stiff structure, which a diagonal hardly smooths.
TYPED_TEST(LevelSmootherOn, FactorsHelpWhereADiagonalDoesnt) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(elasticity<T>({6, 6, 6}, false));
  const int usual = this->iterations(a, {.kind = MultigridKind::aggregation});
  const int with_ic0 = this->iterations(a, {.kind = MultigridKind::aggregation, .smoother = Smoother::ic0});
  EXPECT_LE(with_ic0, TypeParam::Space::has_streams ? usual : usual - 1);
  EXPECT_LE(this->iterations(a, {.kind = MultigridKind::aggregation, .smoother = Smoother::fsai}), usual);
}

TYPED_TEST(LevelSmootherOn, SolvesWhereAIsNotSymmetric) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("convection-diffusion2d", {.n = 40}));
  for (const char* solver : {"gmres", "bicgstab"}) {
    const auto with = [&](Smoother s, int sweeps) {
      const MultigridOptions options{.kind = MultigridKind::classical, .sweeps = sweeps, .smoother = s};
      return this->iterations(a, Multigrid(this->space(), a, options), solver);
    };
    EXPECT_LE(with(Smoother::ilu0, 0), with(Smoother::jacobi, 1)) << solver;
  }
  const auto with = [&](Smoother smoother) {
    return Multigrid(this->space(), a, {.kind = MultigridKind::classical, .smoother = smoother});
  };
  expect_refusal([&] { with(Smoother::ic0); }, "grid 1 can't be smoothed: ic0");
  expect_refusal([&] { with(Smoother::fsai); }, "grid 1 can't be smoothed: fsai");
}

/// S A S for a diagonal S of 10^-4 .. 10^4.
template <class T>
Csr<T> scaled_at_random(Csr<T> a) {
  Random random(7);
  std::vector<double> scale(static_cast<std::size_t>(a.rows));
  for (double& s : scale) s = std::pow(10, 4 * signed_unit(random));
  for (std::size_t i = 0; i < scale.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] = static_cast<T>(a.val[k] * scale[i] * scale[static_cast<std::size_t>(a.col[k])]);
  }
  return a;
}

/// The estimate of the largest eigenvalue is that of the matrix without the scales, so that M stays definite.
TYPED_TEST(LevelSmootherOn, BearsABadlyScaledDiagonal) {
  using Space = typename TypeParam::Space;
  const Csr<double> whole = elasticity<double>({7, 6, 5}, false);
  for (const Smoother smoother : {Smoother::fsai, Smoother::ic0}) {
    const auto largest = [&](const Csr<double>& of) {
      Csr<float> a{of.rows, of.cols, of.row_ptr, of.col, Array<float>(of.val.size())};
      for (std::size_t k = 0; k < of.val.size(); ++k) a.val[k] = static_cast<float>(of.val[k]);
      std::vector<float> inverse;
      for (Index i = 0; i < a.rows; ++i) {
        for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
          if (a.col[static_cast<std::size_t>(k)] == i) inverse.push_back(1 / a.val[static_cast<std::size_t>(k)]);
      }
      const Analysis<Space, float> analysis(this->space(), a);
      const Operator<Space, float> op(analysis);
      const Vector<Space, float> on_space(this->space(), std::span<const float>(inverse));
      const algebraic::LevelSmoother<Space> made(smoother, {op, analysis, on_space, true}, {},
                                                 MemoryBudget(this->space(), "multigrid"));
      return made.largest();
    };
    EXPECT_NEAR(largest(scaled_at_random(whole)), largest(whole), 0.1 * largest(whole)) << static_cast<int>(smoother);
  }
}

/// A row of rounding, here of a negative one, is left out: what it holds changes nothing elsewhere.
TYPED_TEST(LevelSmootherOn, LeavesOutRowsOfRounding) {
  using Space = typename TypeParam::Space;
  Csr<float> a = graph_laplacian<float>(300, 3, 1, 0.5, 1);
  std::vector<float> inverse(300);
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      if (a.col[k] != static_cast<Index>(i)) continue;
      const bool is_rounding = i == 7 || i == 100 || i == 299;
      if (is_rounding) a.val[k] = -1e-7f;
      inverse[i] = is_rounding ? 0 : 1 / a.val[k];
    }
  }
  const Analysis<Space, float> analysis(this->space(), a);
  const Operator<Space, float> op(analysis);
  const Vector<Space, float> on_space(this->space(), std::span<const float>(inverse));
  for (const Smoother smoother : smoothers) {
    const algebraic::LevelSmoother<Space> m(smoother, {op, analysis, on_space, true}, {},
                                            MemoryBudget(this->space(), "multigrid"));
    EXPECT_GT(m.largest(), 0.5);
    EXPECT_LT(m.largest(), 3);
    const auto applied = [&](const std::vector<float>& r) {
      const auto v = this->put(r);
      auto z = this->put(std::vector<float>(r.size()));
      m.apply(v, z);
      std::vector<float> made = z.download();
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = inverse[i] == 0 ? 0 : made[i];
      return made;
    };
    auto r = random_vector<float>(a.rows, 1);
    const auto before = applied(r);
    r[7] = r[100] = r[299] = 1e6f;
    EXPECT_TRUE(same_bits(applied(r), before)) << static_cast<int>(smoother);
  }
}

/// Substitution multiplies by entries that are huge beside the diagonal.
TYPED_TEST(LevelSmootherOn, RefusesWhatOverflows) {
  using Space = typename TypeParam::Space;
  if (Space::has_streams) GTEST_SKIP() << "factors made on a GPU aren't refused for their growth";
  std::vector<Triplet<float>> entries;
  constexpr Index n = 60;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 1});
    if (i > 0) entries.push_back({i, i - 1, 1e30f});
  }
  const Csr<float> a = from_triplets<float>(n, n, entries);
  const Analysis<Space, float> analysis(this->space(), a);
  const Operator<Space, float> op(analysis);
  const auto inverse = this->put(std::vector<float>(n, 1));
  expect_refusal(
      [&] {
        algebraic::LevelSmoother<Space>(Smoother::ilu0, {op, analysis, inverse, false}, {},
                                        MemoryBudget(this->space(), "multigrid"));
      },
      "M^-1 r leaves the range");
}

/// New values make the smoothers anew; those before come back after values that multigrid refuses.
TYPED_TEST(LevelSmootherOn, TakesNewValues) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("mesh3d", {.n = 9});
  Csr<T> c = a;
  for (Index i = 0; i < c.rows; ++i) {
    for (Offset k = c.row_ptr[static_cast<std::size_t>(i)]; k < c.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      if (c.col[static_cast<std::size_t>(k)] == i) c.val[static_cast<std::size_t>(k)] *= T(1.1);
    }
  }
  const auto r = random_vector<T>(a.rows, 3);
  for (const MultigridReuse reuse : {MultigridReuse::none, MultigridReuse::interpolation}) {
    for (const Smoother smoother : smoothers) {
      const MultigridOptions options{.kind = MultigridKind::classical, .smoother = smoother, .reuse = reuse};
      Multigrid m(this->space(), a, options);
      const auto before = this->apply(m, r);
      m.update_values(this->analysed(c));
      EXPECT_EQ(m.reused(), reuse != MultigridReuse::none);
      EXPECT_LE(this->iterations(c, m, solver_for(smoother)),
                this->iterations(c, Multigrid(this->space(), c, options), solver_for(smoother)) + 1);
      if (reuse == MultigridReuse::none) continue;
      Csr<T> refused = a;
      for (T& v : refused.val) v = 1;
      EXPECT_THROW(m.update_values(this->analysed(refused)), ArgumentError);
      m.update_values(this->analysed(a));
      EXPECT_TRUE(same_bits(this->apply(m, r), before)) << static_cast<int>(smoother);
    }
  }
}

TYPED_TEST(LevelSmootherOn, SolvesSingularSystems) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(1200, 3, 1, 0, 1);
  EXPECT_LE(this->iterations(a, {.kind = MultigridKind::classical, .smoother = Smoother::ic0}), 25);
}

/// A grid in the matrix leaves a smoother that was asked for alone.
TYPED_TEST(LevelSmootherOn, TakesTheGridFromNobodyWhoAsked) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 40});
  const Multigrid asked(this->space(), a, {.smoother = Smoother::ic0});
  EXPECT_EQ(asked.levels().front().grid, "1600 rows");
  const Multigrid usual(this->space(), a);
  EXPECT_NE(usual.levels().front().grid, "1600 rows");
}

TYPED_TEST(LevelSmootherOn, RefusesWhatIsForGrids) {
  using T = typename TypeParam::T;
  using M = Multigrid<typename TypeParam::Space, T>;
  const Csr<T> a = generate<T>("poisson2d", {.n = 20});
  const auto with = [&](MultigridOptions options) { M(this->space(), a, options); };
  expect_refusal([&] { with({.kind = MultigridKind::structured, .smoother = Smoother::ilu0}); },
                 "smoother=ilu0 is for other kinds than kind=structured");
  EXPECT_THROW(M::parse_options("kind=structured,smoother=ilu0"), ArgumentError);
  EXPECT_EQ(M::parse_options("smoother=fsai").smoother, Smoother::fsai);
}

TYPED_TEST(LevelSmootherOn, CountsItsMemory) {
  using T = typename TypeParam::T;
  using M = Multigrid<typename TypeParam::Space, T>;
  const Csr<T> a = generate<T>("mesh3d", {.n = 9});
  const std::size_t usual = M(this->space(), a, {.kind = MultigridKind::classical}).bytes();
  for (const Smoother smoother : smoothers) {
    const MultigridOptions options{.kind = MultigridKind::classical, .smoother = smoother};
    const std::size_t bytes = M(this->space(), a, options).bytes();
    EXPECT_GT(bytes, usual + static_cast<std::size_t>(a.rows) * 2 * sizeof(float));
    const auto within = [&](std::size_t limit) {
      M(this->analysed(a), options, {}, MemoryBudget(this->space(), "multigrid", limit));
    };
    EXPECT_NO_THROW(within(bytes));
    EXPECT_THROW(within(usual / 2), MemoryLimitError);
    // With less, the finest level is coarsened twice at once.
    const M less(this->analysed(a), options, {}, MemoryBudget(this->space(), "multigrid", bytes - 1));
    EXPECT_LT(less.bytes(), bytes);
  }
}

}  // namespace
}  // namespace ostinato::test
