// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/disk_cache.hpp>
#include <ostinato/spmv/selection/tuner.hpp>

#include "fuzz/input.hpp"

// Any text in the cache of measured times gives trials, perhaps none, and no error; what is kept again is read again.

namespace {

bool same(const ostinato::Trials& a, const ostinato::Trials& b) {
  if (a.candidates.size() != b.candidates.size()) return false;
  for (std::size_t k = 0; k < a.candidates.size(); ++k) {
    const ostinato::Candidate &x = a.candidates[k], &y = b.candidates[k];
    if (x.full_name() != y.full_name() || x.measured_seconds != y.measured_seconds) return false;
    if (x.measured_setup_seconds != y.measured_setup_seconds) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ostinato;
  static const fuzz::Folder folder;
  static const int set = ::setenv("OSTINATO_CACHE_DIR", folder.path().c_str(), 1);
  static const DiskCache cache = DiskCache::of_user();
  fuzz::require(set == 0 && cache.store("trials", fuzz::text_of(data, size)), "a text can be stored");
  Trials kept = kept_trials("trials");
  for (const Candidate& c : kept.candidates) {
    fuzz::require(!c.name.empty() && c.name != "auto", "a trial names a format");
    fuzz::require(c.measured_seconds > 0 && c.measured_setup_seconds >= 0, "a trial has times");
  }
  if (kept.candidates.empty()) return 0;
  keep_trials("again", kept);
  fuzz::require(same(kept, kept_trials("again")), "what is kept is read again");
  return 0;
}
