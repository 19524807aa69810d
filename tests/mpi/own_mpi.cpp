// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A program that uses MPI by itself, for tests/CMakeLists.txt: solves on half of its processes each, and what goes
// wrong there. The first argument says what: solve, throw, late, die or gone; the second one is "cuda" for a GPU for
// each process, which may share it. Exits with 0 where that ended as it should, and with 77 where there is no GPU.

#include <mpi.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/team/read_rows.hpp>
#include <ostinato/strategy/distributed_solve.hpp>

namespace {

using namespace ostinato;

bool on_gpus = false;

struct System {
  SharedRows<double> rows;
  std::vector<double> b, x;
};

System system_of(const Team& team) {
  System s{share_rows(team, generate<double>("poisson2d", {.n = 100}), Sharing::entries), {}, {}};
  s.b.assign(static_cast<std::size_t>(s.rows.mine.rows), 1.0);
  s.x.assign(s.b.size(), 0.0);
  return s;
}

SolveResult solve_with(const Team& team, std::function<bool(const Iteration&)> callback = {}) {
  System s = system_of(team);
  DistributedOptions options;
  options.solve.callback = std::move(callback);
  return on_gpus ? solve(team, gpu_of(team), s.rows.mine, s.b, s.x, options)
                 : solve(team, s.rows.mine, s.b, s.x, options);
}

/// One rank throws in the loop: it gets its own exception, the others one that names it, and all can begin anew.
bool leaves_together(MPI_Comm comm) {
  const Team team = Team::mpi(&comm);
  try {
    solve_with(team, [&](const Iteration& now) {
      if (team.rank() == 1 && now.number >= 5) throw std::out_of_range("a bad callback");
      return true;
    });
    return false;
  } catch (const RankError& e) {
    if (team.rank() == 1 || e.rank() != 1 || std::string(e.what()).find("a bad callback") == std::string::npos)
      return false;
  } catch (const std::out_of_range&) {
    if (team.rank() != 1) return false;
  }
  return static_cast<bool>(solve_with(Team::mpi(&comm)));
}

/// One rank stays away from a solve: the others end when their patience does.
template <class... Gpu>
bool waits_for_nobody(const Team& team, const Gpu&... gpu) {
  System s = system_of(team);
  const DistributedOptions options;
  DistributedSolver solver(team, s.rows.mine, options, gpu...);
  team.set_patience(1);
  if (team.rank() == 1) {
    ::usleep(2'000'000);
    return true;
  }
  try {
    solver.solve(s.b, s.x);
    return false;
  } catch (const RankError&) {
    return true;
  }
}

/// One process ends in the midst of its work: the others hear of it, or end when their patience does.
bool outlives_another(const Team& team) {
  team.set_patience(3);
  try {
    solve_with(team, [&](const Iteration& now) {
      if (team.rank() == 1 && now.number >= 5) ::_exit(7);
      return true;
    });
    return false;
  } catch (const RankError&) {
    return true;
  }
}

bool run(const std::string& what, MPI_Comm comm) {
  if (what == "throw") return leaves_together(comm);
  const Team team = Team::mpi(&comm);
  if (what == "late") return on_gpus ? waits_for_nobody(team, gpu_of(team)) : waits_for_nobody(team);
  if (what == "solve") return static_cast<bool>(solve_with(team));
  const bool survives = outlives_another(team);
  if (what == "gone") {
    std::printf(survives ? "ended with an error\n" : "wrong\n");
    std::fflush(stdout);
    ::_exit(survives ? 0 : 1);  // MPI can't end without the other process
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  on_gpus = argc == 3;
  if (on_gpus && Cuda::device_count() == 0) {
    MPI_Finalize();
    std::printf("no GPU\n");
    return 77;
  }
  const bool good = argc >= 2 && run(argv[1], half);
  if (!good) std::printf("rank %d: wrong\n", rank);
  MPI_Finalize();
  return good ? 0 : 1;
}
