// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato::formats {

/// How the values of a diagonal are stored. Every storage gives back the bits of the values.
enum class Storage : std::uint8_t {
  full,      ///< sizeof(T) bytes: the value
  single,    ///< 4 bytes: doubles as floats
  bfloat,    ///< 2 bytes: the upper half of a float
  code,      ///< 1 byte: index into a table of values
  mask,      ///< 1 bit: the diagonal's one value, or no entry
  constant,  ///< no memory: the diagonal's one value in every row
};

/// Bits per row of a storage, for values of value_bytes bytes.
int storage_bits(Storage storage, std::size_t value_bytes);

/// A diagonal within one row piece.
struct Band {
  /// Row i's value is element base + i of the data, counted in elements of the storage's width (in bits for a mask). A
  /// mirrored band refers to the data of the diagonal on the other side. base may be negative; base + i never is.
  Offset base = 0;
  Index offset = 0;            ///< column - row
  std::uint16_t diagonal = 0;  ///< index in the census
  Storage storage = Storage::full;
  bool mirrored = false;  ///< read from the band at -offset: A(i, i - k) is A(i - k, i)
};

/// Consecutive rows with the same diagonals.
struct RowPiece {
  Index begin = 0;  ///< a multiple of piece_rows
  Index end = 0;
  Index first_band = 0;
  Index bands = 0;
};

/// The layout of a format of the diagonal family: which diagonals are stored where.
///
/// Layout    A diagonal is stored contiguously over each run of row pieces that hold the diagonal, clipped to the rows
///           in which it lies inside the matrix. So the loads of a warp are coalesced. At least 256 bytes stay free
///           behind each run; otherwise runs of a power-of-two length would start in the same memory channels.
struct BandPlan {
  Index rows = 0;
  Index cols = 0;
  std::vector<RowPiece> pieces;
  std::vector<Band> bands;        ///< ascending offsets within a piece
  std::vector<double> constants;  ///< by index in the census: the value of a mask or constant diagonal
  std::vector<double> codes;      ///< the table of Storage::code
  std::size_t data_bytes = 0;
  std::size_t value_bytes = 0;
  bool is_whole = true;  ///< every band has Storage::full
  Offset slots = 0;      ///< rows times diagonals, summed over the pieces; the papers' count
  /// The remainder: entries of row piece p that no band holds are remainder_ptr[p] .. remainder_ptr[p + 1] - 1. Empty
  /// when there are no such entries.
  std::vector<Index> remainder_ptr;

  Offset remainder() const { return remainder_ptr.empty() ? 0 : remainder_ptr.back(); }
  std::size_t bytes() const;  ///< data, bands, pieces and remainder
};

/// Lays out the diagonals of a matrix for values of value_bytes bytes. Without `compress` every band has Storage::full.
using BandPlanner = BandPlan (*)(const DiagonalCensus& census, std::size_t value_bytes, bool compress);

/// DIA: one row piece with every diagonal.
BandPlan plan_dia(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

/// BRCSD-I: cuts the rows where a diagonal enters or leaves the matrix.
/// Source    DIA-Adaptive, section 3.2.1. Points closer than piece_rows are trimmed; all points are moved to multiples
///           of piece_rows.
BandPlan plan_brcsd_i(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

/// BRCSD-II: cuts the rows into pieces of piece_rows, each with the diagonals that have an entry in these rows, and
/// merges equal neighbours. The few entries of a diagonal in a piece go to the remainder where that takes fewer bytes.
/// Source    DIA-Adaptive, section 3.3.1. The remainder is ours.
BandPlan plan_brcsd_ii(const DiagonalCensus& census, std::size_t value_bytes, bool compress = true);

}  // namespace ostinato::formats
