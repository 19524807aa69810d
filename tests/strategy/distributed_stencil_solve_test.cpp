// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/strategy/linear_solver.hpp>

#include "strategy/distributed_stencil_solves.hpp"
#include "support/ranks.hpp"

namespace ostinato::test::stencil_solves {
namespace {

template <class T>
Whole<T> expect_bits_of_one_rank(const Stencil& stencil, const DistributedStencilOptions& options) {
  const Whole<T> alone = solve_on<T>(Team::alone(), Host(1), stencil, options);
  expect_solved(alone, stencil, options.solve.rtol);
  on_ranks({2, 3}, [&](const Team& team) { expect_same(solve_on<T>(team, Host(1), stencil, options), alone); });
  return alone;
}

TEST(DistributedStencilSolve, HasTheBitsOfOneRankWithEachPreconditioner) {
  for (const char* const precond : {"none", "jacobi", "chebyshev", "multigrid", "multigrid:sweeps=2"}) {
    SCOPED_TRACE(precond);
    const std::string name =
        expect_bits_of_one_rank<double>(laplacian_stencil(blocks, true), with("cg", precond)).preconditioner;
    EXPECT_EQ(std::string(precond).rfind(name, 0), 0u);
  }
}

TEST(DistributedStencilSolve, TakesMoreRanksThanPlanes) {
  for (const char* const precond : {"none", "jacobi", "chebyshev"}) {
    SCOPED_TRACE(precond);
    const Stencil stencil = laplacian_stencil({64, 32, 2}, true);
    const Whole<double> alone = solve_on<double>(Team::alone(), Host(1), stencil, with("cg", precond));
    on_ranks({3, 5}, [&](const Team& team) {
      expect_same(solve_on<double>(team, Host(1), stencil, with("cg", precond)), alone);
    });
  }
}

TEST(DistributedStencilSolve, HasTheBitsOfOneRankInFloat) {
  expect_bits_of_one_rank<float>(laplacian_stencil(blocks, false), with("auto", "auto", 1e-4));
}

TEST(DistributedStencilSolve, HasTheBitsOfOneRankWithVectorsInFloat) {
  DistributedStencilOptions options = with("cg", "multigrid");
  options.solve.mixed = MixedPrecision::on;
  expect_bits_of_one_rank<double>(laplacian_stencil(blocks, true), options);
}

TEST(DistributedStencilSolve, TakesMultigridForConstantCoefficients) {
  const Stencil stencil = with_neumann(laplacian_stencil(blocks, true), 3);
  const Whole<double> whole = expect_bits_of_one_rank<double>(stencil, with("auto", "auto"));
  EXPECT_EQ(whole.method, "cg");
  EXPECT_EQ(whole.preconditioner, "multigrid");
}

TEST(DistributedStencilSolve, TakesTheIterationsOfAStencilOnOneRank) {
  for (const Extents& e : {blocks, Extents{41, 39, 37}, Extents{150, 130, 1}}) {
    const Stencil stencil = laplacian_stencil(e, true);
    LinearSolver<Host, double> solver(Host(1), StencilOperator<Host, double>(Host(1), stencil));
    const std::vector<double> b = right_hand_side<double>(stencil);
    std::vector<double> x(b.size());
    const SolveResult one = solver.solve(b, x);
    on_ranks({1, 2, 3}, [&](const Team& team) {
      const Whole<double> found = solve_on<double>(team, Host(1), stencil, with("auto", "auto"));
      EXPECT_EQ(found.result.iterations, one.iterations);
      EXPECT_EQ(found.preconditioner, "multigrid");
      expect_solved(found, stencil, 1e-8);
    });
  }
}

TEST(DistributedStencilSolve, TakesJacobiForCoefficientsByAFunction) {
  const Whole<double> whole = expect_bits_of_one_rank<double>(symmetric_by_function(blocks), with("auto", "auto"));
  EXPECT_EQ(whole.method, "cg");
  EXPECT_EQ(whole.preconditioner, "jacobi");
  expect_bits_of_one_rank<double>(symmetric_by_function(blocks), with("auto", "chebyshev"));
}

TEST(DistributedStencilSolve, SolvesWhatIsNotSymmetricOrPeriodic) {
  const Stencil stencil = with_periodic(unsymmetric_stencil({64, 32, 7}, true), 5);
  const Whole<double> whole = expect_bits_of_one_rank<double>(stencil, with("auto", "auto"));
  EXPECT_NE(whole.method, "cg");
  EXPECT_EQ(whole.preconditioner, "none");
}

TEST(DistributedStencilSolve, GoesOnWhereTheMatrixIsNotDefinite) {
  Stencil stencil = laplacian_stencil({40, 40, 1}, true);
  for (StencilTerm& t : stencil.terms) t.coefficient -= t.dx == 0 && t.dy == 0 ? 1.7 : 0;
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const Whole<double> whole = solve_on<double>(team, Host(1), stencil, with("auto", "auto", 1e-6));
    expect_solved(whole, stencil, 1e-6);
    EXPECT_EQ(whole.method, "minres");
    EXPECT_EQ(whole.result.notes.size(), 1u);
  });
}

TEST(DistributedStencilSolve, EndsItsSetUpByTheClockOfRankZero) {
  on_ranks({1, 3}, [](const Team& team) {
    DistributedStencilOptions options = with("auto", "multigrid");
    options.solve.time_limit = team.rank() == 0 ? 1e-9 : 1000;
    EXPECT_THROW(DistributedStencilSolver<double>(team, laplacian_stencil(blocks, true), options, Host(1)), Stopped);
  });
}

TEST(DistributedStencilSolve, RefusesWhatThereIsNot) {
  const Stencil good = laplacian_stencil(blocks, true), round = with_periodic(good, 4);
  on_ranks({1, 2}, [&](const Team& team) {
    const auto made = [&](const Stencil& stencil, const char* solver, const char* precond) {
      DistributedStencilSolver<double>(team, stencil, {solver, precond}, Host(1));
    };
    EXPECT_THROW(made(good, "lsmr", "none"), ArgumentError);
    EXPECT_THROW(made(good, "no-method", "none"), ArgumentError);
    EXPECT_THROW(made(good, "cg", "ilu0"), ArgumentError);
    EXPECT_THROW(made(good, "cg", "jacobi:drop=1"), ArgumentError);
    EXPECT_THROW(made(round, "cg", "multigrid"), ArgumentError);
    if (team.size() == 2) {
      EXPECT_THROW(made(good, "cg", team.rank() == 0 ? "none" : "jacobi"), ArgumentError);
    }
  });
}

}  // namespace
}  // namespace ostinato::test::stencil_solves
