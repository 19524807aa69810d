// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Microseconds of an iteration of conjugate gradients with Jacobi on ranks that are threads or processes with a GPU
// each, and of its parts in captured iterations: a sum over all ranks, a product with p . q. The baseline is one GPU
// without ranks.
//
//   bench_ranks [--gpus N] [--runs N] [GRID ...]
//   mpirun -n N bench_ranks [--runs N] [GRID ...]
//
// GRID: 2d:N or 3d:N, the five- or seven-point Laplacian; v3d:N with coefficients that vary.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/distributed.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

namespace {

using namespace ostinato;
using Ranks = Distributed<Cuda>;

struct Laplacian {
  int dimensions = 3;
  Index n = 64;
  bool varies = false;

  Index rows() const { return dimensions == 3 ? n * n * n : n * n; }

  /// Of the face between two points.
  double weight(Index i, Index j) const {
    if (!varies) return 1;
    const auto face =
        static_cast<std::uint64_t>(std::min(i, j)) * 2654435761u + static_cast<std::uint64_t>(std::abs(i - j));
    return 0.5 + static_cast<double>(face * 0x9e3779b97f4a7c15u >> 40) / (1 << 24);
  }

  Csr<double> piece(Index begin, Index end) const {
    Csr<double> a;
    a.rows = end - begin;
    a.cols = rows();
    for (Index i = begin; i < end; ++i) {
      const Index at[] = {i % n, i / n % n, i / n / n}, step[] = {1, n, n * n};
      double sum = 0;
      const auto add = [&](Index j) {
        a.col.push_back(j);
        a.val.push_back(-weight(i, j));
        sum += weight(i, j);
      };
      for (int d = dimensions - 1; d >= 0; --d) at[d] > 0 ? add(i - step[d]) : void(sum += 1);
      const std::size_t diagonal = a.col.size();
      add(i);
      sum -= weight(i, i);
      for (int d = 0; d < dimensions; ++d) at[d] < n - 1 ? add(i + step[d]) : void(sum += 1);
      a.val[diagonal] = sum;
      a.row_ptr.push_back(static_cast<Offset>(a.col.size()));
    }
    return a;
  }
};

struct Times {
  double sum = 0, product = 0, iteration = 0;
};

/// Of a call in captured blocks.
template <class Space, class F>
double captured_seconds(const Space& space, int runs, F call) {
  constexpr int of_block = 16, blocks = 20;
  GraphCapture<Space> block(space, of_block, 1, true);
  for (int k = 0; k < 4; ++k) block({}, call);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    (void)most_of(space, 0);
    const Stopwatch watch;
    for (int k = 0; k < blocks; ++k) block({}, call);
    space.wait();
    times.push_back(watch.seconds() / (of_block * blocks));
  }
  return median(times);
}

template <class Space, class Matrix, class M>
double iteration_seconds(const Space& space, const Matrix& a, const M& m, int runs) {
  const auto solve = [&](int iterations) {
    Vector<Cuda, double> b(space, a.rows(), 1.0), x(space, a.rows(), 0.0);
    SolveOptions options{.rtol = 0, .max_iterations = iterations, .divergence_limit = 0, .history = false};
    options.mixed = MixedPrecision::off;
    return cg(space, a, b, x, m, options).seconds;
  };
  constexpr int few = 64, more = 320;
  std::vector<double> times;
  (void)solve(few + more);
  for (int run = 0; run < runs; ++run) times.push_back((solve(few + more) - solve(few)) / more);
  return median(times);
}

template <class Space, class Matrix, class M>
Times measure(const Space& space, const Matrix& a, const M& m, int runs) {
  Vector<Cuda, double> p(space, a.rows(), 1.0), q(space, a.rows(), 0.0), slot(space, 1);
  Times t;
  t.sum = captured_seconds(space, runs, [&] { dot<double>(space, p, p, slot.data()); });
  t.product = captured_seconds(space, runs, [&] { a.apply_dot(p.span(), q.span(), p.span(), slot.data()); });
  t.iteration = iteration_seconds(space, a, m, runs);
  return t;
}

