// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "preconditioners/multigrid/multigrid_suite.hpp"
#include "support/grids.hpp"
#include "support/preconditioning.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MultigridOn : public MultigridSuite<Case> {
 protected:
  using typename MultigridSuite<Case>::Home, typename MultigridSuite<Case>::Value;

  /// Solves for a random right-hand side, and recomputes the residual.
  SolveResult solve(const Csr<Value>& a, const std::string& solver, double scale = 1) const {
    const Analysis<Home, Value> analysis(this->space(), a);
    const Operator<Home, Value> op(analysis);
    const Multigrid<Home, Value> m(analysis);
    return solve_with(op, m, a, solver, scale);
  }

  template <class Op, class M>
  SolveResult solve_with(const Op& op, const M& m, const Csr<Value>& a, const std::string& solver,
                         double scale = 1) const {
    std::vector<Value> b = random_vector<Value>(a.rows, 7);
    for (Value& v : b) v *= static_cast<Value>(scale);
    const auto db = this->put(b);
    auto x = this->put(std::vector<Value>(b.size()));
    const double goal = sizeof(Value) == 4 ? 1e-5 : 1e-8;
    const SolveResult result =
        ostinato::solve(this->space(), op, db, x, m, solver, {.rtol = goal, .max_iterations = 100});
    const ReferenceResidual end = reference_residual(a.view(), x.download(), b);
    EXPECT_TRUE(!result || end.norm <= goal * end.b_norm * 1.0001L);
    return result;
  }

  /// The same with CG for a right-hand side in the range of a singular A, whose rows and columns add up to 0. In float,
  /// the rounding of b alone is outside of the range.
  SolveResult solve_up_to_constants(const Csr<Value>& a) const {
    std::vector<Value> b = random_vector<Value>(a.rows, 3);
    double mean = 0;
    for (const Value v : b) mean += static_cast<double>(v) / static_cast<double>(b.size());
    for (Value& v : b) v -= static_cast<Value>(mean);
    const Analysis<Home, Value> analysis(this->space(), a);
    const Operator<Home, Value> op(analysis);
    const Multigrid<Home, Value> m(analysis);
    const auto db = this->put(b);
    auto x = this->put(std::vector<Value>(b.size()));
    const SolveResult result = cg(this->space(), op, db, x, m, {.rtol = this->rtol, .max_iterations = 100});
    const ReferenceResidual end = reference_residual(a.view(), x.download(), b);
    EXPECT_TRUE(!result || end.norm <= this->rtol * end.b_norm * 1.0001L);
    return result;
  }
};

TYPED_TEST_SUITE(MultigridOn, EverySpace, SpaceNames);

TYPED_TEST(MultigridOn, IsSymmetricAndPositive) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{97}, Extents{20, 13}, Extents{8, 9, 10}, Extents{16, 16, 4}}) {
    for (const double size : {0.0, 2.0}) {
      const Csr<T> a = grid_matrix<T>(e, varied(e, true, size));
      SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z));
      this->expect_symmetric_and_positive(Multigrid(this->space(), a), a.rows);
    }
  }
}

/// Asks to stop from the look after `looks` others on.
struct StopAfter {
  int looks;
  int* seen;
  bool stop_requested() const { return ++*seen > looks; }
};

TYPED_TEST(MultigridOn, EndsWithinALevelAfterAStopIsRequested) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = grid_matrix<T>({40, 33}, varied({40, 33}, true, 1.0));
  const Analysis<Space, T> analysis(this->space(), a);
  const MultigridOptions options{.kind = MultigridKind::structured};
  const MemoryBudget memory(this->space(), "multigrid");
  for (const int looks : {0, 1, 2}) {
    int seen = 0;
    EXPECT_THROW((Multigrid<Space, T>(analysis, options, StopAfter{looks, &seen}, memory)), Stopped);
    EXPECT_EQ(seen, looks + 1);
  }
  int seen = 0;
  const Multigrid<Space, T> whole(analysis, options, StopAfter{1000, &seen}, memory);
  EXPECT_GE(seen, static_cast<int>(whole.levels().size())) << "a look a level at least";
}

