// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/preconditioners/distributed.hpp>
#include <ostinato/preconditioners/multigrid/distributed_multigrid.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/strategy/distributed_solve.hpp>

#include "support/pieces.hpp"
#include "support/ranks.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// What the ranks of a solve end with, put together.
struct Whole {
  SolveResult result;
  std::vector<double> x;
  std::string preconditioner;
};

Whole solve_on(const Team& team, const System<double>& system, const std::string& precond, int most = 100,
               const std::string& solver = "auto") {
  const Partition rows = system.a.rows < 1000 ? Partition::by_rows(team, system.a.rows) : uneven(team, system.a.rows);
  DistributedOptions options{.solver = solver, .preconditioner = precond};
  options.solve = {.rtol = 1e-8, .max_iterations = most, .prepare = false};
  DistributedSolver made(team, piece(system.a, rows.begin(team), rows.end(team)), options, Host(1));
  std::vector<double> x(static_cast<std::size_t>(made.columns().length(team)));
  Whole whole{made.solve(piece(system.b, rows, team), x), {}, made.preconditioner()};
  whole.x = joined(team, x);
  return whole;
}

/// A solve of CG without ranks.
SolveResult without_ranks(const System<double>& system, const MultigridOptions& options) {
  const Operator<Host, double> a(Host(), system.a);
  const Multigrid<Host, double> m(Host(), system.a, options);
  std::vector<double> x(system.b.size());
  return cg(Host(), a, system.b, x, m, {.rtol = 1e-8, .max_iterations = 100});
}

System<double> system_of(const char* family, Index n) {
  return with_known_solution(generate<double>(family, {.n = n}));
}

/// A 7-point stencil.
Csr<double> flat_grid(const Extents& e) {
  std::vector<Triplet<double>> entries;
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index x = 0; x < e.x; ++x) {
        const auto i = static_cast<Index>(e.number(x, y, z));
        entries.push_back({i, i, 6});
        const auto add = [&](bool is_inside, Index by) {
          if (is_inside) entries.push_back({i, i + by, -1});
        };
        add(x > 0, -1), add(x + 1 < e.x, 1), add(y > 0, -e.x), add(y + 1 < e.y, e.x);
        add(z > 0, -e.x * e.y), add(z + 1 < e.z, e.x * e.y);
      }
    }
  }
  const auto n = static_cast<Index>(e.points());
  return from_triplets<double>(n, n, entries);
}

void expect_solved(const Whole& found, const System<double>& system) {
  EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
  expect_honest(Solved<double>{found.result, found.x}, system, {.rtol = 1e-8});
}

TEST(DistributedMultigrid, TakesAtMostAnIterationMoreThanOneRank) {
  struct Case {
    const char* family;
    Index n;
  };
  for (const Case& c : {Case{"poisson2d", 150}, {"poisson3d", 30}, {"variable3d", 30}, {"fem27", 26}}) {
    SCOPED_TRACE(c.family);
    const System<double> system = system_of(c.family, c.n);
    const int alone = solve_on(Team::alone(), system, "multigrid:kind=plain").result.iterations;
    EXPECT_NEAR(alone, without_ranks(system, {.kind = MultigridKind::plain}).iterations, 1);
    on_ranks({1, 2, 3, 5}, [&](const Team& team) {
      const Whole found = solve_on(team, system, "multigrid:kind=plain");
      expect_solved(found, system);
      EXPECT_LE(found.result.iterations, alone + 1);
    });
  }
}

TEST(DistributedMultigrid, OfAGridHasTheIterationsAndTheBitsOfOneRank) {
  struct Case {
    const char* family;
    Index n;
  };
  for (const Case& c : {Case{"poisson2d", 150}, {"poisson2d", 101}, {"poisson3d", 30}, {"poisson3d", 27}}) {
    SCOPED_TRACE(c.family + std::to_string(c.n));
    const System<double> system = system_of(c.family, c.n);
    for (const MultigridOptions& options : {MultigridOptions{}, {.sweeps = 2, .smoother = Smoother::chebyshev}}) {
      const char* const precond = options.sweeps == 0 ? "multigrid" : "multigrid:sweeps=2,smoother=chebyshev";
      const Whole alone = solve_on(Team::alone(), system, precond);
      expect_solved(alone, system);
      EXPECT_EQ(alone.result.iterations, without_ranks(system, options).iterations);
      on_ranks({2, 3, 5}, [&](const Team& team) {
        const Whole found = solve_on(team, system, precond);
        EXPECT_EQ(found.result.history, alone.result.history);
        EXPECT_TRUE(same_bits(found.x, alone.x));
      });
    }
  }
}

