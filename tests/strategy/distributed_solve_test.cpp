// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/preconditioners/fsai/fsai.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/strategy/distributed_solve.hpp>

#include "support/pieces.hpp"
#include "support/ranks.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// What the ranks of a solve end with, put together.
template <class T = double>
struct Whole {
  SolveResult result;
  std::vector<T> x;
};

/// Solves on the ranks of a team, with rows in uneven parts. Returns the whole x on each rank.
template <class T>
Whole<T> solve_on(const Team& team, const System<T>& system, DistributedOptions options) {
  const Partition rows = uneven(team, system.a.rows);
  const Csr<T> mine = piece(system.a, rows.begin(team), rows.end(team));
  if (options.partition == "owners")
    for (Index i = rows.begin(team); i < rows.end(team); ++i)
      options.owners.push_back(static_cast<int>(i / 100 % team.size()));
  DistributedSolver<T> solver(team, mine, options, Host(1));
  std::vector<T> x(static_cast<std::size_t>(solver.columns().length(team)));
  Whole<T> whole{solver.solve(piece(system.b, rows, team), x), {}};
  whole.x = joined(team, x);
  return whole;
}

template <class T>
void expect_same(const Whole<T>& found, const Whole<T>& expected) {
  expect_same_course(found.result, expected.result);
  EXPECT_EQ(found.result.reason, expected.result.reason);
  EXPECT_TRUE(same_bits(found.x, expected.x));
}

/// Asks for a stop from its last look on.
struct StopAfter {
  std::shared_ptr<int> looks;
  bool stop_requested() const { return --*looks < 0; }
};

/// Asks for a stop where another rank's thread looks.
struct OfOthers {
  std::thread::id own;
  bool stop_requested() const { return std::this_thread::get_id() != own; }
};

DistributedOptions with(const std::string& solver, const std::string& precond, int most = 60) {
  return {.solver = solver, .preconditioner = precond, .solve = {.rtol = 1e-8, .max_iterations = most}};
}

/// A system whose solve takes long enough.
const System<double>& slow() {
  static const System<double> system = with_known_solution(generate<double>("poisson2d", {.n = 100}));
  return system;
}

TEST(DistributedSolve, HasTheBitsOfOneRankWithEverySolver) {
  for (const SolverInfo& info : solver_infos) {
    const char* const family = info.needs_symmetry ? "variable2d" : "convection-diffusion2d";
    const System<double> system = with_known_solution(generate<double>(family, {.n = 92}));  // five blocks
    for (const char* const precond : {"none", "jacobi"}) {
      if (info.needs_transpose && std::string(precond) != "none") continue;
      SCOPED_TRACE(std::string(info.name) + " " + precond);
      const DistributedOptions options = with(std::string(info.name), precond, 40);
      const Whole<> alone = solve_on(Team::alone(), system, options);
      EXPECT_GT(alone.result.iterations, 3);
      on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
    }
  }
}

TEST(DistributedSolve, ByCgHasTheBitsOfASolveWithoutRanks) {
  for (const char* const family : {"poisson2d", "variable3d", "fem27"}) {
    SCOPED_TRACE(family);
    const System<double> system = with_known_solution(generate<double>(family, {.n = family[0] == 'p' ? 100 : 22}));
    const Operator<Host, double> a(Host(), system.a, {.format = family[0] == 'f' ? "csr" : "dia"});
    const Jacobi<Host, double> m(Host(), system.a);
    Whole<> plain{{}, std::vector<double>(system.b.size())};
    plain.result = cg(Host(), a, system.b, plain.x, m, {.rtol = 1e-8, .max_iterations = 500});
    ASSERT_EQ(plain.result.status, Status::converged);
    on_ranks({1, 2, 3, 5},
             [&](const Team& team) { expect_same(solve_on(team, system, with("cg", "jacobi", 500)), plain); });
  }
}

TEST(DistributedSolve, ConvergesWithEveryPreconditioner) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  const Whole<> none = solve_on(Team::alone(), system, with("cg", "none", 2000));
  for (const char* const precond :
       {"jacobi", "spai0", "chebyshev", "block-jacobi", "ssor", "fsai", "ilu0", "ic0", "ict", "cholesky"}) {
    SCOPED_TRACE(precond);
    const DistributedOptions options = with("cg", precond, 2000);
    on_ranks({1, 2, 3}, [&](const Team& team) {
      const Whole<> found = solve_on(team, system, options);
      EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
      EXPECT_LT(found.result.iterations, none.result.iterations);
      expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    });
  }
}

