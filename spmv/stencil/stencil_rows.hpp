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

/// The row that all points of a grid have, apart from neighbours outside: by neighbour, from the table of classes
/// (StencilOperator::table()). Nothing where rows differ, or an axis has two points.
std::optional<std::array<double, neighbours>> row_of_all(const std::vector<double>& table, const Extents& e);

}  // namespace ostinato::detail
