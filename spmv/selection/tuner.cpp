// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/tuner.hpp>

#include <locale>
#include <sstream>

#include <ostinato/spmv/jit/disk_cache.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato {

namespace {

/// Writes and reads numbers in the same way everywhere.
template <class Stream>
Stream plain() {
  Stream stream;
  stream.imbue(std::locale::classic());
  stream.precision(17);
  return stream;
}

}  // namespace

double tuning_budget(const FormatOptions& options, double product_seconds) {
  constexpr double share = 0.05, least = 0.02, most = 5, everything = 10;
  if (!(options.tune_budget >= 0))
    throw ArgumentError("tune_budget = " + std::to_string(options.tune_budget) + " is no time to measure in");
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

std::string trials_key(const std::string& device, std::size_t value_bytes, const std::string& pattern,
                       const std::vector<Candidate>& candidates, const FormatOptions& options) {
  auto key = plain<std::ostringstream>();
  key << "trials, ostinato " << version.major << '.' << version.minor << '.' << version.patch << '\n'
      << device << '\n'
      << value_bytes << " bytes a value\npattern " << pattern << "\nproducts 1e"
      << std::floor(std::log10(std::max(1.0, options.expected_products))) << "\ncompress "
      << static_cast<int>(options.compress) << ", jit " << static_cast<int>(options.jit) << '\n';
  for (const Candidate& c : candidates) key << c.full_name() << ' ' << (c.cost.applies() ? c.cost.bytes : 0) << '\n';
  return key.str();
}

void keep_trials(const std::string& key, Trials& trials) {
  auto text = plain<std::ostringstream>();
  text << trials.everything << ' ' << trials.seconds << ' ' << trials.budget << ' ' << trials.pruned << ' '
       << trials.left_out << '\n';
  for (const Candidate& c : trials.candidates) {
    if (c.is_measured()) text << c.full_name() << ' ' << c.measured_seconds << ' ' << c.measured_setup_seconds << '\n';
  }
  const DiskCache cache = DiskCache::of_user();
  if (cache.store(key, text.str())) trials.file = cache.file(key).string();
}

Trials kept_trials(const std::string& key) {
  const DiskCache cache = DiskCache::of_user();
  const std::optional<std::string> stored = cache.load(key);
  if (!stored) return {};
  Trials kept{.before = true, .file = cache.file(key).string()};
  auto text = plain<std::istringstream>();
  text.str(*stored);
  text >> kept.everything >> kept.seconds >> kept.budget >> kept.pruned >> kept.left_out;
  std::string full_name;
  for (Candidate c; text >> full_name >> c.measured_seconds >> c.measured_setup_seconds;) {
    if (full_name.starts_with("auto")) return {};  // nothing that was written here
    auto [name, parameters] = parse_format(full_name);
    c.name = std::move(name);
    c.parameters = std::move(parameters);
    kept.candidates.push_back(c);
  }
  return kept;
}

}  // namespace ostinato