TEST(DistributedSolve, WithPreconditionersOfTheWholeMatrixHasTheBitsOfOneRank) {
  for (const char* const family : {"variable2d", "mesh2d"}) {
    const System<double> system = with_known_solution(generate<double>(family, {.n = 100}));
    for (const char* const precond :
         {"spai0", "chebyshev", "block-jacobi", "block-jacobi:block=3", "fsai", "fsai:pattern=a2"}) {
      SCOPED_TRACE(std::string(family) + " " + precond);
      const DistributedOptions options = with("cg", precond, 800);
      const Whole<> alone = solve_on(Team::alone(), system, options);
      EXPECT_EQ(alone.result.status, Status::converged) << alone.result.message();
      on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
    }
  }
}

TEST(DistributedSolve, WithFsaiHasTheFactorOfASolveWithoutRanks) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  for (const FsaiPattern pattern : {FsaiPattern::a, FsaiPattern::a2}) {
    const Operator<Host, double> a(Host(), system.a, {.format = "dia"});
    const Fsai<Host, double> m(Host(), system.a, {.pattern = pattern});
    std::vector<double> x(system.b.size());
    const SolveResult plain = cg(Host(), a, system.b, x, m, {.rtol = 1e-8, .max_iterations = 500});
    const char* const precond = pattern == FsaiPattern::a ? "fsai" : "fsai:pattern=a2";
    on_ranks({1, 2, 3}, [&](const Team& team) {
      const Whole<> found = solve_on(team, system, with("cg", precond, 500));
      EXPECT_EQ(found.result.status, Status::converged);
      EXPECT_NEAR(found.result.iterations, plain.iterations, 1);
    });
  }
}

TEST(DistributedSolve, WithFsaiRefusesWhatIsNotSymmetricOnAllRanks) {
  const System<double> system = with_known_solution(generate<double>("convection-diffusion2d", {.n = 60}));
  on_ranks({1, 2, 3}, [&](const Team& team) {
    EXPECT_THROW(solve_on(team, system, with("gmres", "fsai")), ArgumentError);
    EXPECT_THROW(solve_on(team, slow(), with("cg", "fsai:pattern=adaptive")), ArgumentError);
    EXPECT_EQ(team.sum(1), team.size());
  });
}

TEST(DistributedSolve, InFloatHasTheBitsOfOneRankWithEverySolver) {
  for (const SolverInfo& info : solver_infos) {
    const char* const family = info.needs_symmetry ? "variable2d" : "convection-diffusion2d";
    const System<float> system = with_known_solution(generate<float>(family, {.n = 92}));
    const char* const precond = info.needs_transpose ? "none" : "jacobi";
    SCOPED_TRACE(info.name);
    const DistributedOptions options = with(std::string(info.name), precond, 30);
    const Whole<float> alone = solve_on(Team::alone(), system, options);
    EXPECT_GT(alone.result.iterations, 3);
    on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
  }
}

TEST(DistributedSolve, InFloatConvergesWithEveryPreconditioner) {
  const System<float> system = with_known_solution(generate<float>("variable2d", {.n = 60}));
  for (const char* const precond : {"none", "jacobi", "chebyshev", "block-jacobi", "ssor", "fsai", "ilu0", "ic0"}) {
    SCOPED_TRACE(precond);
    DistributedOptions options = with("cg", precond, 2000);
    options.solve.rtol = 1e-4;
    on_ranks({1, 2, 3}, [&](const Team& team) {
      const Whole<float> found = solve_on(team, system, options);
      EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
      expect_honest(Solved<float>{found.result, found.x}, system, options.solve);
    });
  }
}

TEST(DistributedSolve, GivesXBackInTheGivenOrderWithEveryPartition) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  const Whole<> alone = solve_on(Team::alone(), system, with("cg", "jacobi", 500));
  for (const char* const partition : {"given", "rows", "entries", "grid", "rcm", "metis", "owners"}) {
    if (partition == std::string("metis") && !has_graph_parts) continue;
    SCOPED_TRACE(partition);
    DistributedOptions options = with("cg", "jacobi", 500);
    options.partition = partition;
    on_ranks({1, 2, 3, 5}, [&](const Team& team) {
      const Whole<> found = solve_on(team, system, options);
      EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
      EXPECT_NEAR(found.result.iterations, alone.result.iterations, 2);
      expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    });
  }
}

