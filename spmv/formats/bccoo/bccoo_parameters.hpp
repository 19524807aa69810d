// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/formats/bccoo/bccoo_view.hpp>
#include <ostinato/spmv/formats/cost.hpp>

namespace ostinato::formats {

/// What is to be chosen for BCCOO and BCCOO+: the paper's Table 1 as far as it applies. Bit flags are always read as
/// 32-bit words, values are always transposed when they are stored, and x always goes through the first-level cache.
struct BccooParameters {
  int height = 1;  ///< of a block: 1 .. 4
  int width = 1;   ///< of a block: 1 .. 4
  int slices = 1;  ///< vertical ones; 1 for bccoo, 2, 4, .. 32 for bccoo-plus
  int tile = 16;   ///< blocks of a thread: 8, 16, .. 128
  /// Of a workgroup: 64, 128, .. 512, with hot columns 1024; 1 lays the blocks out one after the other.
  int threads = 64;
  int strategy = 2;  ///< 1: a thread stores its sums itself. 2: they go through a cache of the workgroup
  int compress = 1;  ///< block columns in 1 or 2 bytes where they fit, values in 1
  int hot = 0;       ///< columns kept in shared memory: 0, 4096, 8192, 16384, 17408; 1 x 1 blocks only

  bool operator==(const BccooParameters&) const = default;
  std::string text(std::string_view format) const;
  static BccooParameters parse(std::string_view format, std::string_view text);

  /// The layout that follows. Sums of a workgroup that don't fit the cache are stored by the threads.
  BccooShape shape(bool may_compress) const;
};

/// Coded when the different values, and the 0 of padding in blocks, are few enough and it saves bytes; else as float
/// when all of them are exact in it.
BccooValues bccoo_values(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes);

/// The parameters expected to be fastest.
BccooParameters choose_bccoo(const PlanInput& in, std::size_t value_bytes, bool sliced);

/// Those worth timing, after the paper's pruning: the four block sizes that take fewest bytes, and what goes with them.
std::vector<BccooParameters> bccoo_variants(const PlanInput& in, std::size_t value_bytes, bool sliced);

Cost bccoo_cost(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes);

}  // namespace ostinato::formats
