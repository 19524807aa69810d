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
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/matrices.hpp"

// What the fuzzers share: arguments, counting and the report.

namespace ostinato::test {

struct Arguments {
  std::uint64_t trials = std::numeric_limits<std::uint64_t>::max(), first = 0;
  std::uint64_t seed = std::random_device{}();
  double seconds = 10;
  int threads = 1;
  std::string_view space = "host", kinds = "any";
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

/// "auto" and the solvers that need no products with the transpose of A.
inline std::vector<std::string> square_solvers() {
  std::vector<std::string> names = choices_of(solver_infos);
  std::erase(names, Lsmr::name);
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
    if (name == "--threads") arguments.threads = std::atoi(argv[k + 1]);
    if (name == "--space") arguments.space = argv[k + 1];
    if (name == "--kinds") arguments.kinds = argv[k + 1];
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

/// Gives out the numbers of trials and counts how the trials ended. Several threads may use it at once.
class Tally {
 public:
  explicit Tally(const Arguments& arguments) : arguments_(arguments) {
    std::printf("seed %llu\n", seed());
    std::fflush(stdout);
  }

  /// The number of the next trial, until the trials or the time are spent, or enough were wrong.
  std::optional<std::uint64_t> next() {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    if (given_out_ == arguments_.trials || wrong_ == most_wrong || passed.count() > arguments_.seconds) return {};
    return arguments_.first + given_out_++;
  }

  void add(std::uint64_t index, const Trial& trial) {
    const std::lock_guard lock(mutex_);
    if (wrong_ == most_wrong) return;
    ++done_;
    ++ends_[trial.end];
    if (trial.wrong.empty()) return;
    ++wrong_;
    std::printf("trial %llu: %s\n  %s\n", static_cast<unsigned long long>(index), trial.wrong.c_str(),
                trial.what.c_str());
  }

  /// Prints the counts. Returns the exit code.
  int report() const {
    std::printf("seed %llu: %llu trials, %d wrong;", seed(), static_cast<unsigned long long>(done_), wrong_);
    for (const auto& [end, count] : ends_) std::printf(" %s %d", end.c_str(), count);
    std::printf("\n");
    return wrong_ > 0 ? 1 : done_ == 0 ? 2 : 0;
  }

 private:
  unsigned long long seed() const { return arguments_.seed; }

  static constexpr int most_wrong = 20;
  const Arguments& arguments_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::uint64_t given_out_ = 0, done_ = 0;
  int wrong_ = 0;
  std::map<std::string, int> ends_;
};

/// Runs trials in arguments.threads threads, which take them in turn. Each thread has a space of its own, and
/// an attempt, made by attempt_on(space), that it calls in each trial (run_trial()). Returns the exit code.
template <class Space, class AttemptOn>
int run_trials(const Arguments& arguments, AttemptOn attempt_on) {
  Tally tally(arguments);
  const auto work = [&](const Space& space) {
    auto attempt = attempt_on(space);
    while (const auto index = tally.next()) tally.add(*index, run_trial(arguments.seed, *index, attempt));
  };
  const Space first;  // made before the threads: Kokkos 3.4 leaks what it allocates for a thread other than main
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < arguments.threads; ++k) others.emplace_back([&] { work(Space()); });
    work(first);
  }
  return tally.report();
}

/// The main() of a fuzzer. attempt_on(space) returns what a trial calls: attempt(value, trial, random), on the space
/// that the arguments name. Returns 77 where that is a GPU and there is none.
template <class AttemptOn>
int fuzz(int argc, char** argv, AttemptOn attempt_on) {
  const Arguments arguments = parse(argc, argv);
  if (arguments.space == "host") return run_trials<Host>(arguments, attempt_on);
  if (const std::string reason = Cuda::why_absent(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  return run_trials<Cuda>(arguments, attempt_on);
}

}  // namespace ostinato::test
