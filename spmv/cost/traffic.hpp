// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/cost/cost.hpp>

namespace ostinato::formats {

/// Seconds to move the bytes that a product reads and writes. A cache is faster than memory as long as all bytes fit
/// into half of the cache.
inline double stream_seconds(const Machine& m, double bytes, double efficiency) {
  const bool cached = bytes < 0.5 * static_cast<double>(m.cache_bytes);
  return bytes / (m.bandwidth * efficiency * (cached ? m.cache_gain : 1));
}

/// Seconds in which the second-level cache of a GPU delivers the 32-byte sectors that a product asks for: those of the
/// matrix, and those of x for `share` of the entries. Where many entries read the same few columns (R-MAT) the cache
/// delivers 0.62 times as many sectors a second as for random columns (H200, 2026-11).
inline double gather_seconds(const Structure& s, const Machine& m, double bytes, double share = 1) {
  if (!m.device || s.profile == nullptr) return 0;
  const double far_apart = std::clamp((s.profile->sectors - 18) / 6, 0.0, 1.0);  // below 18 L1 has most of x
  const double gathered = static_cast<double>(s.nonzeros) * s.profile->sectors / 32 * share * far_apart;
  return (bytes / 32 + gathered) * m.sector_seconds / (s.profile->hot[2] > 0.3 ? 0.62 : 1);
}

/// The longer of stream_seconds() and gather_seconds().
inline double traffic_seconds(const Structure& s, const Machine& m, double bytes, double efficiency, double share = 1) {
  return std::max(stream_seconds(m, bytes, efficiency), gather_seconds(s, m, bytes, share));
}

}  // namespace ostinato::formats
