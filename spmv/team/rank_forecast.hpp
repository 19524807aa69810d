// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

/// What messages take between ranks that have a machine each. The numbers are those of a cluster of 2025: 100 Gbit/s.
struct RankNetwork {
  double latency = 2e-6;    ///< seconds of a message, and of a stage of a reduction
  double bandwidth = 12e9;  ///< bytes a second, one way
};

/// The most that one rank has where a square matrix is shared as Partition::by_entries() does it, but for blocks.
struct RankShare {
  int ranks = 1;
  double work = 1;     ///< share of the work of the whole matrix
  Index ghosts = 0;    ///< elements that a product gets from other ranks
  int neighbours = 0;  ///< ranks that these come from
};

/// Exec      On the calling thread; reads the columns once.
RankShare largest_share(std::span<const Offset> row_ptr, std::span<const Index> col, int ranks);

/// The predicted seconds of an iteration of CG on so many ranks:
/// work + max(0, halo - product of the interior) + reductions.
struct RankForecast {
  RankShare share;
  double work = 0, halo = 0, reductions = 0;
  double exposed = 0;  ///< part of the halo that the product doesn't hide
  double seconds() const { return work + exposed + reductions; }
};

/// `alone`: seconds of an iteration on one rank; `product`: those of its product.
RankForecast forecast(const RankShare& share, double alone, double product, std::size_t value_bytes,
                      const RankNetwork& network = {});

/// The rows from which on two ranks take an iteration of 1 / 1.3 of the time, where one takes row_seconds a row.
double rows_that_pay(double row_seconds, const RankNetwork& network = {});

}  // namespace ostinato
