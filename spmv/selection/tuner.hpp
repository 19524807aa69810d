// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Returns the seconds that measuring may take: options.tune_budget or, if that is 0, a default that depends on the
/// predicted seconds of the best format's product.
/// Throws    ArgumentError for a negative budget or NaN.
double tuning_budget(const FormatOptions& options, double product_seconds);

/// Returns the candidates to try first: those whose predicted total time is at most twice the best or, with
/// `everything`, all that can hold the matrix. In the latter case csr comes first, as the reference for all others.
std::vector<Candidate> first_trials(const std::vector<Candidate>& ranking, bool everything);

/// Returns the formats whose variants to try, the fastest first: three or, with `everything`, all.
std::vector<std::string> worth_varying(const std::vector<Candidate>& trials, bool everything);

/// Removes the variants that can't hold the matrix or would store more than 1.25 times the bytes of the smallest
/// variant (3 times with `everything`). Returns the number of removed variants.
///
/// Source    Yan, Li, Zhang & Zhou, PPoPP'14, doi:10.1145/2555243.2555255, section 4: it tries the block sizes with the
///           four smallest footprints.
int prune(std::vector<Candidate>& variants, bool everything);

/// Whether the candidate has been tried already.
bool contains(const std::vector<Candidate>& trials, const Candidate& candidate);

/// The key under which trials are kept: everything that the measured times depend on. This is the library version, the
/// device and its threads, the driver and the libraries that run on it, the value type, the pattern of the matrix, the
/// order of magnitude of the expected products, the options, and the bytes that each format would store. The bytes
/// depend on the values, too.
std::string trials_key(const std::string& device, const std::string& libraries, std::size_t value_bytes,
                       const std::string& pattern, const std::vector<Candidate>& candidates,
                       const FormatOptions& options);

/// Keeps trials in the user's cache on disk. On success sets trials.file.
void keep_trials(const std::string& key, Trials& trials);

/// Loads trials of an earlier run: names, parameters and times, but no costs. Returns no candidates when none were
/// kept.
Trials kept_trials(const std::string& key);

/// Returns values in [1, 2) without a regular pattern, so that no format's order of additions has an advantage.
template <class T>
std::vector<T> trial_vector(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(1 + static_cast<double>(i * 2654435761u % 65536) / 65536);
  return x;
}

/// Builds and times formats of a list until the budget is spent.
///
/// Exec      run() first tries the formats of a ranking with their own choice of parameters, then variants of the
///           fastest formats. run() waits for the device. At most two built formats are in memory: the best so far and
///           the one on trial. The best is freed when a trial runs out of memory.
/// Requires  The constructor's arguments outlive the tuner. The matrix has entries.
template <class Space, class T>
class Tuner {
 public:
  using Built = std::unique_ptr<BuiltFormat<Space, T>>;

  Tuner(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const FormatOptions& options,
        const FormatList<Space, T>& list);

  Trials run(const std::vector<Candidate>& ranking);

  /// Returns the built format of candidate `c` if `c` was the best and is still in memory; otherwise null.
  Built take(const Candidate& c);

 private:
  struct Failure {
    std::string reason = {};  ///< empty when the trial succeeded
    bool for_memory = false;  ///< memory ran out
  };

  double seconds_left() const { return trials_.budget - watch_.seconds(); }
  bool affords(const Candidate& c) const;
  void attempt(Candidate c);
  Failure try_out(Candidate& c);
  void time(Candidate& c);
  void generate(BuiltFormat<Space, T>& built, const Candidate& c) const;

  Space space_;
  const SpaceCsr<Space, T>& a_;
  const PlanInput& in_;
  const FormatOptions& options_;
  const FormatList<Space, T>& list_;
  Vector<Space, T> x_, y_;
  Stopwatch watch_;
  Trials trials_;
  Built best_;  ///< null also when it was freed to make room
  std::string best_name_;
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< of one product
  double best_total_ = std::numeric_limits<double>::infinity();
};

/// Loads trials of an earlier run and adds the costs predicted in this run. Formats that are unknown now or can't hold
/// the matrix are left out.
template <class Space, class T>
Trials kept_trials(const FormatList<Space, T>& list, const std::string& key, const PlanInput& in) {
  Trials kept = kept_trials(key);
  std::vector<Candidate> known;
  for (const Candidate& k : kept.candidates) {
    std::optional<Candidate> c = find_candidate(list, in, k.full_name());
    if (!c) continue;
    c->measured_seconds = k.measured_seconds;
    c->measured_setup_seconds = k.measured_setup_seconds;
    known.push_back(std::move(*c));
  }
  kept.candidates = std::move(known);
  return kept;
}

}  // namespace ostinato
