// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include <ostinato/spmv/analysis/grid_steps.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace grid_definition {

/// An axis of fewer points is rather the unknowns of a point than an axis.
inline constexpr Index fewest_points = 4;

inline constexpr int most_unknowns = 8;

inline constexpr const char* over_the_end = "entries run over the end of a line of the grid";

using detail::GridCounts;

using detail::GridRows;

/// The steps from a point to those beside it, by the diagonals of a matrix.
struct Offsets {
  const Structure& s;
  int unknowns;
  bool by_field;

  Index points() const { return s.rows / unknowns; }

  /// The two numbers of points that an offset may lead on by; it depends on the unknowns which one it is.
  std::array<Index, 2> steps(Index offset) const {
    if (by_field) return {offset % points(), offset % points() + (offset < 0 ? points() : -points())};
    return {offset / unknowns, offset / unknowns + (offset % unknowns != 0 ? (offset < 0 ? -1 : 1) : 0)};
  }

  /// The distances to the points that an unknown is coupled to by itself.
  std::vector<Index> distances() const {
    std::vector<Index> all;
    for (const Index o : s.offsets) {
      const std::array<Index, 2> step = steps(o);
      if (by_field) all.push_back(std::min(std::abs(step[0]), std::abs(step[1])));
      if (!by_field && step[0] == step[1]) all.push_back(std::abs(step[0]));
    }
    return all;
  }
};

/// Whether a step along one axis, whose points are `stride` numbers apart, is among those to the points beside.
template <class F>
bool any_step(Index extent, Offset stride, bool periodic, F f) {
  if (f(Offset{0})) return true;
  if (extent == 1) return false;
  if (f(stride) || f(-stride)) return true;
  const Offset around = stride * (extent - 1);
  return periodic && extent >= detail::fewest_periodic && (f(around) || f(-around));
}

/// Whether a step leads to a point beside. `periodic`: the ends of each axis are beside each other.
inline bool is_beside(Offset step, const Extents& e, bool periodic) {
  return any_step(e.z, Offset{e.x} * e.y, periodic, [&](Offset z) {
    return any_step(e.y, Offset{e.x}, periodic, [&](Offset y) {
      return any_step(e.x, Offset{1}, periodic, [&](Offset x) { return step == x + y + z; });
    });
  });
}

inline bool all_beside(const Offsets& offsets, const Extents& e, bool periodic) {
  return std::all_of(offsets.s.offsets.begin(), offsets.s.offsets.end(), [&](Index o) {
    const std::array<Index, 2> step = offsets.steps(o);
    return is_beside(step[0], e, periodic) || is_beside(step[1], e, periodic);
  });
}

/// The grids that the offsets allow, those of fewer dimensions first. The shortest distance above 1 leads to the next
/// line or to the point before in it, and the shortest one above those of the next line leads into the next plane.
inline std::vector<Extents> candidates(const Offsets& offsets, bool periodic) {
  std::vector<Extents> grids;
  const Index points = offsets.points();
  const auto fits = [&](const Extents& e) { return all_beside(offsets, e, periodic); };
  const auto is_axis = [](Index n) { return n >= fewest_points; };
  const std::vector<Index> distances = offsets.distances();
  const auto has = [&](Index d) { return std::find(distances.begin(), distances.end(), d) != distances.end(); };
  if (!is_axis(points) || (offsets.unknowns > 1 && !has(1))) return grids;
  if (fits({points, 1, 1})) return {{points, 1, 1}};
  Index next = points;
  for (const Index d : distances) next = d > 1 ? std::min(next, d) : next;
  for (const Index line : {next, next + 1}) {
    if (!is_axis(line) || points % line != 0 || !is_axis(points / line)) continue;
    if (fits({line, points / line, 1})) grids.push_back({line, points / line, 1});
  }
  for (const Index line : {next, next + 1}) {
    if (!is_axis(line) || points % line != 0 || fits({line, points / line, 1})) continue;
    Index layer = points;
    for (const Index d : distances)
      layer = is_beside(d, {line, points / line, 1}, periodic) ? layer : std::min(layer, d);
    for (const Index plane :
         {layer, layer + 1, layer + line - 1, layer + line, layer + line + 1, layer + 2 * line - 1}) {
      if (plane % line != 0 || points % plane != 0 || !is_axis(plane / line) || !is_axis(points / plane)) continue;
      if (const Extents e{line, plane / line, points / plane}; fits(e)) grids.push_back(e);
    }
  }
  return grids;
}

