// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/cost.hpp>

namespace ostinato::formats {

/// Speed of a cuSPARSE product (H200, CUDA 13.0, cuSPARSE 12.6, 2026-11; the table of products in docs/performance.md).
struct CusparseSpeed {
  double latency;         ///< seconds of a product with almost no entries
  double short_rows;      ///< share of the copy bandwidth with under 16 entries a row
  double long_rows;       ///< share of the copy bandwidth with longer rows
  double scattered;       ///< share of the copy bandwidth with scattered columns
  double per_longest;     ///< seconds for each entry of the longest row, which one thread takes
  double setup_products;  ///< conversion and preprocessing in passes over the stored bytes; estimated
};

/// The cost of a matrix that cuSPARSE holds with this many stored values, column indices and row or slice starts.
template <class T>
Cost cusparse_cost(const PlanInput& in, const CusparseSpeed& speed, double slots, double columns, double starts) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  Cost c;
  const double bytes = slots * sizeof(T) + columns * sizeof(Index) + starts * sizeof(std::int32_t);
  c.bytes = static_cast<std::size_t>(bytes);
  c.moved = bytes + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
  c.padding = s.nonzeros > 0 ? std::max(slots / static_cast<double>(s.nonzeros) - 1, 0.0) : 0;
  const double share = s.diagonals > s.rows / 4 ? speed.scattered
                       : s.mean_row < 16        ? speed.short_rows
                                                : speed.long_rows;
  c.seconds = speed.latency + c.moved / (m.bandwidth * share) + speed.per_longest * s.longest_row;
  c.setup_seconds = speed.latency + speed.setup_products * c.moved / m.bandwidth;
  if (std::max(slots, starts) > std::numeric_limits<std::int32_t>::max())
    c.reason_not = "cuSPARSE stores at most 2^31 - 1 values";
  return c;
}

namespace detail {

/// Throws    ArgumentError when cuSPARSE can't count so many slots.
inline void require_int32(Offset slots) {
  if (slots <= std::numeric_limits<std::int32_t>::max()) return;
  throw ArgumentError("cuSPARSE would need " + std::to_string(slots) + " slots; it counts up to 2^31 - 1");
}

}  // namespace detail

}  // namespace ostinato::formats
