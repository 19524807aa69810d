// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/strategy/distributed_solve.hpp>

#include "support/gpu_ranks.hpp"
#include "support/pieces.hpp"
#include "support/solving.hpp"

// Solves whose ranks are threads or processes with a GPU each, or that share one.

namespace ostinato::test::gpus {
namespace {

using CudaRanks = OnGpus;
using CudaRanksOnThreads = OnGpus;

template <class T = double>
struct Whole {
  SolveResult result;
  std::vector<T> x;
};

/// Solves with rows in uneven parts. Returns the whole x on each rank.
template <class T>
Whole<T> solve_on(const Team& team, const Cuda& gpu, const System<T>& system, const DistributedOptions& options) {
  const Partition rows = uneven(team, system.a.rows);
  DistributedSolver solver(team, piece(system.a, rows.begin(team), rows.end(team)), options, gpu);
  std::vector<T> x(static_cast<std::size_t>(solver.columns().length(team)));
  Whole<T> whole{solver.solve(piece(system.b, rows, team), x), {}};
  whole.x = joined(team, x);
  return whole;
}

DistributedOptions with(const std::string& solver, const std::string& precond, int most = 60, double rtol = 1e-8) {
  return {.solver = solver, .preconditioner = precond, .solve = {.rtol = rtol, .max_iterations = most}};
}

const System<double>& slow() {
  static const System<double> system = with_known_solution(generate<double>("poisson2d", {.n = 100}));
  return system;
}

/// Solves on one rank, and then on others, which give the same bits; the residual of each is recomputed here.
template <class T>
SolveResult expect_bits_of_one_rank(const System<T>& system, const DistributedOptions& options, int gpus = 1,
                                    std::initializer_list<int> sizes = {2, 3}) {
  Whole<T> alone;
  on_gpu_ranks({1}, [&](const Team& team, const Cuda& gpu) { alone = solve_on(team, gpu, system, options); });
  expect_honest(Solved<T>{alone.result, alone.x}, system, options.solve);
  on_gpu_ranks(
      sizes,
      [&](const Team& team, const Cuda& gpu) {
        const Whole<T> found = solve_on(team, gpu, system, options);
        expect_same_course(found.result, alone.result);
        EXPECT_TRUE(same_bits(found.x, alone.x));
      },
      gpus);
  return alone.result;
}

template <class T>
void expect_bits_with_every_solver(double rtol, int gpus) {
  for (const SolverInfo& info : solver_infos) {
    const char* const family = info.needs_symmetry ? "variable2d" : "convection-diffusion2d";
    const System<T> system = with_known_solution(generate<T>(family, {.n = 92}));  // five blocks
    for (const char* const precond : {"none", "jacobi"}) {
      if (info.needs_transpose && std::string(precond) != "none") continue;
      SCOPED_TRACE(std::string(info.name) + " " + precond);
      const SolveResult result = expect_bits_of_one_rank(system, with(std::string(info.name), precond, 50, rtol), gpus);
      EXPECT_GT(result.iterations, 3);
      EXPECT_LT(result.relative_residual, 1);
    }
  }
}

TEST_F(CudaRanks, HaveTheBitsOfOneRankWithEverySolver) { expect_bits_with_every_solver<double>(1e-8, 1); }
TEST_F(CudaRanks, HaveTheBitsOfOneRankInFloatWithEverySolver) { expect_bits_with_every_solver<float>(1e-4, 1); }

// Where the hosts join the sums and carry the ghosts.
TEST_F(CudaRanks, HaveTheBitsOfOneRankWithMoreRanksThanReachEachOther) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 200}));  // 20 blocks
  for (const char* const solver : {"cg", "gmres", "lsmr"}) {
    SCOPED_TRACE(solver);
    const SolveResult result = expect_bits_of_one_rank(
        system, with(solver, std::string(solver) == "cg" ? "fsai" : "none", 40), 1, {PeerBuffers::most_ranks + 1});
    EXPECT_GT(result.iterations, 3);
  }
}