TEST(DistributedSolve, InRcmOrderHasTheBitsOfOneRank) {
  const System<double> system = with_known_solution(generate<double>("mesh2d", {.n = 100}));
  DistributedOptions options = with("cg", "jacobi", 500);
  options.partition = "rcm";
  const Whole<> alone = solve_on(Team::alone(), system, options);
  on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
}

TEST(DistributedSolve, MultipliesInTheGivenOrder) {
  const Csr<double> a = generate<double>("variable2d", {.n = 90});
  const Operator<Host, double> whole(Host(), a, {.format = "csr"});
  const std::vector<double> x = random_vector<double>(a.cols, 3);
  std::vector<double> y(x.size());
  whole.apply(1, x, 0, y);
  on_ranks({1, 3}, [&](const Team& team) {
    const Partition rows = uneven(team, a.rows);
    const DistributedSolver<double> solver(team, piece(a, rows.begin(team), rows.end(team)), {.partition = "rcm"});
    const std::vector<double> found = solver.product(piece(x, rows, team)), expected = piece(y, rows, team);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-11);
  });
}

TEST(DistributedSolve, TakesFewRowsOnManyRanks) {
  const System<double> system = with_known_solution(generate<double>("poisson2d", {.n = 2}));
  on_ranks({1, 2, 3, 5, 7}, [&](const Team& team) {
    const Whole<> found = solve_on(team, system, {});
    EXPECT_EQ(found.result.status, Status::converged);
    EXPECT_EQ(found.result.solver, "cg");
  });
  on_ranks({1, 3}, [](const Team& team) {
    const Whole<> found = solve_on(team, System<double>{Csr<double>(), {}}, {});
    EXPECT_EQ(found.result.status, Status::converged);
    EXPECT_TRUE(found.x.empty());
  });
}

TEST(DistributedSolve, SolvesLeastSquaresProblems) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < 9000; ++i)
    for (const Index k : {0, 1, 2}) entries.push_back({i, (i / 2 + k) % 4000, k == 0 ? 3.0 : 1.0});
  const System<double> system{from_triplets<double>(9000, 4000, entries), random_vector<double>(9000, 1)};
  const Whole<> alone = solve_on(Team::alone(), system, with("auto", "auto", 500));
  EXPECT_EQ(alone.result.status, Status::least_squares) << alone.result.message();
  on_ranks({2, 3}, [&](const Team& team) { expect_same(solve_on(team, system, with("auto", "auto", 500)), alone); });
}

// What goes wrong on one rank.

TEST(DistributedSolve, StopsOnAllRanksInOneIterationWhereOneIsInterrupted) {
  on_ranks({2, 3}, [](const Team& team) {
    DistributedOptions options = with("cg", "jacobi", 500);
    if (team.rank() == 1) options.solve.callback = [](const Iteration& now) { return now.number < 20; };
    const Whole<> found = solve_on(team, slow(), options);
    EXPECT_EQ(found.result.status, Status::interrupted);
    EXPECT_EQ(found.result.iterations, 21);
    EXPECT_LT(found.result.relative_residual, 1);
    EXPECT_EQ(team.most(found.result.iterations), team.least(found.result.iterations));
  });
}

TEST(DistributedSolve, EndsByTheClockOfRankZero) {
  on_ranks({2, 3}, [](const Team& team) {
    DistributedOptions options = with("cg", "none", 100000);
    options.solve.rtol = 0;
    options.solve.divergence_limit = 0;
    options.solve.check_every = 1;
    const Partition rows = uneven(team, slow().a.rows);
    DistributedSolver<double> solver(team, piece(slow().a, rows.begin(team), rows.end(team)), options, Host(1));
    options.solve.time_limit = team.rank() == 0 ? 1e-3 : 1e-9;
    std::vector<double> x(static_cast<std::size_t>(rows.length(team)));
    const SolveResult found = solver.solve(piece(slow().b, rows, team), x, options.solve);
    EXPECT_EQ(found.status, Status::time_limit) << found.message();
    EXPECT_EQ(team.most(found.iterations), team.least(found.iterations));
  });
}

