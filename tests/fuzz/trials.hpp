// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/matrices.hpp"

// What the fuzzers share: arguments, counting and the report.

namespace ostinato::test {

struct Arguments {
  std::uint64_t trials = std::numeric_limits<std::uint64_t>::max(), first = 0;
  std::uint64_t seed = std::random_device{}();
  double seconds = 10;
  std::string_view space = "host";
};

/// What was drawn, as text for the report, and what was found wrong.
struct Trial {
  std::string what;
  std::string wrong;
  std::string end = "none";

  void fail(const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; }
};

inline std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

/// "auto" and the names of the entries of a list of formats, solvers or preconditioners.
template <class List>
std::vector<std::string> choices_of(const List& list) {
  std::vector<std::string> names = {"auto"};
  for (const auto& entry : list) names.emplace_back(entry.name);
  return names;
}

/// OSTINATO_FUZZ_SECONDS in the environment is the time where --seconds isn't given.
inline Arguments parse(int argc, char** argv) {
  Arguments arguments;
  if (const char* seconds = std::getenv("OSTINATO_FUZZ_SECONDS")) arguments.seconds = std::strtod(seconds, nullptr);
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string_view name = argv[k];
    if (name == "--trials") arguments.trials = std::strtoull(argv[k + 1], nullptr, 10);
    if (name == "--seconds") arguments.seconds = std::strtod(argv[k + 1], nullptr);
    if (name == "--seed") arguments.seed = std::strtoull(argv[k + 1], nullptr, 10);
    if (name == "--first") arguments.first = std::strtoull(argv[k + 1], nullptr, 10);
    if (name == "--space") arguments.space = argv[k + 1];
  }
  return arguments;
}

/// Calls attempt(value, trial, random) with a float or a double, which says the type. The random numbers of a trial
/// depend on the seed and the trial's number alone. An exception is a fault.
template <class Attempt>
Trial run_trial(std::uint64_t seed, std::uint64_t index, Attempt attempt) {
  Random random(seed * 0x9e3779b97f4a7c15u + index);
  Trial trial;
  try {
    below(random, 2) == 0 ? attempt(float{}, trial, random) : attempt(double{}, trial, random);
  } catch (const std::exception& e) {
    trial.fail(std::string("exception: ") + e.what());
  }
  return trial;
}

/// Runs run(seed, index) until the trials or the time are spent, or 20 were wrong. Returns the exit code.
template <class Run>
int run_trials(const Arguments& arguments, Run run) {
  const auto seed = static_cast<unsigned long long>(arguments.seed);
  std::printf("seed %llu\n", seed);
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, int> ends;
  std::uint64_t done = 0;
  int wrong = 0;
  for (; done < arguments.trials && wrong < 20; ++done) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > arguments.seconds) break;
    const std::uint64_t index = arguments.first + done;
    const Trial trial = run(arguments.seed, index);
    ++ends[trial.end];
    if (trial.wrong.empty()) continue;
    ++wrong;
    std::printf("trial %llu: %s\n  %s\n", static_cast<unsigned long long>(index), trial.wrong.c_str(),
                trial.what.c_str());
  }
  std::printf("seed %llu: %llu trials, %d wrong;", seed, static_cast<unsigned long long>(done), wrong);
  for (const auto& [end, count] : ends) std::printf(" %s %d", end.c_str(), count);
  std::printf("\n");
  return wrong > 0 ? 1 : done == 0 ? 2 : 0;
}

/// The main() of a fuzzer: calls attempt(space, value, trial, random) in each trial (run_trial()), on the space that the
/// arguments name. Returns 77 where that is a GPU and there is none.
template <class Attempt>
int fuzz(int argc, char** argv, Attempt attempt) {
  const Arguments arguments = parse(argc, argv);
  const auto on = [&](const auto& space) {
    return run_trials(arguments, [&](std::uint64_t seed, std::uint64_t index) {
      return run_trial(seed, index,
                       [&](auto value, Trial& trial, Random& random) { attempt(space, value, trial, random); });
    });
  };
  if (arguments.space == "host") return on(Host());
  if (const std::string reason = Cuda::why_absent(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  return on(Cuda());
}

}  // namespace ostinato::test
