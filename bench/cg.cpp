// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Seconds per iteration of conjugate gradients. On a GPU: ours against a textbook loop on cuSPARSE (its best format)
// and cuBLAS. On the CPU: against the least number of bytes alone.
//
//   bench_cg [cpu|cuda] [NAME ...]      NAME as in bench_spmv

#include <algorithm>
#include <cstdio>
#include <string>

#include <ostinato/ostinato.hpp>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// Returns the seconds of exactly `iterations` iterations: the goal can't be reached.
template <class Space>
double cg_seconds(const Space& space, const Operator<Space, double>& a, const Vector<Space, double>& b,
                  int iterations) {
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) {
    Vector<Space, double> x(space, b.size(), 0.0);
    const SolveOptions options{.rtol = 0, .max_iterations = iterations, .divergence_limit = 0, .history = false};
    const SolveResult result = cg(space, a, b, x, Identity{}, options);
    if (result.iterations != iterations)
      std::printf("only %d iterations: %s\n", result.iterations, result.message().c_str());
    times.push_back(result.seconds);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

/// Returns the seconds per iteration without the fixed cost of a solve.
template <class Space>
double iteration_seconds(const Space& space, const Operator<Space, double>& a, const Vector<Space, double>& b,
                         int iterations) {
  cg_seconds(space, a, b, 20);
  return (cg_seconds(space, a, b, iterations + 20) - cg_seconds(space, a, b, 20)) / iterations;
}

struct Textbook {
  std::string product;
  double seconds = 0;
};

Textbook textbook(const Cuda& space, const CsrView<double>& a, int iterations) {
  std::vector<TimedProduct> all = cusparse_products(space, a, random_vector(static_cast<std::size_t>(a.cols), 1));
  std::vector<TimedProduct*> in_turn;
  for (TimedProduct& p : all) in_turn.push_back(&p);
  time_in_turn(space, in_turn);
  const auto best =
      std::min_element(all.begin(), all.end(), [](const auto& l, const auto& r) { return l.seconds < r.seconds; });
  return {best->name, cusparse_cg_seconds(space, a, best->name, iterations)};
}
Textbook textbook(const Host&, const CsrView<double>&, int) { return {"-"}; }

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf("%s\n\n", space.description().c_str());
  std::printf(
      "| matrix | rows | format | us an iteration | GB/s (matrix + 10 vectors) | textbook product | textbook us | ours "
      "/ textbook |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    const auto [a, compress, points] = load_case(name);
    const int iterations = a.nonzeros() > 20000000 ? 100 : 300;
    const Operator<Space, double> op(space, a, FormatOptions{.compress = compress});
    const Vector<Space, double> b(space, random_vector(static_cast<std::size_t>(a.rows), 2));
    const double ours = iteration_seconds(space, op, b, iterations);
    const double bytes = static_cast<double>(op.bytes()) + 80.0 * a.rows;
    const Textbook reference = textbook(space, a, iterations);
    std::printf("| %s | %d | %s | %.2f | %.0f |", name.c_str(), a.rows, op.format().c_str(), ours * 1e6,
                bytes / ours / 1e9);
    if (reference.seconds > 0) {
      std::printf(" %s | %.2f | %.3f |\n", reference.product.c_str(), reference.seconds * 1e6,
                  ours / reference.seconds);
    } else {
      std::printf(" - | - | - |\n");
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  try {
    if (device == "cuda") {
      const std::vector<std::string> set = {"poisson2d:64",   "poisson2d:256",  "poisson2d:512", "poisson2d:1024",
                                            "poisson2d:2048", "poisson2d:4096", "poisson3d:256"};
      run(Cuda(), names.empty() ? set : names);
    } else {
      run(Host(), names.empty() ? std::vector<std::string>{"poisson2d:64", "poisson2d:256", "poisson2d:1024",
                                                           "poisson2d:2048", "poisson3d:128"}
                                : names);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_cg: %s\n", e.what());
    return 1;
  }
}
