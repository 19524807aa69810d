// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/distributed.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/strategy/distributed_solve.hpp>

#include "support/gpu_ranks.hpp"
#include "support/pieces.hpp"
#include "support/solving.hpp"

// Multigrid across ranks on GPUs, beside that of as many ranks on CPUs. uneven() gives the second of three ranks, and
// of more, no rows.

namespace ostinato::test::gpus {
namespace {

using CudaRanksMultigrid = OnGpus;

struct GroupedSystem {
  const char* family;
  Index n;
};
constexpr GroupedSystem grouped_systems[] = {{"poisson2d", 150}, {"poisson3d", 30}, {"variable2d", 150},
                                             {"variable3d", 30}, {"mesh3d", 20},    {"mesh3d", 24}};

template <class T>
struct Whole {
  SolveResult result;
  std::vector<T> x;
  std::string preconditioner;
};

template <class T>
System<T> system_of(const GroupedSystem& c) {
  return with_known_solution(generate<T>(c.family, {.n = c.n}));
}

template <class T, class Local>
Whole<T> solve_on(const Team& team, const Local& local, const System<T>& system, const std::string& precond,
                  double rtol = 1e-8, const std::string& solver = "auto") {
  const Partition rows = uneven(team, system.a.rows);
  DistributedOptions options{.solver = solver, .preconditioner = precond};
  options.solve = {.rtol = rtol, .max_iterations = 100, .prepare = false};
  DistributedSolver made(team, piece(system.a, rows.begin(team), rows.end(team)), options, local);
  std::vector<T> x(static_cast<std::size_t>(made.columns().length(team)));
  Whole<T> whole{made.solve(piece(system.b, rows, team), x), {}, made.preconditioner()};
  whole.x = joined(team, x);
  return whole;
}

template <class T>
void expect_solved(const Whole<T>& found, const System<T>& system, double rtol = 1e-8) {
  EXPECT_EQ(found.result.status, Status::converged) << found.result.message();
  expect_honest(Solved<T>{found.result, found.x}, system, {.rtol = rtol});
}

/// The solve of as many ranks on CPUs.
template <class T>
Whole<T> on_cpus(int size, const System<T>& system, const std::string& precond, double rtol = 1e-8) {
  Whole<T> whole;
  Team::run(size, [&](const Team& team) {
    Whole<T> found = solve_on(team, Host(1), system, precond, rtol);
    if (team.rank() == 0) whole = std::move(found);
  });
  return whole;
}

/// Residuals fall as on CPUs, until they are near the rounding of float in a preconditioner.
void expect_course(const SolveResult& found, const SolveResult& wanted) {
  EXPECT_EQ(found.iterations, wanted.iterations);
  const std::size_t count = std::min(found.history.size(), wanted.history.size());
  for (std::size_t k = 0; k < count; ++k)
    EXPECT_NEAR(found.history[k], wanted.history[k], 0.02 * wanted.history[k]) << "iteration " << k;
}

template <class T>
void expect_iterations_of_cpus(double rtol, int gpus) {
  for (const GroupedSystem& c : grouped_systems) {
    SCOPED_TRACE(c.family + std::to_string(c.n));
    const System<T> system = system_of<T>(c);
    for (const int size : {1, 2, 3, 5}) {
      const Whole<T> wanted = on_cpus(size, system, "multigrid:kind=plain", rtol);
      on_gpu_ranks(
          {size},
          [&](const Team& team, const Cuda& gpu) {
            const Whole<T> found = solve_on(team, gpu, system, "multigrid:kind=plain", rtol);
            expect_solved(found, system, rtol);
            expect_course(found.result, wanted.result);
          },
          gpus);
    }
  }
}

TEST_F(CudaRanksMultigrid, TakesTheIterationsOfRanksOnCpus) { expect_iterations_of_cpus<double>(1e-8, 1); }
TEST_F(CudaRanksMultigrid, TakesTheIterationsOfRanksOnCpusInFloat) { expect_iterations_of_cpus<float>(1e-4, 1); }
TEST_F(CudaRanksMultigrid, TakesTheIterationsOfRanksOnCpusOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_iterations_of_cpus<double>(1e-8, 2);
}

/// What a cycle is, and does to a vector.
template <class T>
struct GroupedCycle {
  std::vector<PreconditionerLevel> levels;
  std::vector<T> z;
  double rate = 0, dot = 0;
};

template <class T, class Local>
GroupedCycle<T> cycle_on(const Team& team, const Local& local, const Csr<T>& whole, const std::vector<T>& r,
                         const std::string& options) {
  const Distributed<Local> space(local, team);
  const Partition rows = uneven(team, whole.rows);
  const Csr<T> mine = piece(whole, rows.begin(team), rows.end(team));
  const DistributedOperator<Local, T> a(space, rows, mine.view());
  const auto m = distributed_preconditioner(a, mine.view(), "multigrid", options);
  const Vector<Local, T> own(local, std::span<const T>(piece(r, rows, team)));
  Vector<Local, T> z(local, own.size()), again(local, own.size());
  Vector<Local, sum_t<T>> slot(local, 1);
  m->apply(own.span(), z.span());
  m->apply_dot(own.span(), again.span(), slot.data());
  EXPECT_TRUE(same_bits(z.download(), again.download()));
  return {m->levels(), joined(team, z.download()), m->rate(), static_cast<double>(slot.download()[0])};
}

template <class T>
void expect_cycle_of_cpus(const Csr<T>& a, const std::string& options) {
  const std::vector<T> r = random_vector<T>(a.rows, 5);
  for (const int size : {2, 3, 5}) {
    GroupedCycle<T> wanted;
    Team::run(size, [&](const Team& team) {
      GroupedCycle<T> found = cycle_on(team, Host(1), a, r, options);
      if (team.rank() == 0) wanted = std::move(found);
    });
    double largest = 0;
    for (const T value : wanted.z) largest = std::max(largest, std::abs(static_cast<double>(value)));
    on_gpu_ranks({size}, [&](const Team& team, const Cuda& gpu) {
      const GroupedCycle<T> found = cycle_on(team, gpu, a, r, options);
      EXPECT_NEAR(found.rate, wanted.rate, 1e-3);
      EXPECT_NEAR(found.dot, wanted.dot, 1e-4 * std::abs(wanted.dot));
      ASSERT_EQ(found.levels.size(), wanted.levels.size());
      for (std::size_t k = 0; k < found.levels.size(); ++k) {
        EXPECT_EQ(found.levels[k].rows, wanted.levels[k].rows) << "level " << k;
        EXPECT_EQ(found.levels[k].nonzeros, wanted.levels[k].nonzeros) << "level " << k;
      }
      ASSERT_EQ(found.z.size(), wanted.z.size());
      for (std::size_t i = 0; i < found.z.size(); ++i)
        ASSERT_NEAR(static_cast<double>(found.z[i]), static_cast<double>(wanted.z[i]), 1e-4 * largest) << i;
    });
  }
}

TEST_F(CudaRanksMultigrid, HasTheCycleOfRanksOnCpus) {
  for (const GroupedSystem& c : grouped_systems) {
    SCOPED_TRACE(c.family + std::to_string(c.n));
    expect_cycle_of_cpus(generate<double>(c.family, {.n = c.n}), "kind=plain");
    expect_cycle_of_cpus(generate<float>(c.family, {.n = c.n}), "kind=plain");
    expect_cycle_of_cpus(generate<double>(c.family, {.n = c.n}), "kind=plain,smoother=jacobi,sweeps=2");
  }
}

// A few long rows, which sliced-ell would pad too much.
TEST_F(CudaRanksMultigrid, HasTheCycleOfRanksOnCpusWithLongRows) {
  const Csr<double> a = generate<double>("variable2d", {.n = 100});
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      entries.push_back({i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]});
  }
  constexpr double weak = 1e-3;
  for (Index hub = 1; hub < 8000; hub += 1000) {
    for (Index i = 0; i < a.rows; i += 2) {
      entries.push_back({hub, i, -weak}), entries.push_back({i, hub, -weak});
      entries.push_back({hub, hub, weak}), entries.push_back({i, i, weak});
    }
  }
  expect_cycle_of_cpus(from_triplets<double>(a.rows, a.cols, entries), "kind=plain");
}