/// Shapes of grids: larger than a tile of the passes, smaller, odd and even, and so thin that a tile has a side alone.
const std::vector<Extents> grids_of_all_shapes = {{100},        {300},        {7, 6},      {70, 41},     {64, 16},
                                                  {65, 17},     {129, 200},   {300, 5},    {20, 19, 18}, {66, 18, 9},
                                                  {64, 16, 32}, {40, 33, 70}, {7, 70, 35}, {130, 36, 37}};

TYPED_TEST(MultigridOn, GivesOnAGpuWhatHostGives) {
  using T = typename TypeParam::T;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "Host is what is compared with";
  const Host host;
  for (const Extents& e : grids_of_all_shapes) {
    for (const double size : {0.0, 1.0}) {
      for (const bool star : {true, false}) {
        const Coupling symmetric = varied(e, star, size);
        const Coupling upwind = [&](Index x, Index y, Index z, int dx, int dy, int dz) {
          return symmetric(x, y, z, dx, dy, dz) * (dx < 0 ? 1.002 : 1);
        };
        for (const Coupling& coupling : {symmetric, upwind}) {
          const Csr<T> a = grid_matrix<T>(e, coupling);
          const Multigrid here(this->space(), a, {.sweeps = 1});
          const Multigrid there(host, a, {.sweeps = 1});
          const auto r = random_vector<T>(a.rows, 5);
          std::vector<T> expected(r.size());
          there.apply(r, expected);
          const auto z = this->apply(here, r);
          double largest = 0, error = 0;
          for (std::size_t i = 0; i < r.size(); ++i) {
            largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
            error = std::max(error, static_cast<double>(std::abs(z[i] - expected[i])));
          }
          EXPECT_LE(error, 5e-5 * largest)
              << e.x << " x " << e.y << " x " << e.z << " size " << size << " star " << star;
          EXPECT_NEAR(here.rate(), there.rate(), 1e-3);
        }
      }
    }
  }
}

TYPED_TEST(MultigridOn, ShrinksAnErrorOnGridsOfAllShapes) {
  using T = typename TypeParam::T;
  for (const Extents& e : grids_of_all_shapes) {
    for (const bool star : {true, false}) {
      const Csr<T> a = grid_matrix<T>(e, varied(e, star, 1.0));
      const Multigrid m(this->space(), a, {.sweeps = 1});
      EXPECT_LT(m.rate(), 0.9) << e.x << " x " << e.y << " x " << e.z << " star " << star;
      for (const T z : this->apply(m, random_vector<T>(a.rows, 5))) ASSERT_TRUE(std::isfinite(z));
    }
  }
}

TYPED_TEST(MultigridOn, IterationsDoNotGrowWithTheGrid) {
  using T = typename TypeParam::T;
  for (const Index n : {16, 31, 32, 33}) {
    const SolveResult r = this->solve(generate<T>("poisson3d", {.n = n}), "cg");
    EXPECT_TRUE(r) << r.message();
    EXPECT_LE(r.iterations, 12) << n;
  }
  for (const Index n : {15, 64, 127, 200}) {
    const SolveResult r = this->solve(generate<T>("poisson2d", {.n = n}), "cg");
    EXPECT_TRUE(r) << r.message();
    EXPECT_LE(r.iterations, 10) << n;
  }
}

TYPED_TEST(MultigridOn, SolvesVariableAnisotropicAndFullStencils) {
  using T = typename TypeParam::T;
  const auto iterations = [&](const Csr<T>& a) {
    const SolveResult r = this->solve(a, "cg");
    EXPECT_TRUE(r) << r.message();
    return r.iterations;
  };
  EXPECT_LE(iterations(generate<T>("variable3d", {.n = 24})), 13);
  EXPECT_LE(iterations(generate<T>("variable2d", {.n = 100})), 12);
  EXPECT_LE(iterations(generate<T>("anisotropic", {.n = 100, .anisotropy = 1e-3})), 16);
  EXPECT_LE(iterations(generate<T>("anisotropic", {.n = 100, .anisotropy = 1e3})), 16);
  EXPECT_LE(iterations(generate<T>("fem27", {.n = 16})), 11);
  const Extents e{40, 17, 9}, line{is_single<T> ? 20 : 1000};  // in float, a long line is at the limit of precision
  EXPECT_LE(iterations(grid_matrix<T>(e, varied(e, false, 2))), 16);
  EXPECT_LE(iterations(grid_matrix<T>(line, varied(line, true, 2))), 12);
}

