// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The phases of zero_fill.hpp that differ between the spaces.

#include <span>

#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/preconditioners/ilu/zero_fill.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_rows.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::detail {

/// The levels of both triangles by turns, and the latest level of each: two elements of `most`.
/// Requires  `most` is 0.
void find_levels(const Host& space, const Triangle& lower, const Triangle& upper, Index* lower_level,
                 Index* upper_level, Index* most);
void find_levels(const Cuda& space, const Triangle& lower, const Triangle& upper, Index* lower_level,
                 Index* upper_level, Index* most);

/// Sorts rows and their groups, 0 .. count - 1, by group. Rows of the same group stay in order.
void sort_by_group(const Host& space, std::span<Index> group, Index count, std::span<Index> rows);
void sort_by_group(const Cuda& space, std::span<Index> group, Index count, std::span<Index> rows);

/// The rows of a lower sweep, in its order, and where its tiles begin.
struct FactorOrder {
  const Index* row;
  const SweepTile* tile;  ///< null on Host
  std::size_t tiles;
};

/// Factors all rows in this order. `parameter`: that of FactoredRows::eliminate() or decompose(). *bad := the number of
/// rows that these functions return true for.
void factor_rows(const Host& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, Index* bad);
void factor_rows(const Cuda& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, Index* bad);

}  // namespace ostinato::detail
