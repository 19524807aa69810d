// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Ostinato's solve(a, b) against complete factors by other libraries (direct_peers.hpp), as contest.hpp says.
//
//   bench_direct [--limit SECONDS] [--runs N] [--with NAME,NAME] [MATRIX.mtx ...]
//
// By default: 20 seconds, 3 runs, and all of ostinato, superlu, klu, cholmod and mumps. On a GPU, by name: ostinato-gpu
// and cudss.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "contest.hpp"
#include "direct_peers.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

PeerSolve solve_with_ostinato(const Csr<double>& a, const std::vector<double>& b) {
  const Stopwatch watch;
  const auto result = ostinato::solve(a, b);
  PeerSolve s;
  s.solve = watch.seconds();
  s.x.assign(result.x.begin(), result.x.end());
  s.iterations = result.iterations;
  s.status = in_words(result.status);
  return s;
}

constexpr int on_cpu = 5;  ///< so many ways, the first ones

using Factor = PeerSolve (*)(const Csr<double>&, const std::vector<double>&);

Way way(const std::string& name, Factor factor) {
  return {name, [factor](const Host&, const Csr<double>& a, const std::vector<double>& b) { return factor(a, b); }};
}

std::vector<Way> chosen_ways(const std::vector<std::string>& names) {
  const std::vector<Way> all = {way("ostinato", solve_with_ostinato), way("superlu", factor_with_superlu),
                                way("klu", factor_with_klu),          way("cholmod", factor_with_cholmod),
                                way("mumps", factor_with_mumps),      way("ostinato-gpu", solve_on_gpu),
                                way("cudss", factor_with_cudss)};
  if (names.empty()) return {all.begin(), all.begin() + on_cpu};
  std::vector<Way> chosen;
  for (const std::string& name : names) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Way& w) { return w.name == name; });
    if (known == all.end())
      throw ArgumentError("--with: '" + name +
                          "' is unknown; known: ostinato, superlu, klu, cholmod, mumps, ostinato-gpu, cudss");
    chosen.push_back(*known);
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const ContestSettings settings = read_contest_settings(argc, argv);
    run_contest_against_all(chosen_ways(settings.with), settings);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_direct: %s\n", e.what());
    return 1;
  }
}