// On a GPU, large grids are worked on by columns of several points.
TYPED_TEST(MultigridOn, SlowSolvesOnLargeGrids) {
  using T = typename TypeParam::T;
  for (const auto& [family, n] :
       {std::pair{"poisson3d", 105}, {"variable3d", 105}, {"poisson2d", 1050}, {"variable2d", 1051}}) {
    const SolveResult r = this->solve(generate<T>(family, {.n = n}), "cg");
    EXPECT_TRUE(r || is_single<T>) << r.message();  // single precision may end at its limit here
    EXPECT_LE(r.iterations, 12) << family;
  }
}

TYPED_TEST(MultigridOn, TakesNoMoreIterationsByPointThanByClass) {
  using T = typename TypeParam::T;
  const Csr<T> constant = generate<T>("poisson3d", {.n = 20});
  Csr<T> varied = constant;
  varied.val[varied.val.size() / 2] *= T{1} + T{1} / 8192;
  const int iterations = this->solve(constant, "cg").iterations;
  EXPECT_EQ(Multigrid(this->space(), constant).levels().front().storage, "classes");
  EXPECT_EQ(Multigrid(this->space(), varied).levels().front().storage, "diagonals");
  EXPECT_LE(this->solve(varied, "cg").iterations, iterations + 1);
}

TYPED_TEST(MultigridOn, SolvesConvectionAndDiffusion) {
  using T = typename TypeParam::T;
  for (const double peclet : {1.0, 100.0, 1e4}) {
    for (const char* solver : {"bicgstab", "gmres"}) {
      const SolveResult r =
          this->solve(generate<T>("convection-diffusion3d", {.n = 16, .peclet = peclet, .rotating = true}), solver);
      EXPECT_TRUE(r) << r.message();
      EXPECT_LE(r.iterations, 40);
    }
  }
}

TYPED_TEST(MultigridOn, SolvesUpToConstants) {
  using T = typename TypeParam::T;
  const Extents e{24, 18};
  const Coupling inside = [=](Index x, Index y, Index, int dx, int dy, int dz) {
    const bool star = std::abs(dx) + std::abs(dy) + std::abs(dz) == 1 && dz == 0;
    return star && x + dx >= 0 && x + dx < e.x && y + dy >= 0 && y + dy < e.y ? 1.0 : 0.0;
  };
  const Csr<T> a = grid_matrix<T>(e, inside);
  const Analysis analysis(this->space(), a);
  const Operator op(analysis);
  const Multigrid m(analysis);
  std::vector<T> b = random_vector<T>(a.rows, 3);
  T mean = 0;
  for (const T v : b) mean += v / static_cast<T>(b.size());
  for (T& v : b) v -= mean;
  const auto db = this->put(b);
  auto x = this->put(std::vector<T>(b.size()));

  const SolveResult r = cg(this->space(), op, db, x, m, {.rtol = 1e-4, .max_iterations = 50});

  EXPECT_TRUE(r) << r.message();
  EXPECT_LE(r.iterations, 15);
}

TYPED_TEST(MultigridOn, SizeMakesNoDifference) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 40});
  const int iterations = this->solve(a, "cg").iterations;
  for (const double size : {1e-30, 1e30}) {
    EXPECT_EQ(this->solve(a, "cg", size).iterations, iterations) << size;
    Csr<T> scaled = a;
    for (T& v : scaled.val) v = static_cast<T>(static_cast<double>(v) * std::ldexp(1.0, size < 1 ? -100 : 100));
    EXPECT_EQ(this->solve(scaled, "cg").iterations, iterations) << size;
  }
  if constexpr (!is_single<T>) {
    for (const double size : {1e-300, 1e-200, 1e200, 1e300})
      EXPECT_EQ(this->solve(a, "cg", size).iterations, iterations) << size;
    for (const int exponent : {-800, -300, 300, 800}) {
      Csr<T> scaled = a;
      for (T& v : scaled.val) v = std::ldexp(v, exponent);
      EXPECT_EQ(this->solve(scaled, "cg").iterations, iterations) << exponent;
    }
  }
}