TEST(DistributedMultigrid, TakesGridsOfFewPlanesOnManyRanks) {
  const System<double> flat = with_known_solution(flat_grid({60, 60, 5}));
  on_ranks({1, 3, 7}, [&](const Team& team) { expect_solved(solve_on(team, flat, "multigrid"), flat); });
}

TEST(DistributedMultigrid, TellsAGridFromAMatrixThatIsNearlyOne) {
  System<double> system = system_of("poisson2d", 120);
  system.a.val[70000] *= 0.5;  // of one side
  on_ranks({1, 2}, [&](const Team& team) {
    EXPECT_THROW(solve_on(team, system, "multigrid:kind=structured", 100, "gmres"), ArgumentError);
    EXPECT_EQ(solve_on(team, system, "multigrid", 100, "gmres").result.status, Status::converged);
  });
}

TEST(DistributedMultigrid, HasTheSameBitsOnEachRun) {
  const System<double> system = system_of("variable3d", 30);
  on_ranks({2, 3}, [&](const Team& team) {
    const Whole first = solve_on(team, system, "multigrid:kind=plain"),
                second = solve_on(team, system, "multigrid:kind=plain");
    EXPECT_EQ(first.result.history, second.result.history);
    EXPECT_TRUE(same_bits(first.x, second.x));
  });
}

TEST(DistributedMultigrid, OfASmallMatrixIsThatOfOneRank) {
  const System<double> system = system_of("poisson3d", 20);
  for (const char* const precond : {"multigrid", "multigrid:kind=classical", "multigrid:smoother=ilu0"}) {
    SCOPED_TRACE(precond);
    const Whole alone = solve_on(Team::alone(), system, precond, 100, "gmres");
    expect_solved(alone, system);
    on_ranks({2, 3, 5}, [&](const Team& team) {
      const Whole found = solve_on(team, system, precond, 100, "gmres");
      EXPECT_EQ(found.result.iterations, alone.result.iterations);
      EXPECT_TRUE(same_bits(found.x, alone.x));
    });
  }
}

TEST(DistributedMultigrid, TakesAFewRowsOnManyRanks) {
  for (const Index n : {1, 2, 7, 50}) {
    const System<double> system = system_of("poisson2d", n);
    on_ranks({1, 2, 3, 5, 7}, [&](const Team& team) { expect_solved(solve_on(team, system, "multigrid"), system); });
  }
}

TEST(DistributedMultigrid, TakesRanksWithoutRows) {
  const System<double> system = system_of("poisson2d", 100);  // five blocks of rows
  on_ranks({7}, [&](const Team& team) { expect_solved(solve_on(team, system, "multigrid:kind=plain"), system); });
}

TEST(DistributedMultigrid, TakesANegativeMatrixAndOneThatIsNotSymmetric) {
  System<double> negative = system_of("poisson2d", 100);
  for (double& value : negative.a.val) value = -value;
  for (double& value : negative.b) value = -value;
  const System<double> convection = system_of("convection-diffusion2d", 100);
  on_ranks({1, 2, 3}, [&](const Team& team) {
    expect_solved(solve_on(team, negative, "multigrid:kind=plain"), negative);
    expect_solved(solve_on(team, convection, "multigrid:kind=plain,smoother=jacobi"), convection);
  });
}

TEST(DistributedMultigrid, IsTakenByAutoForDiffusionAlone) {
  const System<double> diffusion = system_of("variable2d", 150);
  System<double> dominant = diffusion;
  for (std::size_t i = 0; i < dominant.b.size(); ++i) {
    for (auto k = dominant.a.row_ptr[i]; k < dominant.a.row_ptr[i + 1]; ++k) {
      auto& value = dominant.a.val[static_cast<std::size_t>(k)];
      if (dominant.a.col[static_cast<std::size_t>(k)] == static_cast<Index>(i)) value *= 3;
    }
  }
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const Whole found = solve_on(team, diffusion, "auto");
    expect_solved(found, diffusion);
    EXPECT_EQ(found.preconditioner, "multigrid");
    EXPECT_LT(found.result.iterations, 40);
    EXPECT_EQ(solve_on(team, dominant, "auto").preconditioner, "jacobi");
  });
}

// What goes wrong on one rank.

/// A matrix that isn't gathered at once, and its rows of a rank.
struct Part {
  Distributed<Host> space;
  Partition rows;
  Csr<double> mine;
  std::unique_ptr<DistributedOperator<Host, double>> a;

