// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/extents.hpp>

namespace ostinato {

/// The grid on which a matrix lives: row i belongs to point i, and its entries lead to the point itself and to points
/// beside it.
struct Grid {
  Extents extents = {};
  int dimensions = 0;        ///< 1 to 3; 0 when no grid was found
  bool star = false;         ///< no entry leads to a point that differs in two coordinates: 3-, 5- and 7-point stencils
  double dominant = 0;       ///< share of the rows whose diagonal exceeds the sum of the others by over 2 % of itself
  std::string why_not = {};  ///< why no grid was found

  explicit operator bool() const { return dimensions > 0; }
  std::string text() const;  ///< "128 x 128 x 128, 7-point"; "no grid: ..."
};

inline std::string Grid::text() const {
  if (dimensions == 0) return "no grid: " + why_not;
  std::string sides = std::to_string(extents.x);
  if (dimensions > 1) sides += " x " + std::to_string(extents.y);
  if (dimensions > 2) sides += " x " + std::to_string(extents.z);
  constexpr int full[] = {1, 3, 9, 27};
  return sides + ", " + std::to_string(star ? 1 + 2 * dimensions : full[dimensions]) + "-point";
}

/// Finds the grid of a matrix, which nobody has named: from the offsets of its diagonals, then by a look at all of its
/// entries. Entries of value 0 may lead anywhere.
///
/// Exec      In parallel on the space, in whose memory the arrays of `a` are. Waits for the result.
/// Requires  Canonical rows; `s` is the structure of `a`.
/// Traffic   Reads the matrix once for each grid that the offsets allow: mostly once, and not at all when the offsets
///           show that there is no grid.
/// Limits    One unknown a point. No periodic directions.
template <class Space, class T>
Grid find_grid(const Space& space, const CsrView<T>& a, const Structure& s);

}  // namespace ostinato
