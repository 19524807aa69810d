// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A program that uses MPI by itself, for tests/CMakeLists.txt: solves on half of its processes each, and what goes
// wrong there. The argument says what: solve, throw, late or die. Exits with 0 where that ended as it should.

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
  return solve(team, s.rows.mine, s.b, s.x, options);
}

/// One rank throws in the loop: it gets its own exception, the others one that names it, and all can begin anew.
bool leaves_together(MPI_Comm comm) {
  const Team team = Team::mpi(&comm);
  try {
    solve_with(team, [&](const Iteration& now) {
      if (team.rank() == 1 && now.number == 5) throw std::out_of_range("a bad callback");
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
bool waits_for_nobody(MPI_Comm comm) {
  const Team team = Team::mpi(&comm);
  team.set_patience(1);
  System s = system_of(team);
  DistributedSolver solver(team, s.rows.mine);
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

bool run(const std::string& what, MPI_Comm comm) {
  if (what == "throw") return leaves_together(comm);
  if (what == "late") return waits_for_nobody(comm);
  const Team team = Team::mpi(&comm);
  if (what == "solve") return static_cast<bool>(solve_with(team));
  solve_with(team, [&](const Iteration& now) {
    if (team.rank() == 1 && now.number == 5) ::_exit(7);
    return true;
  });
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  const bool good = argc == 2 && run(argv[1], half);
  if (!good) std::printf("rank %d: wrong\n", rank);
  MPI_Finalize();
  return good ? 0 : 1;
}
