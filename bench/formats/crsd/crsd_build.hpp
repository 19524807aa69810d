// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ostinato/bench/formats/crsd/crsd_view.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::formats {

/// The arrays of CrsdView in host memory.
template <class T>
struct CrsdArrays {
  std::vector<Index> pattern;
  std::vector<Offset> start;
  std::vector<std::uint32_t> taken;
  std::vector<Index> group_ptr = {0};
  std::vector<detail::CrsdGroup> group;
  std::vector<T> val;
  Index width = 0;
  std::vector<Index> scatter_row, scatter_col;
  std::vector<T> scatter_val;
};

/// Converts a matrix in host memory to CRSD, on one thread.
/// Requires  Canonical rows.
template <class T>
CrsdArrays<T> to_crsd(const CsrView<T>& a);

/// What a census of row pieces tells about the segments of CRSD: estimates where a diagonal has gaps within a piece,
/// else counts.
struct CrsdEstimate {
  double slots = 0;           ///< stored values of diagonals
  double scattered = 0;       ///< rows
  double most_scattered = 0;  ///< no more rows can be scattered
  double width = 0;           ///< entries of the longest scattered row
};

CrsdEstimate estimate_crsd(const Structure& s);

}  // namespace ostinato::formats