TYPED_TEST(MultigridOn, SolvesOnThinGrids) {
  using T = typename TypeParam::T;
  for (const Extents& e :
       {Extents{60, 60, 5}, Extents{200, 4, 4}, Extents{30, 20, 4}, Extents{4, 300}, Extents{300, 4}}) {
    for (const double size : {0.0, 1.0}) {
      const SolveResult r = this->solve(grid_matrix<T>(e, varied(e, true, size)), "cg");
      EXPECT_TRUE(r) << e.x << " x " << e.y << " x " << e.z << ": " << r.message();
      EXPECT_LE(r.iterations, 16);
    }
  }
}

TYPED_TEST(MultigridOn, SolvesElasticity) {
  using T = typename TypeParam::T;
  for (const bool by_field : {false, true}) {
    for (const Index n : {32, 64, 128}) {
      const SolveResult r = this->solve(elasticity<T>({n, n}, by_field), "cg");
      EXPECT_TRUE(r || is_single<T>) << r.message();  // single precision may end at its limit here
      EXPECT_LE(r.iterations, 28) << n;               // 25, 26 and 27
    }
    const SolveResult r = this->solve(elasticity<T>({12, 13, 14}, by_field), "cg");
    EXPECT_TRUE(r) << r.message();
    EXPECT_LE(r.iterations, 40);
  }
}

TYPED_TEST(MultigridOn, SolvesReactionAndDiffusion) {
  using T = typename TypeParam::T;
  for (const bool by_field : {false, true}) {
    for (const Index n : {32, 64, 128}) {
      const SolveResult r = this->solve(reaction_diffusion<T>({n, n}, 2, by_field), "cg");
      EXPECT_TRUE(r) << r.message();
      EXPECT_LE(r.iterations, 14) << n;
    }
    for (const int unknowns : {3, 8})
      EXPECT_LE(this->solve(reaction_diffusion<T>({9, 10, 11}, unknowns, by_field), "cg").iterations, 18);
  }
}

TYPED_TEST(MultigridOn, IsSymmetricWithSeveralUnknowns) {
  using T = typename TypeParam::T;
  for (const bool by_field : {false, true}) {
    const Csr<T> a = elasticity<T>({20, 13}, by_field);
    const Multigrid m(this->space(), a);
    const auto u = random_vector<T>(a.rows, 1), v = random_vector<T>(a.rows, 2);
    const auto mu = this->apply(m, u), mv = this->apply(m, v);
    double uv = 0, vu = 0, uu = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      uv += static_cast<double>(u[i]) * static_cast<double>(mv[i]);
      vu += static_cast<double>(v[i]) * static_cast<double>(mu[i]);
      uu += static_cast<double>(u[i]) * static_cast<double>(mu[i]);
    }
    EXPECT_GT(uu, 0);
    EXPECT_NEAR(uv, vu, 1e-5 * uu);
  }
}

TYPED_TEST(MultigridOn, IsNotTakenByAutoWhereUnknownsCoupleStrongly) {
  using T = typename TypeParam::T;
  const Csr<T> weak = reaction_diffusion<T>({160, 160}, 2, false),
               strong = reaction_diffusion<T>({160, 160}, 2, false, 1e5);
  EXPECT_EQ(AnyPreconditioner(this->space(), weak, "auto").name(), "multigrid");
  EXPECT_NE(AnyPreconditioner(this->space(), strong, "auto").name(), "multigrid");
}

// A rectangle of rows that are a diagonal 1, with the columns of these points eliminated or not.
TYPED_TEST(MultigridOn, SolvesOnGridsWithHoles) {
  using T = typename TypeParam::T;
  const Extents e{70, 60};
  const auto is_hole = [&](Index i) { return i % e.x > 20 && i % e.x < 45 && i / e.x > 15 && i / e.x < 38; };
  for (const double size : {0.0, 1.0}) {
    const Csr<T> a = grid_matrix<T>(e, varied(e, true, size));
    const SolveResult eliminated = this->solve(hold(a, true, is_hole), "cg");
    EXPECT_TRUE(eliminated) << eliminated.message();
    EXPECT_LE(eliminated.iterations, 12);
    const SolveResult kept = this->solve(hold(a, false, is_hole), "gmres");
    EXPECT_TRUE(kept) << kept.message();
    EXPECT_LE(kept.iterations, 12);
  }
}