TEST(DistributedSolve, LeavesTheGuessWhereItsSetUpIsStopped) {
  on_ranks({2, 3}, [](const Team& team) {
    const Partition rows = uneven(team, slow().a.rows);
    const Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    DistributedOptions options = with("auto", "auto");
    options.solve.time_limit = 1e-9;
    std::vector<double> x(static_cast<std::size_t>(rows.length(team)), 7);
    const SolveResult late = solve(team, mine, piece(slow().b, rows, team), x, options);
    EXPECT_EQ(late.status, Status::time_limit);
    EXPECT_TRUE(late.set_up_stopped);
    EXPECT_EQ(late.preconditioner, "auto");
    EXPECT_EQ(late.message().find("nan"), std::string::npos) << late.message();
    EXPECT_NE(late.message().find("limit of 1e-09 s was reached; the set-up"), std::string::npos) << late.message();
    EXPECT_EQ(x, std::vector<double>(x.size(), 7));
    options.solve.time_limit = 0;
    if (team.rank() == 1) options.solve.stop = StopAfter{std::make_shared<int>(0)};
    EXPECT_EQ(solve(team, mine, piece(slow().b, rows, team), x, options).status, Status::interrupted);
  });
}

TEST(DistributedSolveOnThreads, LeavesTogetherWhereACallbackThrows) {
  for (const int rank : {0, 2}) {
    std::mutex mutex;
    std::vector<std::string> said(3);
    const Stopwatch watch;
    EXPECT_THROW(Team::run(3,
                           [&](const Team& team) {
                             DistributedOptions options = with("gmres", "ilu0", 500);
                             if (team.rank() == rank)
                               options.solve.callback = [](const Iteration& now) -> bool {
                                 if (now.number > 3) throw std::out_of_range("a bad callback");
                                 return true;
                               };
                             try {
                               solve_on(team, slow(), options);
                             } catch (const std::exception& e) {
                               const std::lock_guard lock(mutex);
                               said[static_cast<std::size_t>(team.rank())] = e.what();
                               throw;
                             }
                           }),
                 std::out_of_range);
    for (int r = 0; r < 3; ++r)
      EXPECT_EQ(said[static_cast<std::size_t>(r)],
                (r == rank ? "" : "rank " + std::to_string(rank) + ": ") + std::string("a bad callback"));
    EXPECT_LT(watch.seconds(), 20);
  }
}

TEST(DistributedSolveOnThreads, LeavesWhereARankStaysAway) {
  const Stopwatch watch;
  EXPECT_THROW(Team::run(2,
                         [&](const Team& team) {
                           team.set_patience(0.3);
                           const Csr<double>& a = slow().a;
                           const Partition rows = Partition::by_rows(team, a.rows);
                           const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
                           DistributedSolver solver(team, mine);
                           std::vector<double> x(mine.row_ptr.size() - 1);
                           if (team.rank() == 0) solver.solve(piece(slow().b, rows, team), x);
                         }),
               RankError);
  EXPECT_LT(watch.seconds(), 20);
}

TEST(DistributedSolve, RefusesRanksWithDifferentOptionsOnAllRanks) {
  on_ranks({2, 3}, [](const Team& team) {
    DistributedOptions options = with("cg", "jacobi");
    if (team.rank() == 1) options.solve.rtol = 1e-6;
    try {
      solve_on(team, slow(), options);
      ADD_FAILURE();
    } catch (const ArgumentError& e) {
      EXPECT_NE(std::string(e.what()).find("rtol of rank 1"), std::string::npos) << e.what();
    }
    EXPECT_EQ(team.sum(1), team.size());  // and the team goes on
    EXPECT_EQ(solve_on(team, slow(), with("cg", "jacobi", 500)).result.status, Status::converged);
  });
}

TEST(DistributedSolve, RefusesRanksWithDifferentNamesOnAllRanks) {
  const System<double>& system = slow();
  for (const int which : {0, 1, 2, 3}) {
    on_ranks({2, 3}, [&](const Team& team) {
      DistributedOptions options = with("cg", "jacobi");
      if (team.rank() == 1) {
        std::string* const names[] = {&options.solver, &options.preconditioner, &options.format, &options.partition};
        *names[which] = which == 0 ? "minres" : which == 1 ? "none" : which == 2 ? "csr" : "rcm";
      }
      EXPECT_THROW(solve_on(team, system, options), ArgumentError);
    });
  }
}

TEST(DistributedSolve, GoesOnWithMinresWhereAIsNotDefinite) {
  Csr<double> a = generate<double>("poisson2d", {.n = 60});
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      if (a.col[k] == static_cast<Index>(i)) a.val[k] -= 0.5;
  }
  const System<double> system = with_known_solution(a);
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const DistributedOptions options = with("auto", "jacobi", 3000);
    const Whole<double> found = solve_on(team, system, options);
    EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
    EXPECT_EQ(found.result.solver, "minres");
    EXPECT_TRUE(mentions(found.result, "went on with minres"));
    expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
  });
}

