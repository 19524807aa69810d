// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// The strict lower or upper triangle of a square pattern. Rows have turns: those of the lower triangle come from the
/// first to the last, those of the upper triangle from the last to the first.
struct Triangle {
  CsrPattern a;
  const Offset* after;  ///< the first entry of each row past the diagonal
  bool upper;

  OSTINATO_FUNCTION bool has_diagonal(std::size_t i) const {
    return after[i] > a.row_ptr[i] && a.col[after[i] - 1] == static_cast<Index>(i);
  }
  OSTINATO_FUNCTION Offset begin(std::size_t i) const { return upper ? after[i] : a.row_ptr[i]; }
  OSTINATO_FUNCTION Offset end(std::size_t i) const {
    return upper ? a.row_ptr[i + 1] : after[i] - (has_diagonal(i) ? 1 : 0);
  }
  /// The turn of a row, and the row of a turn.
  OSTINATO_FUNCTION Index turn(Index i) const { return upper ? a.rows - 1 - i : i; }
  /// The turn of the row that an entry of row i waits for. Entries are counted so that turns ascend.
  OSTINATO_FUNCTION Index needed_turn(std::size_t i, Offset entry) const {
    return turn(a.col[upper ? end(i) - 1 - entry : begin(i) + entry]);
  }
};

}  // namespace ostinato::detail
