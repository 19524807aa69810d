// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/tuner_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

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

OSTINATO_CLASS(Tuner);

}  // namespace ostinato