  explicit Part(const Team& team) : space(Host(1), team) {
    static const Csr<double> whole = generate<double>("poisson2d", {.n = 120});
    rows = Partition::by_rows(team, whole.rows);
    mine = piece(whole, rows.begin(team), rows.end(team));
    a = std::make_unique<DistributedOperator<Host, double>>(space, rows, mine.view());
  }
  auto multigrid(const StopRequest& stop, std::size_t limit) const {
    return distributed_preconditioner(*a, mine.view(), "multigrid", "kind=plain", stop, limit);
  }
};

/// A request that is made at the n-th look.
struct Token {
  std::shared_ptr<std::atomic<int>> looks;
  int from;
  bool stop_requested() const { return looks->fetch_add(1) >= from; }
};

TEST(DistributedMultigrid, StopsOnAllRanksWhereOneIsToStop) {
  on_ranks({1, 2, 3}, [](const Team& team) {
    const Part part(team);
    for (const int from : {0, 1, 2, 3}) {
      StopRequest stop;
      if (team.rank() == team.size() - 1) stop = Token{std::make_shared<std::atomic<int>>(0), from};
      EXPECT_THROW(part.multigrid(stop, 0), Stopped);
    }
    EXPECT_EQ(team.sum(1), team.size());  // and the team goes on
    EXPECT_LT(part.multigrid({}, 0)->rate(), 1);
  });
}

TEST(DistributedMultigrid, OfAGridStopsOnAllRanksAndKeepsALimitOfMemory) {
  on_ranks({1, 2, 3}, [](const Team& team) {
    const Part part(team);
    const auto made = [&](const StopRequest& stop, std::size_t limit) {
      return distributed_preconditioner(*part.a, part.mine.view(), "multigrid", "kind=structured", stop, limit);
    };
    const bool is_last = team.rank() == team.size() - 1;
    const StopRequest now = Token{std::make_shared<std::atomic<int>>(0), 0};
    EXPECT_THROW(made(is_last ? now : StopRequest(), 0), Stopped);
    EXPECT_THROW(made({}, is_last ? 1000 : 0), Error);
    EXPECT_LT(made({}, 0)->rate(), 0.5);
  });
}

TEST(DistributedMultigrid, KeepsALimitOfMemoryOnAllRanks) {
  on_ranks({1, 2, 3}, [](const Team& team) {
    const Part part(team);
    const std::size_t needed = team.most(part.multigrid({}, 0)->bytes());
    EXPECT_GT(needed, 0u);
    for (const std::size_t limit : {needed / 20, needed / 3}) {
      const bool is_limited = team.rank() == 0;
      try {
        part.multigrid({}, is_limited ? limit : 0);
        ADD_FAILURE();
      } catch (const MemoryLimitError&) {
        EXPECT_TRUE(is_limited);
      } catch (const RankError& e) {
        EXPECT_FALSE(is_limited);
        EXPECT_EQ(e.rank(), 0);
      }
    }
    EXPECT_LE(part.multigrid({}, 2 * needed)->bytes(), 2 * needed);
  });
}

TEST(DistributedMultigrid, RefusesWhatItHasNotOnAllRanks) {
  const System<double> system = system_of("poisson2d", 120);
  on_ranks({1, 2}, [&](const Team& team) {
    for (const char* const options :
         {"kind=classical", "kind=aggregation", "smoother=ilu0", "kind=plain,unknowns=2", "nonsense=1"})
      EXPECT_THROW(solve_on(team, system, std::string("multigrid:") + options), ArgumentError) << options;
    expect_solved(solve_on(team, system, "multigrid"), system);
  });
}

TEST(DistributedMultigrid, RefusesValuesThatLeaveTheRangeOfFloatOnAllRanks) {
  System<double> system = system_of("poisson2d", 120);
  for (std::size_t k = 0; k < system.a.val.size(); ++k) system.a.val[k] *= 1e-300;
  system.a.val.back() = 1e300;
  on_ranks({1, 2}, [&](const Team& team) { EXPECT_THROW(solve_on(team, system, "multigrid:kind=plain"), Error); });
}

TEST(DistributedMultigridOnThreads, LeavesWhereARankStaysAway) {
  const Stopwatch watch;
  EXPECT_THROW(Team::run(2,
                         [&](const Team& team) {
                           team.set_patience(0.3);
                           const Part part(team);
                           if (team.rank() == 0) part.multigrid({}, 0);
                         }),
               RankError);
  EXPECT_LT(watch.seconds(), 20);
}

}  // namespace
}  // namespace ostinato::test