/// Says which preconditioners a solve has had, one after the other.
std::string stages_of(const SolveResult& result) {
  std::string text;
  for (const Stage& stage : result.stages) text += (text.empty() ? "" : ", ") + stage.preconditioner;
  return text;
}

TEST(DistributedSolve, GoesOnToStrongerPreconditionersWhereJacobiIsSlow) {
  // With Jacobi alone it takes more iterations than are allowed.
  const System<double> system = with_known_solution(generate<double>("anisotropic", {.n = 130}));
  const DistributedOptions options = with("auto", "auto", 420);
  const Whole<> alone = solve_on(Team::alone(), system, options);
  EXPECT_EQ(alone.result.status, Status::converged) << alone.result.message();
  EXPECT_EQ(stages_of(alone.result).substr(0, 12), "jacobi, fsai") << stages_of(alone.result);
  EXPECT_TRUE(mentions(alone.result, "went on with fsai"));
  EXPECT_EQ(alone.result.history.size(), static_cast<std::size_t>(alone.result.iterations) + 1);
  on_ranks({2, 3}, [&](const Team& team) {
    const Whole<> found = solve_on(team, system, options);
    EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
    ASSERT_GE(found.result.stages.size(), 2U);
    EXPECT_EQ(found.result.stages[0].iterations, alone.result.stages[0].iterations);  // whoever has the rows
    expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    DistributedOptions quick = options;
    quick.solve.effort = Effort::quick;
    EXPECT_EQ(stages_of(solve_on(team, system, quick).result), "jacobi");
  });
}

TEST(DistributedSolve, GoesOnToFactorsWhereRowsHaveNoDiagonal) {
  // A cycle of couplings beside weak ones: Krylov methods alone go around it.
  const Index n = 6000;
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, (i + 1) % n, 2.0});
    entries.push_back({i, (i * 7 + 3) % n, 0.3});
  }
  const System<double> system = with_known_solution(from_triplets<double>(n, n, entries));
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const DistributedOptions options = with("auto", "auto", 3000);
    const Whole<> found = solve_on(team, system, options);
    EXPECT_GT(found.result.stages.size(), 1U) << found.result.message();
    EXPECT_LE(found.result.iterations, 3000);
    expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    double least = 1;  // the guess, x = 0, has 1
    for (const Stage& stage : found.result.stages) least = std::min(least, stage.after);
    EXPECT_LE(found.result.relative_residual, least * (1 + 1e-6));
  });
}

TEST(DistributedSolve, BeginsWithWhatASolveHasGoneOnTo) {
  const System<double> system = with_known_solution(generate<double>("anisotropic", {.n = 130}));
  on_ranks({1, 2}, [&](const Team& team) {
    const Partition rows = uneven(team, system.a.rows);
    DistributedSolver<double> solver(team, piece(system.a, rows.begin(team), rows.end(team)), with("auto", "auto", 420),
                                     Host(1));
    const std::vector<double> b = piece(system.b, rows, team);
    std::vector<double> x(b.size()), again(b.size());
    const SolveResult first = solver.solve(b, x), second = solver.solve(b, again);
    EXPECT_EQ(second.status, Status::converged);
    EXPECT_EQ(second.stages.front().preconditioner, first.stages.back().preconditioner);
  });
}

TEST(DistributedSolve, StopsOnAllRanksAndGoesOnToNothingWhereOneAsks) {
  const System<double> system = with_known_solution(generate<double>("anisotropic", {.n = 130}));
  on_ranks({2, 3}, [&](const Team& team) {
    struct Asked {
      std::shared_ptr<bool> is_made;
      bool stop_requested() const { return *is_made; }
    };
    const auto flag = std::make_shared<bool>(false);
    DistributedOptions options = with("auto", "auto", 4000);
    options.solve.stop = Asked{flag};
    if (team.rank() == 1)
      options.solve.callback = [flag](const Iteration& now) {
        *flag = now.number > 60;
        return true;
      };
    const Whole<> found = solve_on(team, system, options);
    EXPECT_EQ(found.result.status, Status::interrupted) << found.result.message();
    EXPECT_LT(found.result.relative_residual, 1);
    EXPECT_EQ(team.most(found.result.iterations), team.least(found.result.iterations));
  });
}

