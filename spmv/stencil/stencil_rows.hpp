// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The set-up of StencilOperator, on the host.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>
#include <ostinato/spmv/stencil/stencil_tally.hpp>

namespace ostinato::detail {

/// The coefficient of each neighbour of a grid's points, as StencilRows numbers them; -1 where there is none.
using Slots = std::array<signed char, neighbours>;
Slots slots_of(const Grid& grid);
std::size_t slot_count(const Grid& grid);
Around around_of(const Grid& grid);

/// The grid of a stencil.
/// Throws    ArgumentError for a grid or a term that isn't valid.
Grid grid_of(const Stencil& stencil);

/// Whether all points of a class have the same row.
inline bool is_by_class(const Stencil& stencil) { return !stencil.coefficient; }

/// Writes the rows of a stencil's classes, or of its points, into `a` (StencilRows), which has slot_count() numbers for
/// each. Returns the structure of the matrix and sets grid.dominant.
template <class T>
Structure fill_rows(const Stencil& stencil, Grid& grid, T* a);

/// The last axis that has more than one point, and its points: the planes of a grid, or lines in two dimensions.
inline int last_axis(const Extents& e) { return e.z > 1 ? 2 : e.y > 1 ? 1 : 0; }
inline Index planes_of(const Extents& e) { return e.z > 1 ? e.z : e.y > 1 ? e.y : e.x; }
/// A grid with another number of planes.
inline Extents with_planes(Extents e, Index planes) {
  (e.z > 1 ? e.z : e.y > 1 ? e.y : e.x) = planes;
  return e;
}

/// Planes begin .. end - 1 of a grid, and which of them are counted. Along a periodic axis planes may lie one beyond
/// an end, which stand for those at the other end.
struct Planes {
  Index begin, end, own_begin, own_end;
};

/// What the rows of a rank have in common.
struct StencilPart {
  Tally tally;
  Symmetry symmetry;

  void add(const StencilPart& other) {
    tally.add(other.tally);
    symmetry.add(other.symmetry);
  }
};

/// Writes the rows of some planes of a stencil with coefficients by a function into `a`, as fill_rows() does for a
/// grid of these planes alone, but with the coefficients that lead to other planes. Entries are compared with their
/// mirror entries where both are in these planes.
template <class T>
StencilPart fill_planes(const Stencil& stencil, const Grid& grid, const Planes& planes, T* a);

/// The structure of the whole matrix, from what its rows have in common.
Structure structure_of(const Stencil& stencil, const Around& around, const Tally& all, const Symmetry& symmetry);

/// The row that all points of a grid have, apart from neighbours outside: by neighbour, from the table of classes
/// (StencilOperator::table()). Nothing where rows differ, or an axis has two points.
std::optional<std::array<double, neighbours>> row_of_all(const std::vector<double>& table, const Extents& e);

}  // namespace ostinato::detail
