// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/cost.hpp>

namespace ostinato::formats {

/// Seconds in which the memory moves what a product reads and writes; a cache does it faster while the whole fits into
/// half of it.
inline double stream_seconds(const Machine& m, double bytes, double efficiency) {
  const bool cached = bytes < 0.5 * static_cast<double>(m.cache_bytes);
  return bytes / (m.bandwidth * efficiency * (cached ? m.cache_gain : 1));
}

/// Seconds in which the second-level cache of a GPU hands out the sectors of 32 bytes that a product asks for: the
/// matrix, and x for `share` of the entries. Where many read the same few columns (R-MAT) it does 0.62 of what it does
/// where columns are random (H200, 2026-11).
inline double gather_seconds(const Structure& s, const Machine& m, double bytes, double share = 1) {
  if (!m.device || s.profile == nullptr) return 0;
  const double far_apart = std::clamp((s.profile->sectors - 18) / 6, 0.0, 1.0);  // else the first level has most of x
  const double gathered = static_cast<double>(s.nonzeros) * s.profile->sectors / 32 * share * far_apart;
  return (bytes / 32 + gathered) * m.sector_seconds / (s.profile->hot[2] > 0.3 ? 0.62 : 1);
}

/// The longer of both.
inline double traffic_seconds(const Structure& s, const Machine& m, double bytes, double efficiency, double share = 1) {
  return std::max(stream_seconds(m, bytes, efficiency), gather_seconds(s, m, bytes, share));
}

}  // namespace ostinato::formats