/// Sets a system up on the ranks, of which the last one asks for a stop at its look number `looks`. Returns whether all
/// ranks were stopped; none is alone.
bool stops_set_up(const Team& team, const System<double>& system, DistributedOptions options, int looks) {
  const Partition rows = uneven(team, system.a.rows);
  if (team.rank() == team.size() - 1) options.solve.stop = StopAfter{std::make_shared<int>(looks)};
  if (options.partition == "owners")
    options.owners.assign(static_cast<std::size_t>(rows.length(team)), team.size() - 1);
  bool is_stopped = false;
  try {
    DistributedSolver<double>(team, piece(system.a, rows.begin(team), rows.end(team)), options, Host(1));
  } catch (const Stopped&) {
    is_stopped = true;
  }
  EXPECT_EQ(team.sum(is_stopped ? 1 : 0), is_stopped ? team.size() : 0) << options.partition << " " << looks;
  return is_stopped;
}

TEST(DistributedSolve, StopsInEachStepOfTheSetUpOnAllRanks) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 60}));
  on_ranks({1, 3}, [&](const Team& team) {
    for (const char* const partition : {"given", "grid", "rcm", "metis", "owners"}) {
      if (partition == std::string("metis") && !has_graph_parts) continue;
      for (const char* const precond : {"fsai", "ilut", "multigrid"}) {
        if (precond != std::string("fsai") && partition != std::string("given")) continue;
        DistributedOptions options = with("auto", precond);
        options.partition = partition;
        constexpr int most = 1000;
        int looks = 0;
        while (looks < most && stops_set_up(team, system, options, looks)) looks += 1 + looks / 4;
        EXPECT_GE(looks, 5) << partition;
        EXPECT_LT(looks, most) << partition;
      }
    }
  });
}

TEST(DistributedSolveOnThreads, StopsTheSetUpOfRanksThatAreNotAsked) {
  Team::run(3, [](const Team& team) {
    const Partition rows = Partition::by_rows(team, slow().a.rows);
    const Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    for (const int asked : {0, 1}) {
      DistributedOptions options = with("auto", "fsai");
      if (team.rank() == asked) options.solve.stop = OfOthers{std::this_thread::get_id()};
      EXPECT_THROW(DistributedSolver<double>(team, mine, options, Host(1)), Stopped) << asked;
    }
  });
}

TEST(DistributedSolve, EndsItsSetUpByTheClockOfRankZero) {
  on_ranks({2, 3}, [](const Team& team) {
    const Partition rows = Partition::by_rows(team, slow().a.rows);
    const Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    for (const double of_first : {1e-9, 1000.0}) {
      const DistributedOptions options = {.solve = {.time_limit = team.rank() == 0 ? of_first : 1e-9}};
      if (of_first < 1) {
        EXPECT_THROW(DistributedSolver<double>(team, mine, options), Stopped);
      } else {
        EXPECT_NO_THROW(DistributedSolver<double>(team, mine, options));
      }
    }
  });
}

TEST(DistributedSolve, TakesGmresWhereThePreconditionerIsNotSymmetric) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 70}));
  on_ranks({1, 2, 3}, [&](const Team& team) {
    for (const char* const precond : {"ssor:sweep=forward", "ilu0", "lu"}) {
      const DistributedOptions options = with("auto", precond, 500);
      const Whole<double> found = solve_on(team, system, options);
      EXPECT_EQ(found.result.solver, "gmres") << precond;
      expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
      EXPECT_EQ(found.result.status, Status::converged) << precond << found.result.message();
    }
  });
}

TEST(DistributedSolve, NamesRowsOfTheGivenMatrixInMessages) {
  System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  constexpr std::size_t without = 7003;
  for (auto k = static_cast<std::size_t>(system.a.row_ptr[without]);
       k < static_cast<std::size_t>(system.a.row_ptr[without + 1]); ++k)
    if (system.a.col[k] == static_cast<Index>(without)) system.a.val[k] = 0;
  std::vector<double> bad = system.b;
  bad[without] = std::numeric_limits<double>::quiet_NaN();
  on_ranks({1, 2, 3}, [&](const Team& team) {
    for (const char* const partition : {"given", "rcm", "owners"}) {
      for (const char* const precond : {"jacobi", "block-jacobi:block=1", "spai0"}) {
        DistributedOptions options = with("gmres", precond);
        options.partition = partition;
        try {
          solve_on(team, system, options);
          ADD_FAILURE() << precond;
        } catch (const Error& e) {
          EXPECT_NE(std::string(e.what()).find("row 7003"), std::string::npos) << partition << ": " << e.what();
        }
      }
      DistributedOptions options = with("gmres", "none");
      options.partition = partition;
      const Whole<> found = solve_on(team, System<double>{system.a, bad}, options);
      EXPECT_NE(found.result.reason.find("row 7003"), std::string::npos) << partition << ": " << found.result.reason;
    }
  });
}

