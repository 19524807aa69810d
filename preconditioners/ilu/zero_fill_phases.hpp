// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The phases of zero_fill.hpp that differ between the spaces. Those of spaces other than Cuda are in
// zero_fill_in_turn.hpp.

#include <cstddef>

#include <ostinato/preconditioners/ilu/zero_fill.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_rows.hpp>
#include <ostinato/preconditioners/triangular/sweep.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// The levels of both triangles: those of the lower one, those of the upper one, and behind them the latest level of
/// each, -1 where there are no rows. More elements may follow.
template <class Space>
Vector<Space, Index> find_levels(const Space& space, const Triangle& lower);
Vector<Cuda, Index> find_levels(const Cuda& space, const Triangle& lower);

/// The rows of a lower sweep, in its order, and where its tiles begin; or the order of the matrix, without tiles.
struct FactorOrder {
  const Index* row = nullptr;
  const SweepTile* tile = nullptr;
  std::size_t tiles = 0;
  Index levels = 1;
  bool has_long_rows = false;  ///< a quarter of the entries or more are in rows of more than 9
};

/// How a thread block of a GPU factors its part of a tile, whose rows don't wait for each other. A row has 2 x parts
/// times the lanes that it has in the sweep, but at most a warp. Small blocks leave registers to others where a tile
/// has one row or two.
struct PartOfTile {
  static constexpr int threads = 64;

  int lanes;  ///< of a row
  int rows;   ///< of the block

  OSTINATO_FUNCTION PartOfTile(Index log_lanes, unsigned parts) {
    const int wanted = static_cast<int>(2 * parts) << log_lanes, all = 32 >> log_lanes;
    lanes = wanted < 32 ? wanted : 32;
    rows = threads / lanes < all ? threads / lanes : all;
  }
};

/// What rows count while they are factored and stored. All bits are set before the first row.
struct FactorCounts {
  Index bad;        ///< one less than the rows that eliminate() or decompose() returns true for
  unsigned ticket;  ///< the thread block that began last
  double outside;   ///< numbers of the factors that leave their range
};

/// Whether so many rows are best factored in the order of the matrix; `at_hand`: where the order of the lower sweep is
/// known already.
template <class Space>
bool factors_in_turn(const Space&, std::size_t, bool) {
  return true;
}
bool factors_in_turn(const Cuda& space, std::size_t rows, bool at_hand);

/// Factors all rows in this order; any gives the same bits. But for Cuda the order is that of the matrix. `parameter`:
/// that of FactoredRows::eliminate() or decompose(). The counts lie behind the pivots, and these behind `rows.upper`,
/// of so many entries.
template <class Space>
void factor_rows(const Space& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, FactorCounts* counts);
void factor_rows(const Cuda& space, const FactoredRows& rows, Offset entries, const FactorOrder& order,
                 ZeroFillKind kind, double parameter, FactorCounts* counts);

}  // namespace ostinato::detail
