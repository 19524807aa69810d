// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Properties of a matrix that the cost models of the general formats need. A matrix without entries has the default
/// values below.
///
/// Sampled members come from groups of 12 rows or from runs of 32 entries. A group contributes the block rows that
/// begin in the group, and each block row its first 96 columns with an entry. The sampled groups and runs are evenly
/// spaced: a sixteenth of all, but at least 8 groups and 16 runs (if there are so many), and at most 1024 groups and
/// 2048 runs. All members depend on the matrix alone, not on the space.
struct Profile {
  static constexpr int heights = 4, widths = 4, largest_square = 8;
  static constexpr Index slice_rows = 32;
  static constexpr int most_distinct = 256;
  static constexpr Index hot_columns[3] = {1024, 4096, 16384};

  /// fill[h - 1][w - 1]: entries divided by slots of the stored h x w blocks. Blocks begin at multiples of h and w. A
  /// block past the edge of the matrix counts in full. Sampled.
  double fill[heights][widths] = {};
  double square_fill[largest_square + 1] = {};  ///< [s]: fill of s x s blocks, s = 2, 3, 4, 5, 6, 8; otherwise 0
  Offset sliced_slots = 0;  ///< slots of slices of 32 rows (also the last slice), as wide as their longest row
  bool single = true;       ///< every value is exact in float
  int distinct = 0;         ///< number of different values (by bits); 0 when there are more than 256
  double sectors = 0;       ///< mean number of 32-byte sectors of x (doubles) that 32 consecutive entries read; sampled
  /// Share of the entries in the 1024, 4096 and 16384 columns with most entries (hot columns). Estimated from a sample
  /// of at most 2^20 entries, in which chance alone gives a few per cent. 0 (not counted) below 100,000 entries or
  /// 131,072 columns.
  double hot[3] = {};
  std::vector<Offset> different;  ///< the first entry with each of the `distinct` values
};

/// A profile that was started. Its counters are to be copied, by download() and with what else is to be copied then;
/// get() of `made` returns the profile afterwards.
struct StartedProfile {
  Copied counters;
  std::future<Profile> made;
};

/// Starts to profile a matrix. Without inspects_values, values count as many different ones that aren't exact in a
/// narrower type.
///
/// Exec      In parallel on the space, in whose memory the matrix is. Cuda: enqueues at most four kernels (six when hot
///           columns are counted). Host: does all work before returning.
/// Requires  Canonical rows (is_canonical). The arrays must stay valid until get() returns or, without get(), until the
///           host has waited for the space. The thread that uses the space calls get().
/// Traffic   Reads the row pointers, samples of the columns, and the values until
///           `single` and `distinct` can't change any more.
template <class T>
StartedProfile start_profile(const Host& space, const CsrView<T>& a, bool inspects_values = true);
template <class T>
StartedProfile start_profile(const Cuda& space, const CsrView<T>& a, bool inspects_values = true);
template <class Space, class T>
StartedProfile start_profile(const Space& space, const CsrView<T>& a, bool inspects_values = true);

/// Profiles a matrix and waits for the profile.
template <class Space, class T>
Profile take_profile(const Space& space, const CsrView<T>& a) {
  StartedProfile profile = start_profile(space, a);
  download(space, {profile.counters});
  return profile.made.get();
}

}  // namespace ostinato