TEST(DistributedSolve, KeepsALimitOfMemory) {
  const System<double>& system = slow();
  on_ranks({2, 3}, [&](const Team& team) {
    for (const char* const precond : {"jacobi", "fsai", "block-jacobi", "ilut", "lu", "multigrid"}) {
      DistributedOptions options = with("auto", precond);
      options.solve.mem_limit = 1000;
      EXPECT_THROW(solve_on(team, system, options), Error) << precond;
    }
  });
}

/// Powers of two by which rows differ.
double size_of_row(std::size_t i) { return std::ldexp(1.0, i % 7 == 3 ? 40 : i % 11 == 5 ? -25 : 0); }

/// A system of which some rows are far larger than others, and where it is to be symmetric, the columns, too. The
/// unknowns are then of such a size that each row has terms of one size.
System<double> badly_scaled(const char* family, bool is_symmetric) {
  const System<double> ordinary = with_known_solution(generate<double>(family, {.n = 80}));
  System<double> system = ordinary;
  for (std::size_t i = 0; i < system.b.size(); ++i) {
    system.b[i] *= size_of_row(i);
    for (auto k = static_cast<std::size_t>(system.a.row_ptr[i]); k < static_cast<std::size_t>(system.a.row_ptr[i + 1]);
         ++k)
      system.a.val[k] *= size_of_row(i) * (is_symmetric ? size_of_row(static_cast<std::size_t>(system.a.col[k])) : 1);
  }
  return system;
}

