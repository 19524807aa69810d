// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// What the tuner keeps on disk.

#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <utility>

#include <ostinato/spmv/base/disk_cache.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/selection/tuner.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato {

namespace {

/// Returns a stream that writes and reads numbers exactly and independently of the locale.
template <class Stream>
Stream plain() {
  Stream stream;
  stream.imbue(std::locale::classic());
  stream.precision(17);
  return stream;
}

}  // namespace

std::string trials_key(const std::string& device, const std::string& libraries, std::size_t value_bytes,
                       const std::string& pattern, const std::vector<Candidate>& candidates,
                       const FormatOptions& options) {
  auto key = plain<std::ostringstream>();
  key << "trials, ostinato " << version.major << '.' << version.minor << '.' << version.patch << '\n'
      << device << '\n'
      << libraries << '\n'
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
    full_name = lower(full_name);  // a damaged file may hold "Auto"
    const bool is_time = c.is_measured() && std::isfinite(c.measured_seconds) && c.measured_setup_seconds >= 0;
    if (full_name.starts_with("auto") || full_name.starts_with(":") || !is_time) return {};  // the file is damaged
    auto [name, parameters] = parse_format(full_name);
    c.name = std::move(name);
    c.parameters = std::move(parameters);
    kept.candidates.push_back(c);
  }
  return kept;
}

}  // namespace ostinato