// At y = 0 the first displacement is held, in a rectangle the second.
TYPED_TEST(MultigridOn, SolvesWhereSomeUnknownsAreHeld) {
  using T = typename TypeParam::T;
  const Extents e{48, 40};
  for (const bool by_field : {false, true}) {
    const auto points = static_cast<Index>(e.points());
    const auto is_held = [&](Index row) {
      const Index p = by_field ? row % points : row / 2, u = by_field ? row / points : row % 2;
      const bool is_inside = p % e.x > 20 && p % e.x < 30 && p / e.x > 15 && p / e.x < 28;
      return u == 0 ? p < e.x : is_inside;
    };
    const Csr<T> a = elasticity<T>(e, by_field);
    const SolveResult eliminated = this->solve(hold(a, true, is_held), "cg");
    EXPECT_TRUE(eliminated) << eliminated.message();
    EXPECT_LE(eliminated.iterations, 30);
    const SolveResult kept = this->solve(hold(a, false, is_held), "gmres");
    EXPECT_TRUE(kept) << kept.message();
    EXPECT_LE(kept.iterations, 30);
  }
}

// -laplace(u) - k u: the coarse operators lose their sign and grow without end.
TYPED_TEST(MultigridOn, RefusesCoarseOperatorsThatAreNotFinite) {
  using T = typename TypeParam::T;
  const Extents e{100, 100};
  for (const double shift : {-1.9, -2.0, -2.1}) {
    const Analysis analysis(this->space(), grid_matrix<T>(e, laplacian(e, true), shift));
    const AnyPreconditioner m(analysis, "auto");
    EXPECT_NE(m.name(), "multigrid") << shift;
  }
}

TYPED_TEST(MultigridOn, NamesWhatItCannotDo) {
  using T = typename TypeParam::T;
  const auto message = [&](const Csr<T>& a) {
    return message_of<ArgumentError>([&] { const Multigrid m(this->space(), a, {.kind = MultigridKind::structured}); });
  };
  Csr<T> negative = generate<T>("poisson2d", {.n = 8});
  for (T& v : negative.val) v = -v;
  EXPECT_EQ(message(negative), "multigrid: the diagonal isn't positive; use preconditioner jacobi");
  EXPECT_EQ(message(dense<T>({{0, 1}, {1, 0}})), "multigrid: the diagonal isn't positive; use preconditioner none");
  EXPECT_EQ(message(dense<T>({{1, 0, 2}, {0, 1, 0}})), "multigrid: the matrix isn't square; use preconditioner none");
  EXPECT_EQ(message(diagonal_matrix<T>({1, 2, 3, 4})), "multigrid: the matrix is diagonal; use preconditioner jacobi");
  EXPECT_EQ(message(diagonal_matrix<T>({1, std::numeric_limits<T>::quiet_NaN()})),
            "multigrid: not all values are finite; use preconditioner jacobi");
}

TYPED_TEST(MultigridOn, SolvesPeriodicGrids) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{200}, Extents{201}, Extents{64, 64}, Extents{101, 65}, Extents{24, 24, 24},
                           Extents{17, 20, 23}, Extents{9, 33, 40}}) {
    const int all = e.z > 1 ? 7 : e.y > 1 ? 3 : 1;
    for (int around = 1; around <= all; ++around) {
      for (const bool star : {true, false}) {
        SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z << " around " << around);
        const Csr<T> a = periodic_laplacian<T>(e, around, star);
        const SolveResult r = around == all ? this->solve_up_to_constants(a) : this->solve(a, "cg");
        EXPECT_TRUE(r) << r.message();
        EXPECT_LE(r.iterations, 12);
      }
    }
  }
}

