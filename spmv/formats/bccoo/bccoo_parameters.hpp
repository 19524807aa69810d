// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_view.hpp>

namespace ostinato::formats {

/// The tunable parameters of BCCOO and BCCOO+: the paper's Table 1 as far as it applies. Bit flags are always read as
/// 32-bit words, values are always stored transposed, and x is read through the first-level cache
/// unless there are hot columns.
struct BccooParameters {
  int height = 1;  ///< rows of a block: 1 .. 4
  int width = 1;   ///< columns of a block: 1 .. 4
  int slices = 1;  ///< vertical slices: 1 for bccoo; 2, 4, .. 32 for bccoo-plus
  int tile = 16;   ///< blocks of a thread: 8, 16, .. 128
  /// Threads of a workgroup: 64, 128, .. 512; 1024 with hot columns. 1, for Host, stores the blocks one after the
  /// other.
  int threads = 64;
  int strategy = 2;  ///< 1: each thread stores its sums; 2: sums are collected per workgroup
  int compress = 1;  ///< 1: block columns in 1 or 2 bytes and values in 1 byte where they fit
  int hot = 0;       ///< hot columns: 0, 8192, 16384 or 17408; 1 x 1 blocks only

  bool operator==(const BccooParameters&) const = default;
  std::string text(std::string_view format) const;
  static BccooParameters parse(std::string_view format, std::string_view text);

  /// The layout with these parameters. Sums of a workgroup that don't fit the cache are stored by the threads.
  BccooShape shape(bool may_compress) const;
};

/// How the values are stored. They are coded when at most 256 of them (with the 0 of padding) are different and codes
/// save bytes. Otherwise they are stored as float when all are exact in float.
BccooValues bccoo_values(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes);

/// The parameters expected to be fastest.
BccooParameters choose_bccoo(const PlanInput& in, std::size_t value_bytes, bool sliced);

/// The parameters of bccoo worth timing, after the paper's pruning: the four block sizes that take the fewest bytes,
/// and variants of the best one.
std::vector<BccooParameters> bccoo_variants(const PlanInput& in, std::size_t value_bytes);

Cost bccoo_cost(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes);

}  // namespace ostinato::formats
