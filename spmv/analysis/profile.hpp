// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// What the cost models of the general formats ask of a matrix. A matrix without entries has the values below.
///
/// Facts that are sampled come from groups of 12 rows (of block rows, those that begin in a group; of each, the first
/// 96 columns that hold an entry), or from runs of 32 entries. Groups and runs are evenly spaced: all of them up to 32
/// groups or 64 runs, of more a sixteenth, 2048 groups and 4096 runs at most. All facts depend on the matrix alone, not
/// on the space.
struct Profile {
  static constexpr int heights = 4, widths = 4, largest_square = 8;
  static constexpr Index slice_rows = 32;
  static constexpr Index widest_third = 4095;  ///< ell_third says no more than that
  static constexpr int most_distinct = 256;
  static constexpr Index hot_columns[3] = {1024, 4096, 16384};

  /// [h - 1][w - 1]: entries over slots of the stored h x w blocks, which begin at multiples of h and w and count in
  /// full where they pass the edge of the matrix. Sampled.
  double fill[heights][widths] = {};
  double square_fill[largest_square + 1] = {};  ///< [s]: the same of s x s blocks, s = 2, 3, 4, 5, 6, 8; else 0
  Offset sliced_slots = 0;  ///< of slices of 32 rows (the last one, too), as wide as their longest row
  Index ell_third = 0;      ///< the largest width that at least a third of the rows reach
  Index farthest = 0;       ///< max |column - row|
  bool single = true;       ///< every value is exact in float
  int distinct = 0;         ///< different values (by bits); 0 when there are more than 256
  double sectors = 0;       ///< mean number of 32-byte sectors of x (doubles) that 32 consecutive entries read; sampled
  /// Share of the entries in the 1024, 4096, 16384 columns with most entries. From a sample of at most 2^20 entries, in
  /// which chance alone makes a few per cent; 0 (not counted) below 100,000 entries or 131,072 columns.
  double hot[3] = {};
  std::vector<Offset> different;  ///< the first entry with each of the `distinct` values
};

/// Profiles a matrix; get() waits for it and gives it.
///
/// Exec      In parallel where the matrix is: four kernels (six when hot columns are counted) at most, enqueued. On Host all is
///           done at once.
/// Requires  Canonical rows (is_canonical), and the arrays alive until get() or, without it, until the space has been
///           waited for. get() is called by the thread that uses the space.
/// Traffic   Reads the row pointers and two columns of each row, the values until nothing is left to find out of
///           them, and samples of the rest.
template <class T>
std::future<Profile> begin_profile(const Host& space, const CsrView<T>& a);
template <class T>
std::future<Profile> begin_profile(const Cuda& space, const CsrView<T>& a);

/// The same, waited for.
template <class Space, class T>
Profile take_profile(const Space& space, const CsrView<T>& a) {
  return begin_profile(space, a).get();
}

}  // namespace ostinato