TYPED_TEST(MultigridOn, SolvesAnisotropicAndVariablePeriodicGrids) {
  using T = typename TypeParam::T;
  const auto iterations = [&](const Csr<T>& a, bool singular) {
    const SolveResult r = singular ? this->solve_up_to_constants(a) : this->solve(a, "cg");
    EXPECT_TRUE(r || is_single<T>) << r.message();  // single precision may end at its limit here
    return r.iterations;
  };
  for (const Index n : {60, 61}) {
    for (const int around : {1, 2, 3}) {
      for (const double weak : {1e-3, 1e-2, 0.1, 100.0}) {
        const Extents e{n, n};
        const auto along = [=, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
          return star(x, y, z, dx, dy, dz) * (dy != 0 ? weak : 1);
        };
        EXPECT_LE(iterations(grid_matrix<T>(e, along, 0, around), around == 3), 13)
            << n << ", " << around << ", " << weak;
      }
    }
    for (const Extents& e : {Extents{n, n + 3}, Extents{n / 4, n / 3, n / 3}}) {
      const int all = e.z > 1 ? 7 : 3;
      for (const int around : {1, 2, all}) {
        const Coupling c = symmetric_around(e, around, varied(e, true, 1));
        EXPECT_LE(iterations(grid_matrix<T>(e, c, 0, around), around == all), 13) << n << ", " << around;
      }
    }
  }
  const Csr<T> drift = grid_matrix<T>(
      {48, 40},
      [star = laplacian({48, 40}, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
        return star(x, y, z, dx, dy, dz) * (dx < 0 ? 3 : 1);
      },
      0, 1);
  const SolveResult r = this->solve(drift, "bicgstab");
  EXPECT_TRUE(r) << r.message();
  EXPECT_LE(r.iterations, 20);
}

TYPED_TEST(MultigridOn, SolvesPeriodicGridsWithSeveralUnknowns) {
  using T = typename TypeParam::T;
  for (const bool by_field : {false, true}) {
    for (const Extents& e : {Extents{40, 33}, Extents{12, 15, 9}}) {
      const SolveResult r = this->solve(with_unknowns(periodic_laplacian<T>(e, 1, true), 3, by_field, 0.25), "cg");
      EXPECT_TRUE(r) << r.message();
      EXPECT_LE(r.iterations, 18);
    }
  }
}

TYPED_TEST(MultigridOn, IsTheSameOnEverySpaceWithPeriodicAxes) {
  using T = typename TypeParam::T;
  const Host host;
  for (const Extents& e : {Extents{100}, Extents{70, 41}, Extents{129, 200}, Extents{20, 19, 18}, Extents{66, 18, 9}}) {
    for (const int around : {1, 2, 3, 7}) {
      if (around > (e.z > 1 ? 7 : e.y > 1 ? 3 : 1)) continue;
      const Csr<T> a = grid_matrix<T>(e, symmetric_around(e, around, varied(e, true, 1)), 0.01, around);
      for (const int sweeps : {1, 2}) {
        const Multigrid here(this->space(), a, {.sweeps = sweeps});
        const Multigrid there(host, a, {.sweeps = sweeps});
        const auto r = random_vector<T>(a.rows, 5);
        std::vector<T> expected(r.size());
        there.apply(r, expected);
        const auto z = this->apply(here, r);
        double largest = 0, error = 0;
        for (std::size_t i = 0; i < r.size(); ++i) {
          largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
          error = std::max(error, static_cast<double>(std::abs(z[i] - expected[i])));
        }
        EXPECT_LE(error, 5e-5 * largest) << e.x << " x " << e.y << " x " << e.z << " around " << around;
        EXPECT_NEAR(here.rate(), there.rate(), 1e-3);
      }
    }
  }
}

TYPED_TEST(MultigridOn, IsTakenByAutoOnAPeriodicGrid) {
  using T = typename TypeParam::T;
  const AnyPreconditioner m(this->space(), periodic_laplacian<T>({200, 200}, 1, true), "auto");
  EXPECT_EQ(m.name(), "multigrid");
  EXPECT_EQ(m.reason(), "on a grid, 200 x 200, 5-point, periodic along x: about 10 iterations instead of some 500");
  ASSERT_EQ(m.levels().size(), 6u);
  EXPECT_EQ(m.levels()[0].nonzeros, 200u * 200 * 5 - 2 * 200);
  EXPECT_EQ(m.levels()[3].grid, "25 x 25, 9-point, periodic along x");
  EXPECT_EQ(m.levels()[4].grid, "13 x 12, 9-point, periodic along x");
}

TYPED_TEST(MultigridOn, ThrowsOnceMovedFrom) {
  using T = typename TypeParam::T;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 20}));
  Multigrid m(analysis);
  const double rate = m.rate();
  Multigrid other(std::move(m));
  const auto r = this->put(std::vector<T>(400, 1));
  auto z = this->put(std::vector<T>(400));
  auto slot = this->template put<double>({0});
  EXPECT_EQ(other.rate(), rate);
  EXPECT_THROW(m.rate(), ArgumentError);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(m.bytes(), ArgumentError);
  EXPECT_THROW(m.seconds(), ArgumentError);
  EXPECT_THROW(m.levels(), ArgumentError);
  EXPECT_THROW(m.apply(r, z), ArgumentError);
  EXPECT_THROW(m.apply_dot(r, z, slot.data()), ArgumentError);
  EXPECT_THROW(m.update_values(analysis), ArgumentError);
  m = std::move(other);
  EXPECT_EQ(m.rate(), rate);
}

