// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// -laplace(u) = 1 on the unit square, u = 0 on its boundary, with five-point differences, on the ranks of MPI.
//
// Each rank has the rows of some lines of the grid, with the numbers of all columns. The answer has the same digits on
// any number of ranks.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/poisson_mpi
//   cg: 237 iterations
//   u in the middle: 0.073668
#include <cstdio>
#include <vector>

#include <ostinato/ostinato.hpp>

int main() {
  constexpr int n = 127;
  using namespace ostinato;
  const Team team = Team::launched() > 1 ? Team::mpi() : Team::alone();
  const int first = n * team.rank() / team.size(), last = n * (team.rank() + 1) / team.size();  // lines of this rank

  Csr<double> rows;
  rows.rows = (last - first) * n;
  rows.cols = n * n;
  for (int y = first; y < last; ++y) {
    for (int x = 0; x < n; ++x) {
      const auto add = [&](int to_x, int to_y, double value) {
        if (to_x < 0 || to_x >= n || to_y < 0 || to_y >= n) return;
        rows.col.push_back(to_y * n + to_x);
        rows.val.push_back(value);
      };
      add(x, y - 1, -1);
      add(x - 1, y, -1);
      add(x, y, 4);
      add(x + 1, y, -1);
      add(x, y + 1, -1);
      rows.row_ptr.push_back(static_cast<Offset>(rows.col.size()));
    }
  }
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0 / ((n + 1) * (n + 1)));
  std::vector<double> u(b.size());

  const SolveResult result = solve(team, rows, b, u);
  if (team.rank() == 0) std::printf("%s: %d iterations\n", result.solver.c_str(), result.iterations);
  if (first <= n / 2 && n / 2 < last)
    std::printf("u in the middle: %.6f\n", u[static_cast<std::size_t>((n / 2 - first) * n + n / 2)]);
  return result ? 0 : 1;
}