TEST(DistributedSolve, ScalesRowsThatDifferInSize) {
  for (const bool is_symmetric : {false, true}) {
    const System<double> system = badly_scaled(is_symmetric ? "variable2d" : "convection-diffusion2d", is_symmetric);
    const DistributedOptions options = with("auto", "jacobi", 3000);
    const Whole<> alone = solve_on(Team::alone(), system, options);
    EXPECT_EQ(alone.result.status, Status::converged) << alone.result.message();
    EXPECT_EQ(alone.result.unsolved_rows, 0);
    EXPECT_LT(alone.result.scaled_error, 1e-6);
    expect_honest(Solved<double>{alone.result, alone.x}, system, options.solve);
    const std::vector<double> x = random_vector<double>(system.a.cols, 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(alone.x[i] * (is_symmetric ? size_of_row(i) : 1), x[i], 1e-3) << i;
    on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
  }
}

/// -u'' = 0 on a bar whose ends are held: the ends are rows of 1, the others far smaller.
System<double> bar(Index n, double size) {
  std::vector<Triplet<double>> entries = {{0, 0, 1.0}, {n - 1, n - 1, 1.0}};
  for (Index i = 1; i < n - 1; ++i)
    for (const Index j : {i - 1, i, i + 1}) entries.push_back({i, j, i == j ? 2 * size : -size});
  System<double> system{from_triplets<double>(n, n, entries), std::vector<double>(static_cast<std::size_t>(n), 0.0)};
  system.b.front() = 300;
  system.b.back() = 400;
  return system;
}

TEST(DistributedSolve, SaysWhichRowsOfASmallResidualAreUnsolved) {
  constexpr Index n = 200;
  for (const double size : {1e-4, 1e-5}) {
    const System<double> system = bar(n, size);
    on_ranks({1, 2, 3}, [&](const Team& team) {
      const Whole<> found = solve_on(team, system, {});
      if (found.result.unsolved_rows > 0 || !found.result) return;
      for (Index i = 0; i < n; ++i)
        ASSERT_NEAR(found.x[static_cast<std::size_t>(i)], 300 + 100.0 * i / (n - 1), 1) << size << ' ' << i;
    });
  }
}

TEST(DistributedSolve, LeavesRowsAsTheyAreWhereThatIsAskedFor) {
  const System<double> system = badly_scaled("variable2d", false);
  on_ranks({1, 3}, [&](const Team& team) {
    const Partition rows = uneven(team, system.a.rows);
    const Csr<double> mine = piece(system.a, rows.begin(team), rows.end(team));
    EXPECT_GT(DistributedSolver<double>(team, mine).preparation().scaled_by, 20);
    EXPECT_EQ(DistributedSolver<double>(team, mine, {.solve = {.prepare = false}}).preparation().scaled_by, 0);
  });
}

TEST(DistributedSolve, MultipliesByTheGivenMatrixWhereRowsAreScaled) {
  const System<double> system = badly_scaled("convection-diffusion2d", false);
  on_ranks({1, 3}, [&](const Team& team) {
    const Partition rows = uneven(team, system.a.rows);
    const DistributedSolver<double> solver(team, piece(system.a, rows.begin(team), rows.end(team)));
    const std::vector<double> x = random_vector<double>(system.a.cols, 3), mine = piece(x, rows, team),
                              y = solver.product(mine);
    for (Index i = rows.begin(team); i < rows.end(team); ++i) {
      double sum = 0, size = 0;
      for (auto k = static_cast<std::size_t>(system.a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(system.a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
        sum += system.a.val[k] * x[static_cast<std::size_t>(system.a.col[k])];
        size += std::abs(system.a.val[k] * x[static_cast<std::size_t>(system.a.col[k])]);
      }
      EXPECT_NEAR(y[static_cast<std::size_t>(i - rows.begin(team))], sum, 1e-14 * size);
    }
  });
}

TEST(DistributedSolve, RefusesPartsThatDoNotFitOnAllRanks) {
  on_ranks({2, 3}, [](const Team& team) {
    const Partition rows = Partition::by_rows(team, slow().a.rows);
    const Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    Csr<double> wider = mine;
    wider.cols += team.rank();
    EXPECT_THROW(DistributedSolver<double>(team, wider), ArgumentError);
    DistributedSolver solver(team, mine);
    std::vector<double> b = piece(slow().b, rows, team), x(b.size());
    if (team.rank() == 1) b.push_back(0);
    if (team.rank() == 1) {
      EXPECT_THROW(solver.solve(b, x), DimensionError);
    } else {
      EXPECT_THROW(solver.solve(b, x), RankError);
    }
    b.resize(x.size());
    EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  });
}

TEST(DistributedSolve, SaysWhichPreconditionersAndSolversThereAre) {
  on_ranks({1, 2}, [](const Team& team) {
    EXPECT_THROW(solve_on(team, slow(), with("cg", "spai1")), ArgumentError);
    EXPECT_THROW(solve_on(team, slow(), with("nonsense", "none")), ArgumentError);
    DistributedOptions options = with("cg", "none");
    options.format = "bccoo";
    EXPECT_THROW(solve_on(team, slow(), options), Error);
  });
}

TEST(DistributedSolve, FindsNumbersThatAreNotFiniteWhereverTheyAre) {
  System<double> system = slow();
  system.b[9000] = std::numeric_limits<double>::quiet_NaN();
  on_ranks({1, 2, 5}, [&](const Team& team) {
    const Whole<> found = solve_on(team, system, with("cg", "jacobi"));
    EXPECT_EQ(found.result.status, Status::not_finite);
    EXPECT_NE(found.result.reason.find("row 9000"), std::string::npos) << found.result.reason;
  });
}

TEST(DistributedSolve, SolvesSingularSystemsWhoseConstantsAreFree) {
  const Csr<double> a = ring<double>(5000);
  std::vector<double> b = random_vector<double>(5000, 5);
  double sum = 0;
  for (const double value : b) sum += value;
  for (double& value : b) value -= sum / 5000;
  for (const double outside : {0.0, 0.5}) {
    System<double> system{a, b};
    for (double& value : system.b) value += outside;
    DistributedOptions options = with("auto", "jacobi", 20000);
    const Whole<> alone = solve_on(Team::alone(), system, options);
    EXPECT_EQ(alone.result.status, outside == 0 ? Status::converged : Status::least_squares) << alone.result.message();
    EXPECT_TRUE(alone.result.is_singular);
    if (outside == 0) expect_honest(Solved<double>{alone.result, alone.x}, system, options.solve);
    on_ranks({2, 3, 5}, [&](const Team& team) { expect_same(solve_on(team, system, options), alone); });
  }
}

TEST(DistributedSolve, SaysWhyASingularSystemHasNoSolution) {
  const Csr<double> a = ring<double>(10000);
  System<double> system{a, std::vector<double>(10000, 1.0)};
  system.b[3] = 5;
  const Whole<> alone = solve_on(Team::alone(), system, with("minres", "none", 3000));
  EXPECT_NE(alone.result.status, Status::converged);
  on_ranks({2, 3}, [&](const Team& team) { expect_same(solve_on(team, system, with("minres", "none", 3000)), alone); });
}

}  // namespace
}  // namespace ostinato::test
