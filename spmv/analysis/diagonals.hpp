// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Rows of a row piece. A thread block has as many threads.
inline constexpr Index piece_rows = 256;

/// A diagonal with at least one entry, and common properties of its values.
struct Diagonal {
  Index offset = 0;       ///< column - row
  Offset entries = 0;     ///< stored entries, explicit zeros included
  Index first_row = 0;    ///< row of the first entry
  Index last_row = 0;     ///< row of the last entry
  Index longest_gap = 0;  ///< most consecutive rows without an entry; gaps within one row piece don't count
  bool constant = false;  ///< all values have the same bits
  double value = 0;       ///< this value, when constant
  bool single = false;    ///< all values are exact in float
  bool bfloat = false;    ///< all values are exact in bfloat16 (the upper half of a float)
};

/// The entries of one diagonal in one row piece.
struct PieceDiagonal {
  std::uint16_t entries = 0;
  std::uint16_t first = 0;  ///< row of the first entry within the piece; undefined without entries
  std::uint16_t last = 0;   ///< row of the last entry within the piece
};

/// The entries of all diagonals in all row pieces.
///
/// Layout    of_diagonals[p * diagonals + d] is for rows [p * rows_in_piece, (p + 1) * rows_in_piece) of diagonal d.
struct PieceCounts {
  std::vector<PieceDiagonal> of_diagonals;
  std::vector<std::uint16_t> fewest;  ///< by row piece: the entries of the diagonal that has the fewest there
};

namespace formats {
struct ClassTiles;
}

/// The row classes of a matrix, as a format on Cuda found them.
struct ClassLayout {
  std::shared_ptr<const formats::ClassTiles> tiles;  ///< which rows are in which class
  std::vector<std::uint64_t> present;                ///< as in ClassTable
  std::vector<double> values;                        ///< as in ClassTable
};

/// Where a format leaves the layout that it found, with its tiles in the memory of the GPU (2 bytes for each 32 rows).
/// Several threads may share a census.
class FoundLayout {
 public:
  using Layout = std::shared_ptr<const ClassLayout>;

  FoundLayout() = default;
  FoundLayout(const FoundLayout& other) : layout_(other.get()) {}
  FoundLayout& operator=(const FoundLayout& other) {
    set(other.get());
    return *this;
  }

  Layout get() const {
    const std::lock_guard lock(mutex_);
    return layout_;
  }
  void set(Layout layout) const {
    const std::lock_guard lock(mutex_);
    layout_ = std::move(layout);
  }

 private:
  mutable std::mutex mutex_;
  mutable Layout layout_;
};

/// The diagonals of a matrix, in total and by row piece. The plans of the diagonal formats are made from the census.
struct DiagonalCensus {
  static constexpr std::size_t max_diagonals = 1024;
  static constexpr std::size_t max_classes = 256;
  static constexpr std::size_t max_values = 256;

  Index rows = 0;
  Index cols = 0;
  Index rows_in_piece = piece_rows;
  std::vector<Diagonal> diagonals;  ///< ascending offsets
  /// Copies of a census share the counts: to copy those of poisson3d:256 takes 2 ms (EPYC, 2026-11).
  std::shared_ptr<const PieceCounts> counts = std::make_shared<PieceCounts>();
  /// The first row of each row class; empty when there are more than max_classes classes. Rows of a class have entries
  /// on the same diagonals with the same bits. Ordered by falling number of entries, then by row.
  std::vector<Index> class_rows;
  /// The different values of the entries (by bits), in a fixed order; empty when there are more than max_values.
  std::vector<double> values;
  bool symmetric = false;  ///< A(i, j) and A(j, i) are equal (copied from Structure)
  FoundLayout found_layout;
  /// The classes of this matrix, where they follow from those of another one (scaled_structure()).
  std::shared_ptr<const ClassLayout> known_layout;

  const std::vector<PieceDiagonal>& pieces() const { return counts->of_diagonals; }
  const std::vector<std::uint16_t>& fewest() const { return counts->fewest; }
};

/// Takes the census of a matrix whose used diagonals are known.
///
/// Exec      In parallel on the space, in whose memory the matrix is. Waits for the result.
/// Requires  Canonical rows. `offsets` holds all diagonals with an entry and no others, ascending.
/// Traffic   Reads the matrix at most three times. The search for classes and values stops when there are too many.
/// Throws    ArgumentError for more than max_diagonals offsets, or for rows_in_piece outside 1 .. 65535.
template <class T>
DiagonalCensus take_census(const Host& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece = piece_rows);
template <class T>
DiagonalCensus take_census(const Cuda& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece = piece_rows);
template <class Space, class T>
DiagonalCensus take_census(const Space& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece = piece_rows);

}  // namespace ostinato
