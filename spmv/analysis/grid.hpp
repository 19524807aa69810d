// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The grid on which a matrix lives: a row belongs to an unknown of a point, and its entries lead to the unknowns of
/// that point and of points beside it. Row i is that of point i where a point has one unknown.
struct Grid {
  Extents extents = {};
  int dimensions = 0;        ///< 1 to 3; 0 when no grid was found
  bool star = false;         ///< no entry leads to a point that differs in two coordinates: 3-, 5- and 7-point stencils
  double dominant = 0;       ///< share of the rows whose diagonal exceeds the sum of the others by over 2 % of itself
  std::string why_not = {};  ///< why no grid was found
  int unknowns = 1;          ///< of each point; 1 to 8
  bool by_field = false;     ///< row = unknown * points + point; otherwise row = point * unknowns + unknown
  /// Whether the last point along x, y, z is beside the first.
  std::array<bool, 3> periodic = {};
  /// Of points with several unknowns, the share of the rows whose diagonal exceeds the sum of the others that couple
  /// the same unknown by over 30 % of itself. Where all do, each unknown by itself is easy to solve for, and what is
  /// hard lies between the unknowns.
  double dominant_alone = 0;

  explicit operator bool() const { return dimensions > 0; }
  std::string text() const;           ///< "128 x 128 x 128, 7-point, 3 unknowns a point"; "no grid: ..."
  std::string periodic_axes() const;  ///< "x and y"; empty when there are none
};

inline std::string Grid::periodic_axes() const {
  std::string axes;
  for (std::size_t k = 3; k-- > 0;) {
    if (!periodic[k]) continue;
    const char* between = axes.empty() ? "" : axes.size() == 1 ? " and " : ", ";
    axes = "xyz"[k] + (between + axes);
  }
  return axes;
}

inline std::string Grid::text() const {
  if (dimensions == 0) return "no grid: " + why_not;
  std::string sides = std::to_string(extents.x);
  if (dimensions > 1) sides += " x " + std::to_string(extents.y);
  if (dimensions > 2) sides += " x " + std::to_string(extents.z);
  constexpr int full[] = {1, 3, 9, 27};
  std::string text = sides + ", " + std::to_string(star ? 1 + 2 * dimensions : full[dimensions]) + "-point";
  if (unknowns > 1) text += ", " + std::to_string(unknowns) + " unknowns a point";
  if (const std::string axes = periodic_axes(); !axes.empty()) text += ", periodic along " + axes;
  return text;
}

/// Finds the grid of a matrix, which nobody has named: from the offsets of its diagonals, then by a look at all of its
/// entries. Entries of value 0 may lead anywhere. Of several grids that fit, the one with the fewest unknowns a point
/// is taken, and one without periodic axes.
///
/// Exec      In parallel on the space, in whose memory the arrays of `a` are. Waits for the result.
/// Requires  Canonical rows; `s` is the structure of `a`.
/// Traffic   Reads the matrix once for each grid that the offsets allow: mostly once, and not at all when the offsets
///           show that there is no grid. On Host a grid is mostly ruled out by a hundred rows.
/// Limits    Up to 8 unknowns a point, each of which is coupled to itself along x. An axis has at least 4
///           points; where a point has several unknowns, most rows lead to one side as often as to the other,
///           because narrow bands would be grids otherwise.
template <class Space, class T>
Grid find_grid(const Space& space, const CsrView<T>& a, const Structure& s);

/// Whether find_grid() may find several unknowns a point, by the offsets of the diagonals alone. Not where these are
/// those of a grid with one unknown a point and more than 9 points along each axis.
bool may_have_several_unknowns(const Structure& s);

}  // namespace ostinato
