// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato::formats {

/// How the values of a diagonal are kept. All of them give the product's value back bit by bit.
enum class Storage : std::uint8_t {
  full,      ///< as they are
  single,    ///< doubles as floats
  bfloat,    ///< the upper half of a float
  code,      ///< a byte: the place in a table of values
  mask,      ///< a bit: the diagonal's one value, or nothing
  constant,  ///< nothing: the diagonal's one value in every row
};

/// Bits that a row takes in a storage, where values have value_bytes.
int storage_bits(Storage storage, std::size_t value_bytes);

/// A diagonal within one row piece.
struct Band {
  /// Row i's value is element base + i of the data, counted from its start in elements of the storage's width (of
  /// bits in a mask). A mirrored band points into the diagonal on the other side. May be negative; base + i never is.
  Offset base = 0;
  Index offset = 0;            ///< column - row
  std::uint16_t diagonal = 0;  ///< its place in the census
  Storage storage = Storage::full;
  bool mirrored = false;  ///< stored by the band at -offset: A(i, i - k) is A(i - k, i)
};

/// Consecutive rows with the same diagonals.
struct RowPiece {
  Index begin = 0;  ///< a multiple of piece_rows
  Index end = 0;
  Index first_band = 0;
  Index bands = 0;
};

/// Which diagonals are stored where: the layout of a format of the diagonal family.
///
/// Layout    A diagonal is stored contiguously over each run of row pieces that hold it, clipped to the rows in which
///           it lies inside the matrix, so that a warp reads neighbouring words. Runs start 256 bytes apart from a
///           power of two, or all diagonals would meet in the same memory channels.
struct BandPlan {
  Index rows = 0;
  Index cols = 0;
  std::vector<RowPiece> pieces;
  std::vector<Band> bands;        ///< ascending offsets within a piece
  std::vector<double> constants;  ///< by place in the census: the value of a mask or constant
  std::vector<double> codes;      ///< the table of Storage::code
  std::size_t data_bytes = 0;
  std::size_t value_bytes = 0;
  bool is_whole = true;  ///< every band is stored as it is
  Offset slots = 0;      ///< rows times diagonals, piece by piece: what the papers count
  /// Entries of row piece p that no band holds: remainder_ptr[p] .. remainder_ptr[p + 1]. Empty when there are none.
  std::vector<Index> remainder_ptr;

  Offset remainder() const { return remainder_ptr.empty() ? 0 : remainder_ptr.back(); }
  std::size_t bytes() const;  ///< stored: data, bands, pieces, remainder
};

/// Lays the diagonals of a matrix out for values of so many bytes. Without `compress` all values are stored as they are.
using BandPlanner = BandPlan (*)(const DiagonalCensus& census, std::size_t value_bytes, bool compress);

/// DIA: one row piece, every diagonal.
BandPlan plan_dia(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

/// BRCSD-I: cut where a diagonal enters or leaves the matrix.
/// Source    DIA-Adaptive, section 3.2.1; points closer than piece_rows are trimmed, and all are moved to multiples
///           of it.
BandPlan plan_brcsd_i(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

/// BRCSD-II: cut into pieces of piece_rows, each with the diagonals that have an entry there; equal neighbours merge.
/// Diagonals with a few entries in a piece go to the remainder, where that takes fewer bytes.
/// Source    DIA-Adaptive, section 3.3.1. The remainder is ours.
BandPlan plan_brcsd_ii(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

}  // namespace ostinato::formats
