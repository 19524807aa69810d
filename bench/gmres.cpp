// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Seconds per iteration of GMRES(50) with Jacobi, against the least number of bytes: the matrix, M and the vectors of a
// step, of which each column of the basis is read twice. Above the table: the first solve of the process.
//
//   bench_gmres [cpu|cuda] [NAME ...]      NAME as in bench_spmv

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>

#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

constexpr int restart = 50;

/// Returns the seconds of exactly `iterations` iterations: the goal can't be reached.
template <class Space>
double gmres_seconds(const Space& space, const Operator<Space, double>& a, const Jacobi<Space, double>& m,
                     const Vector<Space, double>& b, int iterations) {
  Vector<Space, double> x(space, b.size(), 0.0);
  const SolveOptions options{
      .rtol = 0, .max_iterations = iterations, .divergence_limit = 0, .restart = restart, .history = false};
  const SolveResult result = gmres(space, a, b, x, m, options);
  if (result.iterations != iterations)
    std::printf("only %d iterations: %s\n", result.iterations, result.message().c_str());
  return result.seconds;
}

template <class Space>
double median_seconds(const Space& space, const Operator<Space, double>& a, const Jacobi<Space, double>& m,
                      const Vector<Space, double>& b, int iterations) {
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) times.push_back(gmres_seconds(space, a, m, b, iterations));
  std::sort(times.begin(), times.end());
  return times[2];
}

/// Bytes of an iteration: pass 1 reads w, u and the basis, pass 2 reads and writes w and u and reads the basis; M and A
/// read and write a vector each.
template <class Space>
double iteration_bytes(const Operator<Space, double>& a, const Jacobi<Space, double>& m) {
  constexpr double columns = (restart - 1) / 2.0, vectors = 2 * columns + 10;
  return static_cast<double>(a.bytes()) + static_cast<double>(m.bytes()) +
         vectors * sizeof(double) * static_cast<double>(a.rows());
}

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf("%s\n\n", space.description().c_str());
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  bool is_first = true;
  for (const std::string& name : names) {
    const auto [matrix, compress, points] = load_case(name);
    const Operator<Space, double> a(space, matrix, FormatOptions{.compress = compress});
    const Jacobi<Space, double> m(space, matrix);
    std::vector<double> values(static_cast<std::size_t>(matrix.rows));
    for (double& value : values) value = normal(random);
    const Vector<Space, double> b(space, values);
    const double first = gmres_seconds(space, a, m, b, restart);
    if (is_first) {
      std::printf("first solve, %d iterations: %.2f ms\n\n", restart, first * 1e3);
      std::printf("| matrix | rows | format | GMRES(%d) us an iteration | MB at least | GB/s |\n", restart);
      std::printf("|---|---|---|---|---|---|\n");
    }
    is_first = false;
    const double few = median_seconds(space, a, m, b, restart), many = median_seconds(space, a, m, b, 5 * restart),
                 seconds = (many - few) / (4 * restart), bytes = iteration_bytes(a, m);
    std::printf("| %s | %d | %s | %.2f | %.2f | %.0f |\n", name.c_str(), matrix.rows, a.format().c_str(), seconds * 1e6,
                bytes / 1e6, bytes / seconds / 1e9);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  try {
    if (names.empty())
      names = with_real({device == "cuda" ? "convection-diffusion3d:128" : "convection-diffusion3d:48"}, {"wang3"});
    if (device == "cuda") {
      run(Cuda(), names);
    } else {
      run(Host(), names);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_gmres: %s\n", e.what());
    return 1;
  }
}
