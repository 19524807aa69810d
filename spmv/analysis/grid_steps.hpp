// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/extents.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// The point of a grid that row i belongs to.
struct GridPoint {
  Index x, y, z;

  OSTINATO_FUNCTION static GridPoint of(const Extents& grid, Index i) {
    const Index line = i / grid.x, z = line / grid.y;
    return {i - line * grid.x, line - z * grid.y, z};
  }
};

/// Counts the entries of a row that lead to no point beside the row's, those that a star doesn't have, and the rows whose
/// diagonal exceeds the sum of the others by over 2 % of itself. Entries of value 0 don't count.
template <class T>
struct CountOffGrid {
  CsrPattern a;
  const T* val;
  Extents grid;

  OSTINATO_FUNCTION Sums<3> operator()(std::size_t i) const {
    const GridPoint row = GridPoint::of(grid, static_cast<Index>(i));
    Sums<3> counts{};
    double own = 0, others = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (val[k] == T{0}) continue;
      const GridPoint col = GridPoint::of(grid, a.col[k]);
      const Index dx = col.x - row.x, dy = col.y - row.y, dz = col.z - row.z;
      const bool beside = dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1 && dz >= -1 && dz <= 1;
      counts.v[0] += beside ? 0.0 : 1.0;
      const int axes = (dx != 0) + (dy != 0) + (dz != 0);
      counts.v[1] += axes > 1 ? 1.0 : 0.0;
      const double v = static_cast<double>(val[k]), size = v < 0 ? -v : v;
      (axes == 0 ? own : others) += size;
    }
    counts.v[2] = own - others > 0.02 * own ? 1.0 : 0.0;
    return counts;
  }
};

}  // namespace ostinato::detail
