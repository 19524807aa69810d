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

#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/space/timing.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Seconds that measuring may take: those asked for, or what becomes of 0 when the model's best takes so long.
/// Throws ArgumentError for a negative budget or NaN.
double tuning_budget(const FormatOptions& options, double product_seconds);

/// The candidates to try first, from a ranking: those whose predicted total is within twice the best, or all that apply
/// and csr, the measure of all others, in front.
std::vector<Candidate> first_trials(const std::vector<Candidate>& ranking, bool everything);

/// The formats whose variants to try, the fastest first: three, or all.
std::vector<std::string> worth_varying(const std::vector<Candidate>& trials, bool everything);

/// Removes the variants that don't apply or would store more than 1.25 times the bytes of the smallest, 3 times when
/// everything is to be tried. Returns how many.
/// Source    Yan, Li, Zhang & Zhou, PPoPP'14, doi:10.1145/2555243.2555255, section 4: it tries the block sizes with the
///           four smallest footprints.
int prune(std::vector<Candidate>& variants, bool everything);

/// Whether this one has been tried already.
bool contains(const std::vector<Candidate>& trials, const Candidate& candidate);

/// What trials depend on: the library, the device and its threads, the values' type, the pattern of the matrix, the
/// order of magnitude of the expected products, the options, and what each format would store, in which values have a
/// share.
std::string trials_key(const std::string& device, std::size_t value_bytes, const std::string& pattern,
                       const std::vector<Candidate>& candidates, const FormatOptions& options);

/// Keeps trials on the user's disk and sets their `file`, if it can.
void keep_trials(const std::string& key, Trials& trials);

/// Those that an earlier run kept: names, parameters and times, but no costs. No candidates when there are none.
Trials kept_trials(const std::string& key);

/// Values in [1, 2) without a pattern that an order of additions could profit from.
template <class T>
std::vector<T> trial_vector(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(1 + static_cast<double>(i * 2654435761u % 65536) / 65536);
  return x;
}

/// Builds and times formats of a list until the budget is spent.
///
/// Exec      The formats of a ranking with the parameters of their own choice come first, then variants() of the
///           fastest. Waits. At most two are built at a time: the best so far stays, unless its memory is needed.
/// Requires  What is referred to outlives the tuner. The matrix has entries.
template <class Space, class T>
class Tuner {
 public:
  using Built = std::unique_ptr<BuiltFormat<Space, T>>;

  Tuner(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const FormatOptions& options,
        const FormatList<Space, T>& list);

  Trials run(const std::vector<Candidate>& ranking);

  /// The candidate as it was built, if it was the best and still is there; otherwise null.
  Built take(const Candidate& c);

 private:
  struct Failure {
    std::string reason = {};  ///< empty when there was none
    bool for_memory = false;  ///< or may be; what a device lacks isn't told apart
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
  Built best_;  ///< null also when it had to make room
  std::string best_name_;
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< of a product
  double best_total_ = std::numeric_limits<double>::infinity();
};

/// Trials of an earlier run, with the costs that they have in this one. What isn't known any more or doesn't apply is
/// left out.
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
