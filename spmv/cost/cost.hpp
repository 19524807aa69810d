// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/cost/machine.hpp>

namespace ostinato {

/// The cost of one format for one matrix on one machine.
struct Cost {
  std::size_t bytes = 0;       ///< bytes stored for the matrix
  std::size_t most_bytes = 0;  ///< the same at most, where `bytes` is an estimate; otherwise 0, or no more than `bytes`
  double moved = 0;            ///< bytes read and written in one product y = A x, where x is read once
  double padding = 0;          ///< stored values that are padding, over entries
  double seconds = 0;          ///< predicted for one product
  double setup_seconds = 0;    ///< predicted from the end of the analysis to the first product
  std::string reason_not = {};  ///< why the format can't hold the matrix; empty when the format can
  bool reproducible = true;     ///< the same input gives the same bits; other formats are taken only by name

  bool elsewhere = false;  ///< the format runs on other devices only

  bool applies() const { return reason_not.empty(); }
};

/// The input of a format's plan. Refers to objects that the caller keeps alive.
struct PlanInput {
  const Structure& structure;
  const Machine& machine;
  bool compress = true;  ///< allows narrower values and columns where no bit is lost
};

namespace formats {

/// True when a diagonal format would take more than 32 times the bytes of CSR. Such a format is refused even when asked
/// for by name, because memory would run out.
bool grows_too_far(const Structure& s, std::size_t value_bytes, double bytes);

/// Why rows aren't padded to the longest of 32: the slots would be more than 8 times the entries, as where one row of
/// 32 is long. Empty when they may be. A padded row costs time as well as memory, so a format is refused even when
/// asked for by name.
bool pads_too_much(Offset slots, Offset nonzeros);
std::string why_not_sliced(const Structure& s);

/// Why the analysis took no census of the diagonals.
std::string why_no_census(const Structure& s);

}  // namespace formats

}  // namespace ostinato
