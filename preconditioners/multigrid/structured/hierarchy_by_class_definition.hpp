// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/classes.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/structured/planned_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/star_by_axes.hpp>

namespace ostinato::multigrid {

namespace hierarchy_by_class_definition {

/// A grid of this size is solved by a dense inverse. It is smaller than where coefficients vary, because the inverse
/// takes longer to make than another grid, unless rows add up to 0 or nearly so at all sides: then the last grid has to
/// show that constants solve A x = 0, which a grid of one point can't, and one of more than 27 points isn't halved to
/// one.
inline std::size_t coarsest_points_of(const Classes& rows) {
  constexpr double held = 0.1;  // a row at a side where the solution is given adds up to more of its diagonal
  for (const auto& row : rows) {
    if (row[centre] > 0 && std::accumulate(row.begin(), row.end(), 0.0) > held * row[centre]) return 27;
  }
  return coarsest_points;
}

/// The levels of a grid of constant coefficients, made one after the other, from the finest one down. Their tables lie
/// one behind the other, on the host.
template <class Space>
struct LevelsByClass {
  const Grid& grid;
  // Of the grid that is the next to become a level.
  Classes rows;
  Extents e = grid.extents;
  bool star = grid.star;
  ClassRoots roots = roots_of(rows);

  const std::size_t coarsest = coarsest_points_of(rows);
  const std::vector<float> inverse = inverse_roots(roots, e);  ///< of the finest grid
  const std::optional<StarByAxes> finest = star ? StarByAxes::of(rows, e) : std::nullopt;
  // The memory of several unknowns is predicted from that of the first one.
  std::optional<StarByAxes> by_axes = grid.unknowns == 1 ? finest : std::nullopt;
  const bool plain = finest && is_plain(rows, e, grid.dimensions, star);
  PlainGrids plain_grids{plain};

  ClassTables tables = {};
  std::vector<Level<Space>> levels = {};
  std::vector<float> coarsest_a = {};

  void make() {
    tables.values.reserve(std::size_t{1} << 16);  // ten levels in three dimensions
    for (;;) {
      add_level();
      if (levels.back().axes == 0) return;
      halve(levels.back());
    }
  }

  /// Adds a level without weights.
  void add_level() {
    Level<Space> level{.grid = e, .dimensions = grid.dimensions, .star = star, .by_class = true};
    const std::vector<float> a = scaled_operator(rows, roots, e, grid.dimensions, star);
    tables.add(a);
    level.even_a = even_rows(a, e, grid.dimensions, star);
    double strength[3];
    couplings(rows, e, strength);
    level.axes = e.points() > coarsest ? axes_to_halve(strength, e, weak_axis(grid.dimensions, true)) : 0;
    level.plain = plain_grids.add(e, level.axes, by_axes.has_value());
    if (level.plain) level.plain_star = (levels.empty() ? finest : by_axes)->plain();
    if (level.plain && !levels.empty()) levels.back().plain_star.next_is_plain = true;
    level.largest = largest_row(rows);
    level.omega = damping(level.axes, level.largest);
    if (level.axes == 0) coarsest_a = a;
    levels.push_back(std::move(level));
  }

  /// Makes the rows of the next grid, and the weights of a level from there.
  void halve(Level<Space>& level) {
    const HalvedClasses next(rows, e, level.axes);
    if (level.axes != all_axes(grid.dimensions)) by_axes.reset();
    if (by_axes) by_axes->halve(next);
    const Classes next_rows = by_axes ? by_axes->rows() : next.galerkin_rows();
    const ClassRoots next_roots = roots_of(next_rows);
    level.next = next.grid();
    const std::vector<float> p = next.scaled_weights(roots, next_roots);
    tables.add(p);
    level.even_p = even_weights(p, e, level.next, next.halved);
    if (level.plain) {
      level.plain_star.weight = p[Halved<7>::coefficient(centre) * std::size_t{scaled_classes}];
      level.plain_star.find_scales(next_roots, e);
    }
    e = level.next;
    rows = next_rows;
    roots = next_roots;
    star = by_axes.has_value();
  }

  /// The square root of the diagonal of each point of the last grid.
  std::vector<float> coarsest_root() const {
    std::vector<float> root;
    for_points(e, [&](Index x, Index y, Index z) { root.push_back(static_cast<float>(root_at(roots, e, x, y, z))); });
    return root;
  }
};

}  // namespace hierarchy_by_class_definition

template <class Space>
bool GridPlan<Space>::plan_by_class(const std::vector<double>& table, const std::function<bool()>& are_its_rows) {
  Classes rows;
  for (std::size_t c = 0; c < neighbours; ++c) {
    for (std::size_t k = 0; k < neighbours; ++k) rows[c][k] = table[c * neighbours + k] * power_;
  }
  hierarchy_by_class_definition::LevelsByClass<Space> made{.grid = grid_, .rows = rows};
  made.make();
  if (!are_its_rows()) return false;
  grids_ = std::move(made.levels);
  coarsest_points_ = made.coarsest;
  coarsest_a_ = std::move(made.coarsest_a);
  coarsest_root_ = made.coarsest_root();
  even_inverse_root_ = even_values(made.inverse, grid_.extents);
  tables_ = std::move(made.tables);
  tables_.add(made.inverse);
  tables_.add(class_ones());
  return true;
}

template <class Space>
void Hierarchy<Space>::take_classes(GridPlan<Space>& plan) {
  levels_ = std::move(plan.grids_);
  for (const Level<Space>& level : levels_) require_usable(level.omega, level.axes, level.grid, plan.coarsest_points_);
  coarsest_a_ = std::move(plan.coarsest_a_);
  coarsest_root_ = std::move(plan.coarsest_root_);
  even_inverse_root_ = plan.even_inverse_root_;
  const auto all = std::make_shared<Vector<Space, float>>(space_, plan.tables_.values);
  const auto part = [&](std::size_t k) {
    const ClassTables::Place& place = plan.tables_.places[k];
    return Part<Space>(all, place.first, place.size);
  };
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    levels_[k].a = part(2 * k);
    if (k + 1 < levels_.size()) levels_[k].p = part(2 * k + 1);
  }
  inverse_root_ = part(2 * levels_.size() - 1);
  ones_ = part(2 * levels_.size());
}

}  // namespace ostinato::multigrid
