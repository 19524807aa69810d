// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "preconditioners/multigrid/multigrid_suite.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

// Multigrid whose interpolation is constant on groups: kind=pairwise and kind=plain.

namespace ostinato::test {
namespace {

const MultigridOptions pairwise{.kind = MultigridKind::pairwise}, plain{.kind = MultigridKind::plain};
const std::array both_kinds = {pairwise, plain};

MultigridOptions with_points_of(int unknowns, MultigridOptions options) {
  options.unknowns = unknowns;
  return options;
}

template <class Case>
class KCycleOn : public MultigridSuite<Case> {};

TYPED_TEST_SUITE(KCycleOn, EverySpace, SpaceNames);

/// A cycle with inner steps isn't linear, and says so; r . M^-1 r is positive all the same.
TYPED_TEST(KCycleOn, VariesAndIsPositive) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : {renumbered(generate<T>("poisson3d", {.n = 20})), graph_laplacian<T>(5000, 3, 2, 0.01, 1),
                          times(renumbered(generate<T>("poisson2d", {.n = 60})), -4)}) {
    const auto u = random_vector<T>(a.rows, 1), v = random_vector<T>(a.rows, 2);
    std::vector<T> both(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) both[i] = u[i] + v[i];
    for (const MultigridOptions& options : both_kinds) {
      const Multigrid m(this->space(), a, options);
      EXPECT_TRUE(m.varies());
      const auto mu = this->apply(m, u), mv = this->apply(m, v), of_both = this->apply(m, both);
      double dot = 0, bent = 0, size = 0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        const auto of_u = static_cast<double>(mu[i]), of_v = static_cast<double>(mv[i]);
        dot += static_cast<double>(u[i]) * of_u;
        bent += std::pow(static_cast<double>(of_both[i]) - of_u - of_v, 2);
        size += std::pow(static_cast<double>(of_both[i]), 2);
      }
      EXPECT_GT(dot, 0);
      EXPECT_GT(bent, 1e-8 * size);
    }
  }
}

TYPED_TEST(KCycleOn, DoesntVaryWithoutInnerSteps) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both_kinds)
    EXPECT_FALSE(Multigrid(this->space(), graph_laplacian<T>(100, 3, 1, 0.1, 1), options).varies());
  EXPECT_FALSE(Multigrid(this->space(), generate<T>("poisson2d", {.n = 20})).varies());
  const Csr<T> a = graph_laplacian<T>(2000, 3, 1, 0.1, 1);
  EXPECT_FALSE(Multigrid(this->space(), a, {.kind = MultigridKind::classical}).varies());
  EXPECT_TRUE(AnyPreconditioner(this->space(), a, "multigrid:kind=pairwise").varies());
  EXPECT_TRUE(AnyPreconditioner(this->space(), a, "multigrid:kind=plain").varies());
  EXPECT_FALSE(AnyPreconditioner(this->space(), a, "none").varies());
}

TYPED_TEST(KCycleOn, SolvesInFewIterations) {
  using T = typename TypeParam::T;
  struct Solved {
    Csr<T> a;
    int pairwise, plain;  ///< iterations at most
  };
  const std::vector<Solved> cases = {{renumbered(generate<T>("poisson3d", {.n = 20})), 18, 20},
                                     {renumbered(generate<T>("poisson2d", {.n = 100})), 22, 23},
                                     {renumbered(generate<T>("variable3d", {.n = 20})), 18, 20},
                                     {renumbered(generate<T>("anisotropic", {.n = 60})), 45, 23},
                                     {renumbered(generate<T>("fem27", {.n = 12})), 16, 20},
                                     {graph_laplacian<T>(3000, 3, 3, 1e-3, 1), 25, 30},
                                     {times(renumbered(generate<T>("poisson2d", {.n = 50})), -1e-3), 23, 23}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_LE(this->iterations(cases[i].a, "cg", pairwise), cases[i].pairwise) << i;
    EXPECT_LE(this->iterations(cases[i].a, "cg", plain), cases[i].plain) << i;
  }
}

/// Lines that negative entries hold together, with positive ones from line to line: points of different lines aren't
/// alike, and no group holds both. With the other sign in all places, too, also where the matrix isn't quite symmetric.
TYPED_TEST(KCycleOn, SolvesWithPositiveEntriesBetweenLines) {
  using T = typename TypeParam::T;
  const Index n = 64;
  std::vector<Triplet<T>> triplets;
  const auto couple = [&](Index i, Index j, T v) {
    triplets.insert(triplets.end(), {{i, j, v}, {j, i, v}, {i, i, 1}, {j, j, 1}});
  };
  for (Index i = 0; i < n * n; ++i) {
    triplets.push_back({i, i, static_cast<T>(0.001)});
    if (i % n + 1 < n) couple(i, i + 1, -1);
    if (i + n < n * n) couple(i, i + n, 1);
  }
  const Csr<T> a = renumbered(from_triplets<T>(n * n, n * n, triplets));
  Csr<T> of_other_sign = times(a, -1);
  of_other_sign.val[1] *= static_cast<T>(1 + 1e-5);
  for (const MultigridOptions& options : both_kinds) {
    EXPECT_LE(this->iterations(a, "cg", options), 60);
    const Multigrid m(this->space(), of_other_sign, options);
    EXPECT_GT(m.levels().size(), 1u);
    EXPECT_LE(this->iterations(of_other_sign, "gmres", options), 60);
  }
}

