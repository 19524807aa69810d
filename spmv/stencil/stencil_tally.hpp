// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rows of a stencil, or of some of its planes, have in common.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>

namespace ostinato::detail {

using StencilRow = std::array<double, neighbours>;

/// What is counted.
struct Tally {
  Offset nonzeros = 0;
  Index longest = 0, empty = 0, missing = 0, not_positive = 0, not_negative = 0;
  double squares = 0, dominant = 0;  ///< of the lengths of rows; rows dominated by the diagonal
  double least = HUGE_VAL, most = -HUGE_VAL, norm = 0;
  bool finite = true;
  std::uint32_t present[neighbours] = {};  ///< bit k: some row of this class has a coefficient for neighbour k

  /// Adds a row that points of class c have.
  void add(const StencilRow& row, int c, Index times) {
    Index length = 0;
    double size = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      length += row[k] != 0 ? 1 : 0;
      present[c] |= row[k] != 0 ? 1u << k : 0u;
      size += std::abs(row[k]);
      finite = finite && std::isfinite(row[k]);
    }
    const double own = row[centre], of_own = std::abs(own);
    nonzeros += Offset{times} * length;
    longest = std::max(longest, length);
    empty += length == 0 ? times : 0;
    missing += own == 0 ? times : 0;
    not_positive += own > 0 ? 0 : times;
    not_negative += own < 0 ? 0 : times;
    squares += static_cast<double>(times) * length * length;
    dominant += 2 * of_own - size > 0.02 * of_own ? times : 0;
    least = std::min(least, own);
    most = std::max(most, own);
    norm = std::max(norm, size);
  }

  void add(const Tally& other) {
    nonzeros += other.nonzeros;
    longest = std::max(longest, other.longest);
    empty += other.empty;
    missing += other.missing;
    not_positive += other.not_positive;
    not_negative += other.not_negative;
    squares += other.squares;
    dominant += other.dominant;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    norm = std::max(norm, other.norm);
    finite = finite && other.finite;
    for (int c = 0; c < neighbours; ++c) present[c] |= other.present[c];
  }
};

/// Whether entries have equal mirror entries.
struct Symmetry {
  bool pattern = true, values = true;

  void compare(double one, double other) {
    pattern = pattern && (one != 0) == (other != 0);
    values = values && one == other;
  }
  void add(const Symmetry& other) {
    pattern = pattern && other.pattern;
    values = values && other.values;
  }
};

}  // namespace ostinato::detail
