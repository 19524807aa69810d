// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/selection/select_format.hpp>

#include <new>
#include <utility>

#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/selection/tuner.hpp>
#include <ostinato/spmv/selection/tuner_definition.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato {

template <class Space, class T>
Selection<Space, T>::Selection(Choice chosen, std::unique_ptr<BuiltFormat<Space, T>> format, double seconds,
                               double to_build)
    : choice(std::move(chosen)), built(std::move(format)), tune_seconds(seconds), build_seconds(to_build) {}

template <class Space, class T>
Selection<Space, T>::~Selection() = default;

template <class Space, class T>
Selection<Space, T>::Selection(Selection&&) noexcept = default;

namespace select_format_definition {

inline bool measures(const FormatOptions& options) {
  return options.tune == Tune::measure || options.tune == Tune::everything;
}

/// What measured times depend on beside the device.
template <class Space>
std::string libraries_of(const Space& space) {
  if constexpr (is_cuda<Space>) {
    return vendor_versions(space);
  } else if constexpr (is_host<Space>) {
    return Space::build_description();
  } else {
    return {};
  }
}

template <class Space>
std::string description_of(const Space& space) {
  if constexpr (requires { space.description(); }) {
    return space.description();
  } else {
    return "a space of the program";
  }
}

template <class Space, class T>
class Selector {
 public:
  using Built = std::unique_ptr<BuiltFormat<Space, T>>;

  Selector(const Analysis<Space, T>& analysis, const FormatOptions& options, const FormatList<Space, T>& list)
      : analysis_(analysis),
        options_(options),
        list_(list),
        machine_(machine_of(analysis.space())),
        in_{analysis.structure(), machine_, may_compress(options, analysis.structure().nonzeros, sizeof(T))},
        candidates_(candidates_of(list, in_, parse_format(options.format))) {}

  /// Chooses by predicted or measured times.
  Selection<Space, T> select() {
    exclude_nonreproducible(candidates_);
    Choice predicted = choose_of_present();
    if (!measures(options_) || in_.structure.nonzeros == 0) return {std::move(predicted), nullptr, 0};
    return tune(std::move(predicted));
  }

  /// Takes the format called `name`. The census is taken only if that format needs the census; the other formats are
  /// then planned without it.
  Selection<Space, T> take(const std::string& name) {
    for (Candidate& c : candidates_) {
      if (c.name != name || c.cost.applies()) continue;
      c = detail::candidate(name, propose(analysis_, *list_.find(name), in_, parse_format(options_.format).parameters));
    }
    return {choose(candidates_, options_), nullptr, 0};
  }

 private:
  /// Chooses by predicted times among formats that can be used in this process. Only the cheapest are asked: for the
  /// answer a library may have to be opened.
  Choice choose_of_present() {
    for (;;) {
      Choice choice = choose(candidates_, options_);
      const std::string why = list_.find(choice.format)->why_absent();
      if (why.empty()) return choice;
      for (Candidate& c : candidates_) {
        if (c.name == choice.format) c.cost.reason_not = why;
      }
    }
  }

  /// Chooses by measured times: those of an earlier run if the format that they favour can be built, otherwise new
  /// ones.
  Selection<Space, T> tune(Choice predicted) {
    const Stopwatch watch;
    const Space& space = analysis_.space();
    const std::string key =
        trials_key(description_of(space), libraries_of(space), sizeof(T), analysis_.pattern(), candidates_, options_);
    if (Trials kept = known_trials(key); !kept.candidates.empty()) {
      Choice choice = choose(candidates_, std::move(kept), options_);
      const double seconds = watch.seconds();
      if (Built built = try_build(choice.candidates.front())) {
        space.wait();
        return {std::move(choice), std::move(built), seconds, watch.seconds() - seconds};
      }
    }
    Tuner<Space, T> tuner(space, analysis_.matrix(), in_, options_, list_);
    Trials trials = tuner.run(predicted.candidates);
    keep_trials(key, trials);
    Choice choice = choose(candidates_, std::move(trials), options_);
    Built built = tuner.take(choice.candidates.front());
    return {std::move(choice), std::move(built), watch.seconds()};
  }

  Trials known_trials(const std::string& key) const {
    if (options_.tune_again) return {};
    Trials kept = kept_trials(list_, key, in_);
    return kept.everything || options_.tune == Tune::measure ? kept : Trials{};
  }

  /// Null when the candidate can't be built.
  Built try_build(const Candidate& c) const {
    try {
      return build(*list_.find(c.name), analysis_.space(), analysis_.matrix(), in_, c);
    } catch (const Error&) {
      analysis_.space().wait();  // throws when the device can't be used any more
    } catch (const std::bad_alloc&) {
    }
    return nullptr;
  }

  const Analysis<Space, T>& analysis_;
  const FormatOptions& options_;
  const FormatList<Space, T>& list_;
  Machine machine_;
  PlanInput in_;
  std::vector<Candidate> candidates_;
};

}  // namespace select_format_definition

template <class Space, class T>
Selection<Space, T> select_format(const Analysis<Space, T>& analysis, const FormatOptions& options,
                                  const FormatList<Space, T>& list) {
  if (analysis.structure().lengths_only && list.size() > 1) analysis.complete(AnalysisDepth::without_census);
  const std::string name = parse_format(options.format).name;
  if (name != "auto") return select_format_definition::Selector<Space, T>(analysis, options, list).take(name);
  if (options.tune == Tune::off)
    return select_format_definition::Selector<Space, T>(analysis, options, list).take("csr");
  analysis.complete(select_format_definition::measures(options) ? AnalysisDepth::full : AnalysisDepth::quick);
  return select_format_definition::Selector<Space, T>(analysis, options, list).select();
}

template <class Space, class T>
Choice choose_format(const Analysis<Space, T>& analysis) {
  return select_format(analysis, {}, format_list<Space, T>()).choice;
}

template <class Space, class T>
Choice choose_csr(const Analysis<Space, T>& analysis) {
  static const FormatList<Space, T> alone({*format_list<Space, T>().find("csr")});
  return select_format(analysis, {.format = "csr"}, alone).choice;
}

}  // namespace ostinato
