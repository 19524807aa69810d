// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

#include "drawing.hpp"

namespace ostinato::cli::html {

/// How many entries of a matrix lie in each cell of a grid laid over it, at most 80 cells along the longer side. Up to
/// 80 rows and columns, each cell is one place of the matrix.
struct Density {
  static constexpr Index most_cells = 80;

  Index rows = 0, cols = 0;
  Offset entries = 0;
  Index cell_size = 1;  ///< rows and columns of a cell
  Index cell_rows = 0, cell_cols = 0;
  std::vector<std::int64_t> count;  ///< by cell, row by row
};

template <class T>
Density density_of(const Csr<T>& a) {
  Density d;
  d.rows = a.rows;
  d.cols = a.cols;
  d.entries = static_cast<Offset>(a.val.size());
  const Index longer = std::max<Index>(std::max(a.rows, a.cols), 1);
  d.cell_size = 1 + (longer - 1) / Density::most_cells;
  const auto cells = [&](Index n) { return n == 0 ? 0 : 1 + (n - 1) / d.cell_size; };
  d.cell_rows = cells(a.rows);
  d.cell_cols = cells(a.cols);
  d.count.assign(static_cast<std::size_t>(d.cell_rows) * static_cast<std::size_t>(d.cell_cols), 0);
  for (Index i = 0; i < a.rows; ++i) {
    std::int64_t* const row = d.count.data() + Offset{i / d.cell_size} * d.cell_cols;
    const std::size_t at = static_cast<std::size_t>(i);
    for (Offset k = a.row_ptr[at]; k < a.row_ptr[at + 1]; ++k) ++row[a.col[static_cast<std::size_t>(k)] / d.cell_size];
  }
  return d;
}

/// The pattern of a matrix: the stronger the colour of a cell, the more entries.
Drawing draw_spy(const Density& d);
std::string spy_caption(const Density& d);

}  // namespace ostinato::cli::html
