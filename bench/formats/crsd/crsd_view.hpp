// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CRSD storage of crsd.hpp, for both spaces.

#include <cstdint>

#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// Rows of a segment; a warp takes a segment.
inline constexpr Index segment_rows = 32;

/// Adjacent diagonals of a pattern (AD): offset .. offset + count - 1. A diagonal without a neighbour (NAD) is a group
/// of one.
struct CrsdGroup {
  Index offset;  ///< column - row
  Index count;
};

/// Segments of 32 rows, the patterns that they share, and the scattered rows.
template <class T>
struct CrsdView {
  Index rows;
  Index cols;
  const Index* pattern;        ///< of each segment
  const Offset* start;         ///< the first value of each segment
  const std::uint32_t* taken;  ///< of each segment: bit r stands for a scattered row, whose entries aren't here
  const Index* group_ptr;      ///< the first group of each pattern; patterns + 1
  const CrsdGroup* group;
  const T* val;  ///< start[s] + d * (rows of segment s) + r: row r of the segment on diagonal d of its pattern

  Index scattered;           ///< number of scattered rows
  Index width;               ///< entries of the longest of them
  const Index* scatter_row;  ///< ascending
  const Index* scatter_col;  ///< k * scattered + i: entry k of scattered row i; -1 where there is none
  const T* scatter_val;

  OSTINATO_FUNCTION Offset segments() const { return (Offset{rows} + segment_rows - 1) / segment_rows; }
  OSTINATO_FUNCTION Index rows_of(Offset segment) const {
    const Offset left = rows - segment * segment_rows;
    return static_cast<Index>(left < segment_rows ? left : segment_rows);
  }
};

/// Computes scattered row i of a product.
template <class T>
struct CrsdScatterRow {
  CrsdView<T> a;
  Product<T> p;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T sum = 0;
    for (Index k = 0; k < a.width; ++k) {
      const Offset slot = Offset{k} * a.scattered + static_cast<Offset>(i);
      const Index j = a.scatter_col[slot];
      if (j >= 0) sum += a.scatter_val[slot] * p.x[j];
    }
    store_row(p, static_cast<std::size_t>(a.scatter_row[i]), sum);
  }
};

}  // namespace ostinato::formats::detail

namespace ostinato {

class Host;
class Cuda;

namespace formats {

/// The product p. Enqueued.
template <class T>
void crsd_apply(const Host& space, const detail::CrsdView<T>& a, const Product<T>& p);
template <class T>
void crsd_apply(const Cuda& space, const detail::CrsdView<T>& a, const Product<T>& p);

}  // namespace formats
}  // namespace ostinato
