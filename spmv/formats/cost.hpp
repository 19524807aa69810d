// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/formats/machine.hpp>

namespace ostinato {

/// What one format would cost for one matrix on one machine.
struct Cost {
  std::size_t bytes = 0;        ///< stored for the matrix
  double moved = 0;             ///< bytes from and to memory in one product y = A x, x read once
  double padding = 0;           ///< stored slots that hold no entry, over entries
  double seconds = 0;           ///< predicted for one product
  double setup_seconds = 0;     ///< predicted from the end of the analysis to the first product
  std::string reason_not = {};  ///< why the format can't hold the matrix; empty when it can
  bool reproducible = true;     ///< the same input gives the same bits; else the format is taken only by name

  bool applies() const { return reason_not.empty(); }
};

/// What a format plans from. Refers to what the caller holds.
struct PlanInput {
  const Structure& structure;
  const Machine& machine;
  bool compress = true;  ///< values and columns may be stored in fewer bytes, where no bit is lost
};

namespace formats {

/// True when a format by diagonals would take over 32 times the bytes of CSR: then the memory isn't there, and the format
/// is refused even by name.
bool grows_too_far(const Structure& s, std::size_t value_bytes, double bytes);

/// Why the analysis took no census of the diagonals.
std::string why_no_census(const Structure& s);

}  // namespace formats

}  // namespace ostinato