TEST_F(CudaRanks, HaveTheBitsOfThreadsWhereTheyAreProcesses) {
  if (Team::launched() == 1) GTEST_SKIP() << "needs mpirun";
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 92}));
  for (const char* const precond : {"jacobi", "chebyshev", "ilu0"}) {
    SCOPED_TRACE(precond);
    const DistributedOptions options = with("cg", precond, 50);
    Whole<> found;
    on_gpu_ranks({2}, [&](const Team& team, const Cuda& gpu) { found = solve_on(team, gpu, system, options); });
    Team::run(Team::launched(), [&](const Team& threads) {
      const Whole<> wanted = solve_on(threads, threads.agreed([] { return Cuda(0); }), system, options);
      if (threads.rank() != 0) return;
      expect_same_course(found.result, wanted.result);
      EXPECT_TRUE(same_bits(found.x, wanted.x));
    });
  }
}

TEST_F(CudaRanks, HaveTheBitsOfOneRankOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_bits_with_every_solver<double>(1e-8, 2);
}

TEST_F(CudaRanks, HaveTheBitsOfOneRankWithPreconditionersOfTheWholeMatrix) {
  for (const char* const family : {"variable2d", "mesh2d"}) {
    const System<double> system = with_known_solution(generate<double>(family, {.n = 100}));
    for (const char* const precond : {"none", "jacobi", "chebyshev", "block-jacobi", "fsai", "fsai:pattern=a2"}) {
      SCOPED_TRACE(std::string(family) + " " + precond);
      const SolveResult result = expect_bits_of_one_rank(system, with("cg", precond, 2000));
      EXPECT_EQ(result.status, Status::converged) << result.message();
    }
  }
}

template <class T>
void expect_bits_with_multigrid(double rtol, int gpus) {
  struct Grid {
    const char* family;
    Index n;
  };
  for (const Grid& grid : {Grid{"poisson2d", 150}, {"poisson2d", 101}, {"poisson3d", 30}, {"poisson3d", 27}}) {
    const System<T> system = with_known_solution(generate<T>(grid.family, {.n = grid.n}));
    for (const char* const precond : {"multigrid", "multigrid:sweeps=2,smoother=chebyshev"}) {
      SCOPED_TRACE(grid.family + std::to_string(grid.n) + " " + precond);
      const SolveResult result = expect_bits_of_one_rank(system, with("cg", precond, 40, rtol), gpus, {2, 3, 5});
      EXPECT_EQ(result.status, Status::converged) << result.message();
    }
  }
}

TEST_F(CudaRanks, HaveTheBitsOfOneRankWithMultigrid) { expect_bits_with_multigrid<double>(1e-8, 1); }
TEST_F(CudaRanks, HaveTheBitsOfOneRankInFloatWithMultigrid) { expect_bits_with_multigrid<float>(1e-5, 1); }
TEST_F(CudaRanks, HaveTheBitsOfOneRankWithMultigridOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_bits_with_multigrid<double>(1e-8, 2);
}

TEST_F(CudaRanks, TakeMultigridOfAGridByThemselves) {
  const System<double> system = with_known_solution(generate<double>("poisson3d", {.n = 30}));
  std::vector<double> x(system.b.size());
  DistributedSolver on_cpu(Team::alone(), system.a, with("auto", "auto"));
  const SolveResult wanted = on_cpu.solve(system.b, x);
  on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda& gpu) {
    const Partition rows = Partition::by_rows(team, system.a.rows);
    DistributedSolver solver(team, piece(system.a, rows.begin(team), rows.end(team)), with("auto", "auto"), gpu);
    EXPECT_EQ(solver.preconditioner(), "multigrid");
    std::vector<double> mine(static_cast<std::size_t>(rows.length(team)));
    EXPECT_NEAR(solver.solve(piece(system.b, rows, team), mine).iterations, wanted.iterations, 1);
  });
}

TEST_F(CudaRanks, TakeTheIterationsOfTheCpu) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  for (const char* const precond : {"jacobi", "chebyshev", "fsai"}) {
    SCOPED_TRACE(precond);
    std::vector<double> x(system.b.size());
    const SolveResult on_cpu = DistributedSolver(Team::alone(), system.a, with("cg", precond, 2000)).solve(system.b, x);
    on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda& gpu) {
      const Whole<> found = solve_on(team, gpu, system, with("cg", precond, 2000));
      EXPECT_NEAR(found.result.iterations, on_cpu.iterations, 2);
    });
  }
}