TEST_F(CudaRanksMultigrid, HasTheSameBitsOnEachRun) {
  const System<double> system = system_of<double>({"variable3d", 30});
  on_gpu_ranks({2, 3}, [&](const Team& team, const Cuda& gpu) {
    const Whole<double> first = solve_on(team, gpu, system, "multigrid:kind=plain"),
                        second = solve_on(team, gpu, system, "multigrid:kind=plain");
    EXPECT_EQ(first.result.history, second.result.history);
    EXPECT_TRUE(same_bits(first.x, second.x));
  });
}

TEST_F(CudaRanksMultigrid, OfASmallMatrixIsThatOfOneRank) {
  const System<double> system = system_of<double>({"poisson3d", 20});
  for (const char* const precond : {"multigrid", "multigrid:kind=classical", "multigrid:smoother=ilu0"}) {
    SCOPED_TRACE(precond);
    Whole<double> alone;
    on_gpu_ranks(
        {1}, [&](const Team& team, const Cuda& gpu) { alone = solve_on(team, gpu, system, precond, 1e-8, "gmres"); });
    expect_solved(alone, system);
    on_gpu_ranks({2, 3, 5}, [&](const Team& team, const Cuda& gpu) {
      const Whole<double> found = solve_on(team, gpu, system, precond, 1e-8, "gmres");
      expect_solved(found, system);
      EXPECT_EQ(found.result.iterations, alone.result.iterations);
    });
  }
}

