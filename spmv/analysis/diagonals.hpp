// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Rows of a row piece: those of a thread block.
inline constexpr Index piece_rows = 256;

/// One diagonal that holds entries, and what its values have in common.
struct Diagonal {
  Index offset = 0;       ///< column - row
  Offset entries = 0;     ///< stored entries, explicit zeros included
  Index first_row = 0;    ///< of its first entry
  Index last_row = 0;     ///< of its last entry
  Index longest_gap = 0;  ///< most rows in a row without an entry, between two entries that lie in different row pieces
  bool constant = false;  ///< all values have the same bits
  double value = 0;       ///< which, when constant
  bool single = false;    ///< all values are exact in float
  bool bfloat = false;    ///< all values are exact in bfloat16 (the upper half of a float)
};

/// The entries of one diagonal in one row piece.
struct PieceDiagonal {
  std::uint16_t entries = 0;
  std::uint16_t first = 0;  ///< row of the first, within the piece; unset when there are none
  std::uint16_t last = 0;   ///< row of the last
};

/// What a matrix is, diagonal by diagonal: what the formats of the diagonal family are planned from.
///
/// Layout    pieces[p * diagonals.size() + d] is of rows [p * rows_in_piece, (p + 1) * rows_in_piece) and diagonal d.
struct DiagonalCensus {
  static constexpr std::size_t max_diagonals = 1024;
  static constexpr std::size_t max_classes = 256;
  static constexpr std::size_t max_values = 256;

  Index rows = 0;
  Index cols = 0;
  Index rows_in_piece = piece_rows;
  std::vector<Diagonal> diagonals;  ///< ascending offsets
  std::vector<PieceDiagonal> pieces;
  /// When the matrix has at most max_classes different rows (rows are equal when they have the same diagonals with the
  /// same bits), the first row of each; otherwise empty. Ordered by falling number of entries, then by row.
  std::vector<Index> class_rows;
  /// When the entries take at most max_values different values (by bits), those, in any fixed order; otherwise empty.
  std::vector<double> values;
  bool symmetric = false;  ///< A(i, j) and A(j, i) are equal (copied from Structure)
};

/// Takes the census of a matrix whose diagonals are known.
///
/// Exec      In parallel where the matrix is; waits for the result.
/// Requires  Canonical rows; `offsets` ascending and at most max_diagonals, each with an entry, none left out.
/// Traffic   Three readings of the matrix at most; what can't hold any more is given up early.
/// Throws    ArgumentError for more than max_diagonals offsets, or for rows_in_piece outside 1 .. 65535.
template <class T>
DiagonalCensus take_census(const Host& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece = piece_rows);
template <class T>
DiagonalCensus take_census(const Cuda& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece = piece_rows);

}  // namespace ostinato