/// Coefficients of 1 and 1e6 in a checkerboard of cells.
template <class T>
Csr<T> jumps(Index n, Index cell) {
  std::vector<Triplet<T>> triplets;
  const auto coefficient = [&](Index i) { return ((i % n / cell + i / n / cell) % 2) == 0 ? 1.0 : 1e6; };
  const auto couple = [&](Index i, Index j) {
    const double p = coefficient(i), q = coefficient(j);
    const T w = static_cast<T>(2 * p * q / (p + q));
    triplets.insert(triplets.end(), {{i, j, -w}, {j, i, -w}, {i, i, w}, {j, j, w}});
  };
  for (Index i = 0; i < n * n; ++i) {
    const double edge = (i % n == 0 || i % n == n - 1 ? 2 : 0) + (i < n || i >= n * (n - 1) ? 2 : 0);
    triplets.push_back({i, i, static_cast<T>(edge * coefficient(i))});
    if (i % n + 1 < n) couple(i, i + 1);
    if (i + n < n * n) couple(i, i + n);
  }
  return renumbered(from_triplets<T>(n * n, n * n, triplets));
}

TYPED_TEST(KCycleOn, SolvesTheSameInBlocksOfAnyLength) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = generate<T>("poisson2d", {.n = 90});
  const Analysis<Space, T> analysis(this->space(), a);
  const Operator<Space, T> op(analysis);
  const Multigrid<Space, T> m(analysis, pairwise);
  const auto system = with_known_solution(a);
  const auto b = this->put(system.b);
  std::vector<std::vector<T>> found;
  for (const int every : {0, 2, 64}) {  // a block of one on a GPU, which is captured after two; two; none is captured
    auto x = this->put(system.x0);
    const SolveResult result = ostinato::solve(this->space(), op, b, x, m, "cg",
                                               {.rtol = this->rtol, .max_iterations = 200, .check_every = every});
    EXPECT_TRUE(result) << result.message();
    EXPECT_GT(result.iterations, 5);
    found.push_back(x.download());
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[2]);
}

TYPED_TEST(KCycleOn, SolvesWithJumps) {
  for (const MultigridOptions& options : both_kinds)
    EXPECT_LE(this->iterations(jumps<typename TypeParam::T>(96, 8), "cg", options), 35);
}

TYPED_TEST(KCycleOn, IterationsHardlyGrowWithTheSize) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both_kinds) {
    const int small = this->iterations(renumbered(generate<T>("poisson3d", {.n = 10})), "cg", options);
    const int large = this->iterations(renumbered(generate<T>("poisson3d", {.n = 40})), "cg", options);
    EXPECT_LE(large, small + 8);
  }
}

TYPED_TEST(KCycleOn, SolvesSeveralUnknownsAPoint) {
  using T = typename TypeParam::T;
  const Csr<T> of_grid = generate<T>("fem27", {.n = 12, .unknowns = 3}),
               of_mesh = with_unknowns(graph_laplacian<T>(2000, 3, 1, 0.1, 1), 3, false, 0.1);
  for (const MultigridOptions& options : both_kinds) {
    EXPECT_LE(this->iterations(of_grid, "cg", with_points_of(3, options)), 22);
    EXPECT_LE(this->iterations(of_mesh, "cg", with_points_of(3, options)), 25);
    EXPECT_LE(this->iterations(of_mesh, "cg", options), 25);
  }
}

TYPED_TEST(KCycleOn, SolvesWhatIsntSymmetric) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("convection-diffusion3d", {.n = 16}));
  for (const MultigridOptions& options : both_kinds) {
    for (const char* solver : {"gmres", "bicgstab", "idr"})
      EXPECT_LE(this->iterations(a, solver, options), 40) << solver;
    EXPECT_EQ(this->solve(a, "auto", options).solver, "gmres");  // bears a preconditioner that varies
  }
}

TYPED_TEST(KCycleOn, SolvesSingularSystems) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both_kinds)
    EXPECT_LE(this->iterations(graph_laplacian<T>(4000, 3, 1, 0, 1), "cg", options), 25);
}

