// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/tuner.hpp>

#include <algorithm>
#include <cmath>
#include <new>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/message.hpp>

namespace ostinato {

double tuning_budget(const FormatOptions& options, double product_seconds) {
  constexpr double share = 0.05, least = 0.02, most = 5, everything = 10;
  require_between("FormatOptions", "tune_budget", options.tune_budget, 0);
  if (options.tune_budget > 0) return options.tune_budget;
  if (options.tune == Tune::everything) return everything;
  return std::clamp(share * options.expected_products * product_seconds, least, most);
}

std::vector<Candidate> first_trials(const std::vector<Candidate>& ranking, bool everything) {
  std::vector<Candidate> first;
  const double most = everything ? std::numeric_limits<double>::infinity() : 2 * ranking.front().total_seconds;
  for (const Candidate& c : ranking) {
    if (c.cost.applies() && c.total_seconds <= most) first.push_back(c);
  }
  if (everything) std::stable_partition(first.begin(), first.end(), [](const Candidate& c) { return c.name == "csr"; });
  return first;
}

std::vector<std::string> worth_varying(const std::vector<Candidate>& trials, bool everything) {
  constexpr std::size_t few = 3;
  std::vector<std::pair<double, std::string>> formats;
  for (const Candidate& c : trials) {
    if (c.is_measured() || everything)
      formats.emplace_back(c.is_measured() ? c.measured_seconds : std::numeric_limits<double>::infinity(), c.name);
  }
  std::stable_sort(formats.begin(), formats.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!everything) formats.resize(std::min(few, formats.size()));
  std::vector<std::string> names;
  for (auto& [seconds, name] : formats) names.push_back(std::move(name));
  return names;
}

int prune(std::vector<Candidate>& variants, bool everything) {
  const double growth = everything ? 3 : 1.25;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Candidate& c : variants) {
    if (c.cost.applies()) least = std::min(least, c.cost.bytes);
  }
  const double most = growth * static_cast<double>(least);
  return static_cast<int>(std::erase_if(
      variants, [&](const Candidate& c) { return !c.cost.applies() || static_cast<double>(c.cost.bytes) > most; }));
}

bool contains(const std::vector<Candidate>& trials, const Candidate& candidate) {
  return std::any_of(trials.begin(), trials.end(), [&](const Candidate& c) {
    return c.name == candidate.name && c.parameters == candidate.parameters;
  });
}

namespace {

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

}  // namespace

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
  c.measured_seconds = trial_seconds(space_, 3 * best_seconds_, seconds_left(), product);
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

OSTINATO_CLASS(Tuner);

}  // namespace ostinato