TYPED_TEST(MultigridOn, ReportsItsLevels) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson3d", {.n = 20});
  const auto levels = Multigrid(this->space(), a).levels();
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_EQ(levels[0].rows, 8000u);
  EXPECT_EQ(levels[0].nonzeros, static_cast<std::size_t>(a.nonzeros()));
  EXPECT_EQ(levels[0].grid, "20 x 20 x 20, 7-point");
  EXPECT_EQ(levels[1].grid, "10 x 10 x 10, 7-point");
  EXPECT_EQ(levels[1].nonzeros, 7000u - 6 * 100);
  EXPECT_EQ(levels[3].grid, "2 x 2 x 2, 7-point");

  const auto of_pairs = Multigrid(this->space(), reaction_diffusion<T>({20, 20}, 2, true)).levels();
  EXPECT_EQ(of_pairs[0].rows, 800u);
  EXPECT_EQ(of_pairs[0].nonzeros, 2u * (400 + 4 * 380));
  EXPECT_EQ(of_pairs[1].grid, "10 x 10, 9-point, 2 unknowns a point");
}

TYPED_TEST(MultigridOn, IsTakenByAutoOnAGrid) {
  using T = typename TypeParam::T;
  const auto chosen = [&](const Csr<T>& a) { return AnyPreconditioner(this->space(), a, "auto"); };
  const auto large = chosen(generate<T>("poisson2d", {.n = 130}));
  EXPECT_EQ(large.name(), "multigrid");
  EXPECT_EQ(large.reason(), "on a grid, 130 x 130, 5-point: about 10 iterations instead of some 330");
  EXPECT_EQ(large.levels().size(), 6u);
  EXPECT_EQ(chosen(generate<T>("poisson2d", {.n = 20})).name(), "none") << "a small matrix of constant diagonal";
  const Extents e{80, 80};
  EXPECT_EQ(chosen(grid_matrix<T>(e, varied(e, true, 1), 1)).name(), "jacobi") << "dominant rows";
  EXPECT_EQ(chosen(generate<T>("variable3d", {.n = 17})).reason(),
            "cheap, and every row has a diagonal entry; some 60 iterations are predicted, too few for multigrid");
  EXPECT_EQ(chosen(generate<T>("convection-diffusion2d", {.n = 64})).name(), "multigrid");
  EXPECT_EQ(chosen(elasticity<T>({130, 130}, true)).name(), "multigrid");
  const auto blocks = chosen(generate<T>("fem27", {.n = 34, .unknowns = 3}));
  EXPECT_EQ(blocks.name(), "jacobi") << "what is hard lies between the unknowns";
  EXPECT_NE(blocks.reason().find("each unknown of a point by itself is easy"), std::string::npos) << blocks.reason();
}

TEST(Multigrid, IsNotTakenByAutoWhereEachUnknownIsEasyByItself) {
  if (!built_with_cuda) GTEST_SKIP() << Cuda::why_absent();
  Structure s;
  s.rows = s.cols = 3 * 150 * 150;
  s.nonzeros = 9 * s.rows;
  s.symmetric = s.pattern_symmetric = s.positive_diagonal = s.finite = true;
  Grid grid{.extents = {150, 150}, .dimensions = 2, .star = true, .dominant = 0.1, .unknowns = 3, .dominant_alone = 1};
  const auto easy = choose_preconditioner<Cuda>(s, grid);
  EXPECT_EQ(easy.name, "jacobi");
  EXPECT_NE(easy.reason.find("each unknown of a point by itself is easy"), std::string::npos) << easy.reason;
  grid.dominant_alone = 0.9;  // one of the unknowns may be as hard as any
  EXPECT_EQ(choose_preconditioner<Cuda>(s, grid).name, "multigrid");
  grid.dominant_alone = 1;
  s.symmetric = false;
  EXPECT_EQ(choose_preconditioner<Cuda>(s, grid).name, "multigrid");
}

}  // namespace
}  // namespace ostinato::test
