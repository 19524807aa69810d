// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

/// How far the entries of a square matrix are from its diagonal, at most.
struct Bandwidth {
  Index lower = 0;  ///< row - column
  Index upper = 0;  ///< column - row

  bool operator==(const Bandwidth&) const = default;
};

/// Requires  Canonical rows.
Bandwidth bandwidth_of(std::span<const Offset> row_ptr, std::span<const Index> col);

/// The largest distance of two neighbours whose places are those of an order.
Index bandwidth_of(const Graph& g, std::span<const Index> order);

}  // namespace ostinato