TEST_F(CudaRanks, ConvergeWithPreconditionersOfEachRank) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  for (const char* const precond : {"ssor", "ilu0", "ic0"}) {
    SCOPED_TRACE(precond);
    const DistributedOptions options = with("auto", precond, 2000);
    on_gpu_ranks({1, 3}, [&](const Team& team, const Cuda& gpu) {
      const Whole<> found = solve_on(team, gpu, system, options);
      EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
      expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    });
  }
}

TEST_F(CudaRanks, GiveXBackInTheGivenOrderWithEveryPartition) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 100}));
  for (const char* const partition : {"given", "rows", "entries", "grid", "rcm"}) {
    SCOPED_TRACE(partition);
    DistributedOptions options = with("auto", "auto", 1000);
    options.partition = partition;
    on_gpu_ranks({1, 3}, [&](const Team& team, const Cuda& gpu) {
      const Whole<> found = solve_on(team, gpu, system, options);
      EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
      expect_honest(Solved<double>{found.result, found.x}, system, options.solve);
    });
  }
}

TEST_F(CudaRanks, MultiplyInTheGivenOrder) {
  const System<double>& system = slow();
  on_gpu_ranks({1, 3}, [&](const Team& team, const Cuda& gpu) {
    const Partition rows = uneven(team, system.a.rows);
    const DistributedSolver solver(team, piece(system.a, rows.begin(team), rows.end(team)),
                                   DistributedOptions{.partition = "rcm"}, gpu);
    const std::vector<double> ones(static_cast<std::size_t>(rows.length(team)), 1), y = solver.product(ones);
    for (Index i = rows.begin(team); i < rows.end(team); ++i) {
      double sum = 0;
      for (auto k = system.a.row_ptr[static_cast<std::size_t>(i)];
           k < system.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        sum += system.a.val[static_cast<std::size_t>(k)];
      ASSERT_NEAR(y[static_cast<std::size_t>(i - rows.begin(team))], sum, 1e-14) << i;
    }
  });
}

TEST_F(CudaRanks, TakeFewRowsOnManyRanks) {
  const System<double> system = with_known_solution(generate<double>("poisson2d", {.n = 2}));
  on_gpu_ranks({1, 2, 3, 5}, [&](const Team& team, const Cuda& gpu) {
    const Whole<> found = solve_on(team, gpu, system, {});
    EXPECT_EQ(found.result.status, Status::converged);
    expect_honest(Solved<double>{found.result, found.x}, system, {});
    const Whole<> nothing = solve_on(team, gpu, System<double>{Csr<double>(), {}}, {});
    EXPECT_EQ(nothing.result.status, Status::converged);
    EXPECT_TRUE(nothing.x.empty());
  });
}

TEST_F(CudaRanks, SolveLeastSquaresProblems) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < 9000; ++i)
    for (const Index k : {0, 1, 2}) entries.push_back({i, (i / 2 + k) % 4000, k == 0 ? 3.0 : 1.0});
  const System<double> system{from_triplets<double>(9000, 4000, entries), random_vector<double>(9000, 1)};
  Whole<> alone;
  on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
    const Whole<> found = solve_on(team, gpu, system, with("auto", "auto", 500));
    EXPECT_EQ(found.result.status, Status::least_squares) << found.result.message();
    if (team.size() == 1) alone = found;
    EXPECT_EQ(found.result.iterations, alone.result.iterations);
    EXPECT_TRUE(same_bits(found.x, alone.x));
  });
}

TEST_F(CudaRanks, GoThroughTheOneCall) {
  const System<double>& system = slow();
  on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda&) {
    const Partition rows = Partition::by_rows(team, system.a.rows);
    const Csr<double> mine = piece(system.a, rows.begin(team), rows.end(team));
    std::vector<double> x(static_cast<std::size_t>(mine.rows));
    const SolveResult result = solve(team, gpu_of(team), mine.view(), piece(system.b, rows, team), x);
    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_EQ(gpu_of(team).device(), team.rank() % Cuda::device_count());
    if (team.size() <= Cuda::device_count()) {
      EXPECT_EQ(gpu_of(team, false).device(), team.rank());
    } else {
      EXPECT_THROW(gpu_of(team, false), ArgumentError);
    }
  });
}

