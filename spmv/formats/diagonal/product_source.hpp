// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/spmv/formats/diagonal/band_plan.hpp>
#include <ostinato/spmv/formats/diagonal/class_table.hpp>

namespace ostinato::formats {

/// CUDA source for the products of one structure, and how its kernels are launched.
///
/// The text has offsets and places as literals, loops over diagonals unrolled, and one body for each different list of
/// diagonals; values stay in memory or parameters, so that it depends on the structure alone. It adds each row's
/// terms up in the same order as the precompiled kernels, by the same fused multiply-adds, and sums as they do: the
/// same bits.
///
/// Source    DIA-Adaptive, sections 3.2.2 and 3.3.2. The tiling is ours.
struct ProductSource {
  /// Kernels in `text`. The last is there when rows are taken in pairs, for vectors that begin at a multiple of two
  /// values; the first then takes single rows instead, for all others.
  static constexpr const char* product = "product";
  static constexpr const char* product_dot = "product_dot";
  static constexpr const char* product_pairs = "product_pairs";

  /// Rows of a thread: `pair` consecutive ones, `tall` times, `stride` apart.
  struct Tiling {
    int pair = 1;
    int tall = 1;
    Index stride = 1;
    int threads = 256;

    unsigned blocks(Index rows) const;
  };

  std::string text;
  Tiling tiling;  ///< of the product; that with a dot product has a thread a row, in the order of the sum
};

/// Nothing when the precompiled kernels are as good or the text would be too long to compile. `type` is "float" or
/// "double".
std::optional<ProductSource> product_source(const BandPlan& plan, const std::string& type);

template <class T>
ProductSource product_source(const ClassTable<T>& table, bool simple);

/// The diagonals whose one value a kernel of product_source(plan, type) takes from BandArgs::constant, in that order.
std::vector<std::uint16_t> constant_diagonals(const BandPlan& plan);

/// How many rows a thread of a class kernel takes: neighbours share most of x, so that less comes from the caches.
/// Few rows are left to as many threads.
ProductSource::Tiling choose_tiling(const std::vector<Index>& offsets, Index rows);

}  // namespace ostinato::formats
