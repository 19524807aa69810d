// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/selection/tuner.hpp>

#include <algorithm>
#include <cmath>
#include <new>

#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace tuner_definition {

/// Returns the seconds that f() takes on the space: the median of five batches. Short calls are repeated until a batch
/// takes about 0.4 ms, so that the wait at its end weighs the same for all formats. There are fewer batches when f()
/// takes longer than `hopeless`, or all batches together take longer than `most`.
template <class Space, class F>
double trial_seconds(const Space& space, double hopeless, double most, F&& f) {
  constexpr double batch_length = 4e-4, telling = 1e-4;
  constexpr int batches = 5;
  const Stopwatch watch;
  int calls = 1;
  double seconds = batch_seconds(space, calls, f);
  while (seconds < telling && calls < 4096) seconds = batch_seconds(space, calls *= 4, f);
  if (seconds > hopeless * calls) seconds = std::min(seconds, batch_seconds(space, calls, f));
  if (seconds > hopeless * calls) return seconds / calls;
  calls = std::max(1, static_cast<int>(calls * batch_length / std::max(seconds, 1e-9)));
  std::vector<double> times;
  do {
    times.push_back(batch_seconds(space, calls, f) / calls);
  } while (times.size() < batches && watch.seconds() < most);
  return median(times);
}

}  // namespace tuner_definition

template <class Space, class T>
Tuner<Space, T>::Tuner(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in,
                       const FormatOptions& options, const FormatList<Space, T>& list)
    : space_(space),
      a_(a),
      in_(in),
      options_(options),
      list_(list),
      x_(space, trial_vector<T>(static_cast<std::size_t>(in.structure.cols))),
      y_(space, static_cast<std::size_t>(in.structure.rows), T{0}) {}

template <class Space, class T>
Trials Tuner<Space, T>::run(const std::vector<Candidate>& ranking) {
  trials_.everything = options_.tune == Tune::everything;
  trials_.budget = tuning_budget(options_, ranking.front().cost.seconds);
  for (const Candidate& c : first_trials(ranking, trials_.everything)) attempt(c);
  for (const std::string& name : worth_varying(trials_.candidates, trials_.everything)) {
    std::vector<Candidate> variants = variants_of(list_, in_, name);
    trials_.pruned += prune(variants, trials_.everything);
    for (const Candidate& c : variants) attempt(c);
  }
  trials_.seconds = watch_.seconds();
  return std::move(trials_);
}

template <class Space, class T>
typename Tuner<Space, T>::Built Tuner<Space, T>::take(const Candidate& c) {
  return c.full_name() == best_name_ ? std::move(best_) : nullptr;
}

/// Until one trial has succeeded, every candidate is tried, whatever its cost.
template <class Space, class T>
bool Tuner<Space, T>::affords(const Candidate& c) const {
  return std::isinf(best_total_) || seconds_left() > c.cost.setup_seconds + 3 * c.cost.seconds;
}

template <class Space, class T>
void Tuner<Space, T>::attempt(Candidate c) {
  if (contains(trials_.candidates, c)) return;
  if (!affords(c)) {
    ++trials_.left_out;
    return;
  }
  if (std::string why = list_.find(c.name)->why_absent(); !why.empty()) {
    c.cost.reason_not = std::move(why);
    trials_.candidates.push_back(std::move(c));
    return;
  }
  if (options_.on_trial) options_.on_trial(c, trials_);
  Failure failure = try_out(c);
  if (failure.for_memory && best_ != nullptr) {  // freeing the best format may leave enough memory
    best_.reset();
    failure = try_out(c);
  }
  c.cost.reason_not = failure.reason;
  trials_.candidates.push_back(std::move(c));
}

template <class Space, class T>
typename Tuner<Space, T>::Failure Tuner<Space, T>::try_out(Candidate& c) {
  try {
    time(c);
    return {};
  } catch (const DeviceMemoryError& e) {
    space_.wait();  // throws when the device can't be used any more
    return {e.what(), true};
  } catch (const Error& e) {
    space_.wait();
    return {e.what()};
  } catch (const std::bad_alloc&) {
    return {"out of memory", true};
  }
}

template <class Space, class T>
void Tuner<Space, T>::time(Candidate& c) {
  space_.wait();
  Stopwatch watch;
  Built built = build(*list_.find(c.name), space_, a_, in_, c);
  space_.wait();
  const double setup_seconds = watch.seconds();
  generate(*built, c);
  const auto product = [&] { built->apply(T{1}, x_, T{0}, y_); };
  product();
  c.measured_seconds = tuner_definition::trial_seconds(space_, 3 * best_seconds_, seconds_left(), product);
  c.measured_setup_seconds = setup_seconds;
  best_seconds_ = std::min(best_seconds_, c.measured_seconds);
  const double total = setup_seconds + options_.expected_products * c.measured_seconds;
  if (total >= best_total_) return;
  best_total_ = total;
  best_name_ = c.full_name();
  best_ = std::move(built);
}

/// Compiles kernels for the matrix if the operator will use such kernels and the budget leaves time to wait for them.
template <class Space, class T>
void Tuner<Space, T>::generate(BuiltFormat<Space, T>& built, const Candidate& c) const {
  constexpr double compilation = 0.5;  // seconds that must be left of the budget
  const bool is_forced = options_.jit == Jit::on;
  if (!worth_compiling(options_, c.cost.seconds) || (!is_forced && seconds_left() < compilation)) return;
  try {
    built.generate(true);
  } catch (const DeviceError&) {
    if (is_forced) throw;
  }
}

}  // namespace ostinato