/// Calls f with the grids that the offsets allow, the preferred ones first, until f returns true.
template <class F>
void try_candidates(const Structure& s, F f) {
  std::vector<GridRows> tried;
  for (int unknowns = 1; unknowns <= most_unknowns; ++unknowns) {
    if (s.rows % unknowns != 0) continue;
    for (const bool periodic : {false, true}) {
      for (const bool by_field : {false, true}) {
        if (by_field && unknowns == 1) continue;
        for (const Extents& e : candidates(Offsets{s, unknowns, by_field}, periodic)) {
          const auto is_same = [&](const GridRows& r) {
            return r.grid == e && r.unknowns == unknowns && r.by_field == by_field;
          };
          if (std::any_of(tried.begin(), tried.end(), is_same)) continue;
          tried.push_back({e, unknowns, by_field});
          if (f(tried.back())) return;
        }
      }
    }
  }
}

inline int dimensions_of(const Extents& e) { return e.z > 1 ? 3 : e.y > 1 ? 2 : 1; }

/// The reason against a grid that needs no look at the entries; empty when there is none.
inline std::string reason_against(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (s.rows < fewest_points) return "the matrix has fewer than " + std::to_string(fewest_points) + " rows";
  if (s.offsets.empty()) return "there are " + std::to_string(s.diagonals) + " diagonals";
  if (s.offsets == std::vector<Index>{0}) return "the matrix is diagonal";
  return {};
}

/// The grid with the facts that its counts show, or the reason why it is none.
inline Grid judge(const GridRows& rows, const std::vector<double>& counts) {
  Grid grid;
  const auto count = [&](int k) { return counts[static_cast<std::size_t>(k)]; };
  grid.why_not = over_the_end;
  if (count(GridCounts::off) > 0) return grid;
  const Extents& e = rows.grid;
  const double all = static_cast<double>(rows.points()) * rows.unknowns;
  const Index extent[3] = {e.x, e.y, e.z};
  for (int k = 0; k < 3; ++k) {
    const double around = count(GridCounts::around + k);
    // Two for each line along the axis, unless there are holes.
    if (around > 0 && around < all / extent[k]) return grid;
    grid.periodic[static_cast<std::size_t>(k)] = around > 0;
  }
  const auto inside = [](Index n) { return n > 1 ? n - 2 : 1; };
  const Extents within{inside(e.x), inside(e.y), inside(e.z)};
  if (rows.unknowns > 1 && count(GridCounts::leaning) * 2 > static_cast<double>(within.points()) * rows.unknowns) {
    grid.why_not = "the entries of its rows lead to one side";
    return grid;
  }
  return {e,
          dimensions_of(e),
          count(GridCounts::slanted) == 0,
          count(GridCounts::dominant) / all,
          {},
          rows.unknowns,
          rows.by_field,
          grid.periodic,
          count(GridCounts::dominant_alone) / all};
}

/// Whether an entry leads off the grid in one of some rows, evenly spaced. On Host most grids that offsets allow are
/// ruled out by these rows, so that the other rows needn't be looked at.
template <class T>
bool is_off_in_some_rows(const detail::CountOffGrid<T>& look) {
  constexpr std::size_t some = 64;
  const auto rows = static_cast<std::size_t>(look.a.rows);
  const std::size_t step = rows / some | 1;  // odd, so that lines of even length show all of their points
  for (std::size_t i = 0; i < rows; i += step) {
    if (look(i).v[GridCounts::off] > 0) return true;
  }
  return false;
}

}  // namespace grid_definition

template <class Space, class T>
Grid find_grid(const Space& space, const CsrView<T>& a, const Structure& s) {
  Grid none;
  none.why_not = grid_definition::reason_against(s);
  if (!none.why_not.empty()) return none;
  none.why_not = "the offsets of its diagonals aren't those of a 3-, 5-, 7-, 9- or 27-point stencil";
  Vector<Space, double> slots(space, detail::GridCounts::number);
  Grid grid;
  grid_definition::try_candidates(s, [&](const detail::GridRows& rows) {
    const detail::CountOffGrid<T> look{detail::pattern_of(a), a.val.data(), rows};
    if constexpr (Space::has_host_memory) {
      if (grid_definition::is_off_in_some_rows(look)) {
        none.why_not = grid_definition::over_the_end;
        return false;
      }
    }
    sum(space, static_cast<std::size_t>(a.rows), look, slots.data());
    grid = grid_definition::judge(rows, slots.download());
    if (!grid) none.why_not = grid.why_not;
    return static_cast<bool>(grid);
  });
  if (grid) return grid;
  return none;
}

}  // namespace ostinato