// What goes wrong.

TEST_F(CudaRanks, RefuseMultigridOfOtherMatricesThanGrids) {
  const System<double> variable = with_known_solution(generate<double>("variable2d", {.n = 150}));
  on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda& gpu) {
    for (const char* const precond : {"multigrid", "multigrid:kind=plain", "multigrid:kind=structured"}) {
      try {
        solve_on(team, gpu, variable, with("cg", precond));
        ADD_FAILURE();
      } catch (const ArgumentError& e) {
        EXPECT_NE(std::string(e.what()).find("multigrid: ranks on GPUs"), std::string::npos) << e.what();
      }
    }
    EXPECT_EQ(team.sum(1), team.size());
    EXPECT_EQ(solve_on(team, gpu, variable, with("cg", "auto", 2000)).result.status, Status::converged);
  });
}

TEST_F(CudaRanks, StopInOneIterationWhereOneIsInterrupted) {
  on_gpu_ranks({2, 3}, [](const Team& team, const Cuda& gpu) {
    DistributedOptions options = with("cg", "jacobi", 500);
    if (team.rank() == 1) options.solve.callback = [](const Iteration& now) { return now.number < 20; };
    const Whole<> found = solve_on(team, gpu, slow(), options);
    EXPECT_EQ(found.result.status, Status::interrupted);
    EXPECT_EQ(team.most(found.result.iterations), team.least(found.result.iterations));
    EXPECT_LT(found.result.iterations, 20 + 4 * 8);  // some blocks are under way
  });
}

TEST_F(CudaRanksOnThreads, LeaveTogetherWhereACallbackThrows) {
  for (const int rank : {0, 2}) {
    std::mutex mutex;
    std::vector<std::string> said(3);
    const Stopwatch watch;
    const auto work = [&](const Team& team, const Cuda& gpu) {
      DistributedOptions options = with("gmres", "jacobi", 500);
      if (team.rank() == rank)
        options.solve.callback = [](const Iteration& now) -> bool {
          if (now.number > 3) throw std::out_of_range("a bad callback");
          return true;
        };
      try {
        solve_on(team, gpu, slow(), options);
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex);
        said[static_cast<std::size_t>(team.rank())] = e.what();
        throw;
      }
    };
    EXPECT_THROW(on_gpu_ranks({3}, work), std::out_of_range);
    for (int r = 0; r < 3; ++r)
      EXPECT_EQ(said[static_cast<std::size_t>(r)],
                (r == rank ? "" : "rank " + std::to_string(rank) + ": ") + std::string("a bad callback"));
    EXPECT_LT(watch.seconds(), 20);
  }
}

TEST_F(CudaRanks, LeaveTogetherWhereTheSetUpOfOneThrows) {
  const Stopwatch watch;
  on_gpu_ranks({2, 3}, [](const Team& team, const Cuda& gpu) {
    const Partition rows = Partition::by_rows(team, slow().a.rows);
    Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    if (team.rank() == 1) mine.col[7] = mine.cols;
    if (team.rank() == 1) {
      EXPECT_THROW(DistributedSolver(team, mine, {}, gpu), ArgumentError);
    } else {
      EXPECT_THROW(DistributedSolver(team, mine, {}, gpu), RankError);
    }
    EXPECT_EQ(solve_on(team, gpu, slow(), with("cg", "jacobi", 500)).result.status, Status::converged);
  });
  EXPECT_LT(watch.seconds(), 30);
}

TEST_F(CudaRanksOnThreads, LeaveWhereARankStaysAway) {
  const Stopwatch watch;
  const auto work = [](const Team& team, const Cuda& gpu) {
    team.set_patience(0.5);
    const Partition rows = Partition::by_rows(team, slow().a.rows);
    const Csr<double> mine = piece(slow().a, rows.begin(team), rows.end(team));
    DistributedSolver solver(team, mine, {}, gpu);
    std::vector<double> x(static_cast<std::size_t>(mine.rows));
    if (team.rank() == 0) solver.solve(piece(slow().b, rows, team), x);
  };
  EXPECT_THROW(on_gpu_ranks({2}, work), RankError);
  EXPECT_LT(watch.seconds(), 20);
}

}  // namespace
}  // namespace ostinato::test::gpus
