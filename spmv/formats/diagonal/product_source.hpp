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
/// In the text, offsets and positions are literals, loops over diagonals are unrolled, and each different list of
/// diagonals has a body of its own. Values stay in memory or parameters, so the text depends only on the structure. The
/// kernels add the terms of each row in the same order and by the same fused multiply-adds as the precompiled kernels,
/// and reduce dot products in the same way: both give the same bits.
///
/// Source    DIA-Adaptive, sections 3.2.2 and 3.3.2. The tiling is ours.
struct ProductSource {
  /// Names of the kernels in `text`. product_pairs exists when threads take rows in pairs, for vectors that start at a
  /// multiple of two values. For all other vectors `product` then takes single rows.
  static constexpr const char* product = "product";
  static constexpr const char* product_dot = "product_dot";
  static constexpr const char* product_pairs = "product_pairs";

  /// The rows of a thread: `tall` groups of `pair` consecutive rows, `stride` rows apart.
  struct Tiling {
    int pair = 1;
    int tall = 1;
    Index stride = 1;
    int threads = 256;

    unsigned blocks(Index rows) const;
  };

  std::string text;
  Tiling tiling;  ///< tiling of the product; product_dot has one thread per row, as the order of the sum requires
};

/// The source for a plan; nothing when the precompiled kernels are as good or the text would take too long to compile.
/// `type` is "float" or "double".
std::optional<ProductSource> product_source(const BandPlan& plan, const std::string& type);

template <class T>
ProductSource product_source(const ClassTable<T>& table, bool simple);

/// The diagonals with a single value that a kernel of product_source(plan, type) takes from BandArgs::constant, in this
/// order.
std::vector<std::uint16_t> constant_diagonals(const BandPlan& plan);

/// Chooses the rows per thread of a row-class kernel. Rows that share most of x save cache traffic. A matrix of few
/// rows keeps one row per thread.
ProductSource::Tiling choose_tiling(const std::vector<Index>& offsets, Index rows);

}  // namespace ostinato::formats
