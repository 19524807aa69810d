// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/space/error.hpp>
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

/// Seconds that f() takes on the space: the median of five batches. Those of an f that is shorter than 0.4 ms take
/// about that long, so that the wait weighs the same for all. Fewer batches when f() takes longer than `hopeless`, or
/// all of it longer than `most`.
template <class Space, class F>
double trial_seconds(const Space& space, double hopeless, double most, F&& f) {
  constexpr double batch_seconds = 4e-4, telling = 1e-4;
  constexpr int batches = 5;
  const auto batch = [&](int calls) {
    space.wait();
    Stopwatch watch;
    for (int k = 0; k < calls; ++k) f();
    space.wait();
    return watch.seconds();
  };
  const Stopwatch watch;
  int calls = 1;
  double seconds = batch(calls);
  while (seconds < telling && calls < 4096) seconds = batch(calls *= 4);
  if (seconds > hopeless * calls) seconds = std::min(seconds, batch(calls));
  if (seconds > hopeless * calls) return seconds / calls;
  calls = std::max(1, static_cast<int>(calls * batch_seconds / std::max(seconds, 1e-9)));
  std::vector<double> times;
  do {
    times.push_back(batch(calls) / calls);
  } while (times.size() < batches && watch.seconds() < most);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Whether the format copies or shares what it needs of a matrix that stays the caller's. Others take the arrays over.
template <class F>
inline constexpr bool shares_arrays =
    std::constructible_from<F, const typename F::space_type&,
                            const Resident<typename F::space_type, typename F::value_type>&, const Structure&>;

/// Builds and times formats of a list until the budget is spent.
///
/// Exec      The formats of a ranking with the parameters of their own choice come first, then variants() of the
///           fastest. Waits. At most two are built at a time: the best so far stays, unless its memory is needed.
/// Requires  The matrix outlives the tuner, and has entries.
template <class Space, class T, class List>
class Tuner;

template <class Space, class T, class... F>
class Tuner<Space, T, FormatList<F...>> {
 public:
  using Built = std::optional<std::variant<F...>>;

  Tuner(const Space& space, const Resident<Space, T>& a, const Structure& s, const FormatOptions& options)
      : space_(space),
        a_(a),
        structure_(s),
        options_(options),
        x_(space, trial_vector<T>(static_cast<std::size_t>(s.cols))),
        y_(space, static_cast<std::size_t>(s.rows), T{0}) {}

  Trials run(const std::vector<Candidate>& ranking) {
    trials_.everything = options_.tune == Tune::everything;
    trials_.budget = tuning_budget(options_, ranking.front().cost.seconds);
    for (const Candidate& c : first_trials(ranking, trials_.everything)) attempt(c);
    for (const std::string& name : worth_varying(trials_.candidates, trials_.everything)) {
      std::vector<Candidate> variants = variants_of(FormatList<F...>{}, structure_, machine_of(space_), name);
      trials_.pruned += prune(variants, trials_.everything);
      for (const Candidate& c : variants) attempt(c);
    }
    trials_.seconds = watch_.seconds();
    return std::move(trials_);
  }

  /// The candidate as it was built, if it was the best, still is there, and doesn't lean on the arrays of the matrix.
  Built take(const Candidate& c) {
    const bool is_free =
        best_ && c.full_name() == best_name_ && std::visit([]<class G>(const G&) { return shares_arrays<G>; }, *best_);
    return is_free ? std::exchange(best_, std::nullopt) : std::nullopt;
  }

 private:
  struct Failure {
    std::string reason = {};  ///< empty when there was none
    bool for_memory = false;  ///< or may be; what a device lacks isn't told apart
  };

  double seconds_left() const { return trials_.budget - watch_.seconds(); }

  /// One is always tried, whatever it takes.
  bool affords(const Candidate& c) const {
    return std::isinf(best_total_) || seconds_left() > c.cost.setup_seconds + 3 * c.cost.seconds;
  }

  void attempt(Candidate c) {
    if (contains(trials_.candidates, c)) return;
    if (!affords(c)) {
      ++trials_.left_out;
      return;
    }
    if (options_.on_trial) options_.on_trial(c, trials_);
    Failure failure = try_out(c);
    if (failure.for_memory && best_) {  // there may be room without it
      best_.reset();
      failure = try_out(c);
    }
    c.cost.reason_not = failure.reason;
    trials_.candidates.push_back(std::move(c));
  }

  Failure try_out(Candidate& c) {
    try {
      time(c);
      return {};
    } catch (const DeviceError& e) {
      space_.wait();  // throws when the device is of no more use
      return {e.what(), true};
    } catch (const Error& e) {
      space_.wait();
      return {e.what()};
    } catch (const std::bad_alloc&) {
      return {"out of memory", true};
    }
  }

  void time(Candidate& c) {
    space_.wait();
    Stopwatch watch;
    Built built = build(c);
    space_.wait();
    const double setup_seconds = watch.seconds();
    generate(*built, c);
    const auto product = [&] { std::visit([&](const auto& f) { f.apply(T{1}, x_, T{0}, y_); }, *built); };
    product();
    c.measured_seconds = trial_seconds(space_, 3 * best_seconds_, seconds_left(), product);
    c.measured_setup_seconds = setup_seconds;
    best_seconds_ = std::min(best_seconds_, c.measured_seconds);
    const double total = setup_seconds + options_.expected_products * c.measured_seconds;
    if (total >= best_total_) return;
    best_total_ = total;
    best_name_ = c.full_name();
    best_ = std::move(built);
  }

  Built build(const Candidate& c) const {
    Built built;
    with_format(FormatList<F...>{}, c.name, [&]<class G>(std::type_identity<G>) {
      if constexpr (shares_arrays<G>) {
        built.emplace(build_format<G>(space_, a_, structure_, c.parameters));
      } else {
        built.emplace(
            build_format<G>(space_, Resident<Space, T>(space_, a_.view(), on_space), structure_, c.parameters));
      }
    });
    return built;
  }

  /// Kernels for the matrix, where the operator will use them and there is time to wait for them.
  void generate(std::variant<F...>& built, const Candidate& c) const {
    constexpr double compilation = 0.5;  // seconds that must be left for one to be waited for
    const bool is_forced = options_.jit == Jit::on;
    if (!worth_compiling(options_, c.cost.seconds) || (!is_forced && seconds_left() < compilation)) return;
    std::visit(
        [&](auto& f) {
          if constexpr (requires { f.generate(true); }) {
            try {
              f.generate(true);
            } catch (const DeviceError&) {
              if (is_forced) throw;
            }
          }
        },
        built);
  }

  Space space_;
  const Resident<Space, T>& a_;
  const Structure& structure_;
  const FormatOptions& options_;
  Vector<Space, T> x_, y_;
  Stopwatch watch_;
  Trials trials_;
  Built best_;  ///< empty also when it had to make room
  std::string best_name_;
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< of a product
  double best_total_ = std::numeric_limits<double>::infinity();
};

/// Trials of an earlier run, with the costs that they have in this one. What isn't known any more or doesn't apply is
/// left out.
template <class... F>
Trials kept_trials(FormatList<F...> list, const std::string& key, const Structure& s, const Machine& m) {
  Trials kept = kept_trials(key);
  std::vector<Candidate> known;
  for (const Candidate& k : kept.candidates) {
    std::optional<Candidate> c = find_candidate(list, s, m, k.full_name());
    if (!c) continue;
    c->measured_seconds = k.measured_seconds;
    c->measured_setup_seconds = k.measured_setup_seconds;
    known.push_back(std::move(*c));
  }
  kept.candidates = std::move(known);
  return kept;
}

}  // namespace ostinato
