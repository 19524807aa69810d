// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// -laplace(u) = 1 on the unit cube, u = 0 on its boundary, with seven-point differences, on all GPUs of this machine:
// each is a rank, which has some planes of the grid. Without a GPU, two threads of the CPU are ranks.
//
//   $ build/release/examples/poisson_gpus
//   u in the middle: 0.0561
#include <cstdio>
#include <vector>

#include <ostinato/ostinato.hpp>

int main() {
  using namespace ostinato;
  constexpr int n = 31;
  const int gpus = Cuda::device_count();
  Team::run(gpus > 0 ? gpus : 2, [&](const Team& team) {
    const int first = n * team.rank() / team.size(), last = n * (team.rank() + 1) / team.size();
    Csr<double> rows;
    rows.rows = (last - first) * n * n;
    rows.cols = n * n * n;
    for (int row = first * n * n; row < last * n * n; ++row) {
      const int x = row % n, y = row / n % n, z = row / n / n;
      const auto add = [&](bool inside, int col, double value) {
        if (!inside) return;
        rows.col.push_back(col);
        rows.val.push_back(value);
      };
      add(z > 0, row - n * n, -1), add(y > 0, row - n, -1), add(x > 0, row - 1, -1), add(true, row, 6);
      add(x < n - 1, row + 1, -1), add(y < n - 1, row + n, -1), add(z < n - 1, row + n * n, -1);
      rows.row_ptr.push_back(static_cast<Offset>(rows.col.size()));
    }
    const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0 / ((n + 1) * (n + 1)));
    std::vector<double> u(b.size());
    const DistributedOptions options{.preconditioner = "chebyshev"};
    const SolveResult result =
        gpus > 0 ? solve(team, gpu_of(team), rows, b, u, options) : solve(team, rows, b, u, options);
    if (!result) throw Error(result.message());
    if (first <= n / 2 && n / 2 < last)
      std::printf("u in the middle: %.4f\n", u[static_cast<std::size_t>(((n / 2 - first) * n + n / 2) * n + n / 2)]);
  });
}