TYPED_TEST(KCycleOn, TakesSystemsOfAllSizes) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 33, 149, 150, 151, 597}) {
    const Csr<T> a = graph_laplacian<T>(n, 2, 1, 0.1, 1), of_points = with_unknowns(a, 3, false, 0.1);
    for (const MultigridOptions& options : both_kinds) {
      EXPECT_LE(this->iterations(a, "cg", options), n <= 150 ? 3 : 25) << n;
      this->iterations(of_points, "cg", with_points_of(3, options));
    }
  }
}

TYPED_TEST(KCycleOn, TakesDominantRowsAndDenseOnes) {
  using T = typename TypeParam::T;
  Csr<T> star = graph_laplacian<T>(3000, 1, 0, 0.1, 2);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < star.rows; ++i) {
    for (auto k = star.row_ptr[static_cast<std::size_t>(i)]; k < star.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      triplets.push_back({i, star.col[static_cast<std::size_t>(k)], star.val[static_cast<std::size_t>(k)]});
    if (i > 0) triplets.insert(triplets.end(), {{0, i, -1}, {i, 0, -1}, {i, i, 1}, {0, 0, 1}});
  }
  star = from_triplets<T>(star.rows, star.cols, triplets);
  for (const Csr<T>& a :
       {star, graph_laplacian<T>(1000, 2, 0, 1000, 1), hold(star, true, [](Index i) { return i % 3 == 0; }),
        diagonal_matrix<T>(std::vector<T>(500, 3))})
    for (const MultigridOptions& options : both_kinds) EXPECT_LE(this->iterations(a, "cg", options), 30);
}

TYPED_TEST(KCycleOn, MethodsThatNeedALinearFunctionRefuseIt) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(3000, 3, 1, 0.1, 1);
  for (const std::string solver : {"minres", "bicgstab2"}) {
    EXPECT_EQ(message_of<ArgumentError>([&] { this->solve(a, solver, plain); }),
              solver + ": multigrid isn't a linear function with these options, which " + solver +
                  " needs; use cg, gmres or bicgstab");
  }
  const Analysis analysis(this->space(), a);
  const Multigrid m(analysis, pairwise);
  const TransposableOperator op(analysis);
  const auto b = this->put(random_vector<T>(a.rows, 1));
  auto x = this->put(std::vector<T>(b.size()));
  EXPECT_THROW(ostinato::solve(this->space(), op, b, x, m, "lsmr"), ArgumentError);
}

TYPED_TEST(KCycleOn, TakesLessMemoryThanClassical) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("poisson3d", {.n = 24}));
  const std::size_t of_classical = Multigrid(this->space(), a, {.kind = MultigridKind::classical}).bytes();
  for (const MultigridOptions& options : both_kinds)
    EXPECT_LT(Multigrid(this->space(), a, options).bytes(), of_classical / 2);
}

TYPED_TEST(KCycleOn, NewValuesGiveWhatANewObjectGives) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(2000, 3, 1, 0.1, 1), c = times(graph_laplacian<T>(2000, 3, 1, 0.3, 1), 2);
  const auto r = random_vector<T>(a.rows, 2);
  for (const MultigridOptions& options : both_kinds) {
    Multigrid m(this->space(), a, options);
    m.update_values(Analysis(this->space(), c));
    EXPECT_TRUE(same_bits(this->apply(m, r), this->apply(Multigrid(this->space(), c, options), r)));
  }
}

TYPED_TEST(KCycleOn, IsTheSameOnEveryRun) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("variable3d", {.n = 16}));
  const auto r = random_vector<T>(a.rows, 2);
  for (const MultigridOptions& options : both_kinds) {
    const auto first = this->apply(Multigrid(this->space(), a, options), r);
    for (int run = 0; run < 20; ++run)
      EXPECT_TRUE(same_bits(this->apply(Multigrid(this->space(), a, options), r), first));
  }
}

TYPED_TEST(KCycleOn, RefusesWhatItCantDo) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both_kinds) {
    MultigridOptions reuse = options;
    const auto refusal = [&](const MultigridOptions& of) {
      return message_of<ArgumentError>([&] { Multigrid(this->space(), graph_laplacian<T>(30, 3, 1, 0.1, 1), of); });
    };
    reuse.reuse = MultigridReuse::interpolation;
    EXPECT_EQ(refusal(reuse), "multigrid: reuse=interpolation is for kind=classical and kind=aggregation");
    EXPECT_THROW(Multigrid(this->space(), dense<T>({{1, 2}, {3, 0}}), options), ArgumentError);
    EXPECT_THROW(Multigrid(this->space(), dense<T>({{1, 0}, {0, HUGE_VAL}}), options), ArgumentError);
    EXPECT_EQ(refusal(with_points_of(7, options)),
              "multigrid: 30 rows can't have 7 unknowns a point; give unknowns=K that divides the number of rows");
  }
}

}  // namespace
}  // namespace ostinato::test