TEST_F(CudaRanksMultigrid, TakesAFewRowsOnManyRanks) {
  for (const Index n : {1, 2, 7, 50}) {
    const System<double> system = system_of<double>({"poisson2d", n});
    on_gpu_ranks({1, 2, 3, 5}, [&](const Team& team, const Cuda& gpu) {
      expect_solved(solve_on(team, gpu, system, "multigrid"), system);
    });
  }
}

TEST_F(CudaRanksMultigrid, TakesANegativeMatrixAndOneThatIsNotSymmetric) {
  System<double> negative = system_of<double>({"variable2d", 100});
  for (double& value : negative.a.val) value = -value;
  for (double& value : negative.b) value = -value;
  const System<double> convection = system_of<double>({"convection-diffusion2d", 100});
  on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
    expect_solved(solve_on(team, gpu, negative, "multigrid:kind=plain"), negative);
    expect_solved(solve_on(team, gpu, convection, "multigrid:kind=plain,smoother=jacobi"), convection);
  });
}

// Where the hosts carry the ghosts and the gathered vector.
TEST_F(CudaRanksMultigrid, TakesMoreRanksThanReachEachOther) {
  const System<double> system = system_of<double>({"variable2d", 200});
  on_gpu_ranks({PeerBuffers::most_ranks + 1}, [&](const Team& team, const Cuda& gpu) {
    expect_solved(solve_on(team, gpu, system, "multigrid"), system);
  });
}

TEST_F(CudaRanksMultigrid, IsTakenByAutoForDiffusion) {
  for (const GroupedSystem& c : {GroupedSystem{"variable2d", 150}, GroupedSystem{"mesh3d", 24}}) {
    SCOPED_TRACE(c.family);
    const System<double> system = system_of<double>(c);
    on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
      const Whole<double> found = solve_on(team, gpu, system, "auto");
      expect_solved(found, system);
      EXPECT_EQ(found.preconditioner, on_cpus(team.size(), system, "auto").preconditioner);
    });
  }
}

// What goes wrong.

TEST_F(CudaRanksMultigrid, RefusesWhatItHasNotOnAllRanks) {
  const System<double> system = system_of<double>({"variable2d", 150});
  on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda& gpu) {
    for (const char* const options : {"kind=structured", "kind=classical", "kind=aggregation", "smoother=ilu0"})
      EXPECT_THROW(solve_on(team, gpu, system, std::string("multigrid:") + options), ArgumentError) << options;
    expect_solved(solve_on(team, gpu, system, "multigrid"), system);
  });
}

/// A request that is made at the n-th look.
struct Token {
  std::shared_ptr<std::atomic<int>> looks;
  int from;
  bool stop_requested() const { return looks->fetch_add(1) >= from; }
};

TEST_F(CudaRanksMultigrid, StopsAndKeepsALimitOfMemoryOnAllRanks) {
  const Csr<double> whole = generate<double>("variable2d", {.n = 120});
  on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
    const Partition rows = Partition::by_rows(team, whole.rows);
    const Csr<double> mine = piece(whole, rows.begin(team), rows.end(team));
    const DistributedOperator<Cuda, double> a(Distributed<Cuda>(gpu, team), rows, mine.view());
    const auto made = [&](const StopRequest& stop, std::size_t limit) {
      return distributed_preconditioner(a, mine.view(), "multigrid", "kind=plain", stop, limit);
    };
    const bool is_last = team.rank() == team.size() - 1;
    for (const int from : {0, 1, 2}) {
      StopRequest stop;
      if (is_last) stop = Token{std::make_shared<std::atomic<int>>(0), from};
      EXPECT_THROW(made(stop, 0), Stopped);
    }
    EXPECT_THROW(made({}, is_last ? 1000 : 0), Error);
    EXPECT_LT(made({}, 0)->rate(), 1);
  });
}

}  // namespace
}  // namespace ostinato::test::gpus