void print(const std::string& name, const Times& t, const Times& alone, int gpus) {
  const auto share = [&](double here, double there) { return 100 * there / (gpus * here); };
  std::printf("%-14s sum %8.2f us %5.1f %%   product %8.2f us %5.1f %%   cg + jacobi %8.2f us %5.1f %%\n", name.c_str(),
              1e6 * t.sum, share(t.sum, alone.sum), 1e6 * t.product, share(t.product, alone.product), 1e6 * t.iteration,
              share(t.iteration, alone.iteration));
  std::fflush(stdout);
}

Times alone_on_gpu(const Laplacian& grid, int runs) {
  const Cuda gpu(0);
  const Csr<double> whole = grid.piece(0, grid.rows());
  const Operator<Cuda, double> a(gpu, whole, {.format = "dia"});
  const Jacobi<Cuda, double> m(gpu, whole);
  return measure(gpu, a, m, runs);
}

Times on_rank(const Team& team, const Cuda& gpu, const Laplacian& grid, int runs) {
  const Ranks space(gpu, team);
  const Partition rows = Partition::by_rows(team, grid.rows());
  const Csr<double> mine = grid.piece(rows.begin(team), rows.end(team));
  const DistributedOperator<Cuda, double> a(space, rows, mine, "dia");
  const auto m = distributed_preconditioner(a, mine.view(), "jacobi");
  return measure(space, a, *m, runs);
}

Times on_threads(const Laplacian& grid, int size, int runs) {
  Times found;
  Team::run(size, [&](const Team& team) {
    const Times t = on_rank(team, Cuda(team.rank() % Cuda::device_count()), grid, runs);
    if (team.rank() == 0) found = t;
  });
  return found;
}

Laplacian parse(const std::string& text) {
  Laplacian grid;
  grid.varies = text[0] == 'v';
  grid.dimensions = text[grid.varies ? 1 : 0] == '2' ? 2 : 3;
  grid.n = static_cast<Index>(std::atoi(text.c_str() + text.find(':') + 1));
  return grid;
}

int measure_processes(const std::vector<std::string>& grids, int runs) {
  const Team team = Team::mpi();
  const Cuda gpu = gpu_of(team);
  for (const std::string& name : grids) {
    const Laplacian grid = parse(name);
    Times alone;
    if (team.rank() == 0) alone = alone_on_gpu(grid, runs);
    const Times found = on_rank(team, gpu, grid, runs);
    if (team.rank() != 0) continue;
    std::printf("%s\n", name.c_str());
    print("  one GPU", alone, alone, 1);
    print("  processes: " + std::to_string(team.size()), found, alone, team.size());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int gpus = Cuda::device_count(), runs = 5;
  std::vector<std::string> grids;
  for (int k = 1; k < argc; ++k) {
    const bool has_next = k + 1 < argc;
    if (has_next && std::strcmp(argv[k], "--gpus") == 0) {
      gpus = std::atoi(argv[++k]);
    } else if (has_next && std::strcmp(argv[k], "--runs") == 0) {
      runs = std::atoi(argv[++k]);
    } else {
      grids.emplace_back(argv[k]);
    }
  }
  if (gpus < 1) {
    std::printf("bench_ranks: %s\n", Cuda::why_absent().c_str());
    return 77;
  }
  if (grids.empty()) grids = {"3d:128", "3d:256", "v3d:256", "2d:4096"};
  if (Team::launched() > 1) return measure_processes(grids, runs);
  for (const std::string& name : grids) {
    const Laplacian grid = parse(name);
    std::printf("%s\n", name.c_str());
    const Times alone = alone_on_gpu(grid, runs);
    print("  one GPU", alone, alone, 1);
    for (int size = 1; size <= gpus; size *= 2)
      print("  ranks: " + std::to_string(size), on_threads(grid, size, runs), alone, size);
  }
  return 0;
}
