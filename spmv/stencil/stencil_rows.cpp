// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/stencil/stencil_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::detail {

namespace {

using Row = StencilRow;

std::string text(const StencilTerm& t) {
  return "(" + std::to_string(t.dx) + ", " + std::to_string(t.dy) + ", " + std::to_string(t.dz) + ")";
}

void require_extents(const Extents& e) {
  constexpr std::int64_t limit = std::numeric_limits<Index>::max();
  const bool fits = e.x > 0 && e.y > 0 && e.z > 0 && e.x <= limit / e.y && std::int64_t{e.x} * e.y <= limit / e.z;
  if (fits) return;
  throw ArgumentError("stencil: a grid of " + std::to_string(e.x) + " x " + std::to_string(e.y) + " x " +
                      std::to_string(e.z) + " points; each extent has to be positive, and there may be " +
                      std::to_string(limit) + " points");
}

void require_terms(const std::vector<StencilTerm>& terms) {
  std::set<int> seen;
  for (const StencilTerm& t : terms) {
    const auto is_step = [](int d) { return d >= -1 && d <= 1; };
    if (!is_step(t.dx) || !is_step(t.dy) || !is_step(t.dz))
      throw ArgumentError("stencil: the step " + text(t) + " is longer than 1");
    if (!seen.insert(Step{t.dx, t.dy, t.dz}.number()).second)
      throw ArgumentError("stencil: the step " + text(t) + " is given twice");
  }
}

/// Whether a step leads to a point of the grid from some point.
bool has_step(const Extents& e, const Step& d) {
  return (d.x == 0 || e.x > 1) && (d.y == 0 || e.y > 1) && (d.z == 0 || e.z > 1);
}

/// The step that a term takes in the grid: along a periodic axis of one point it leads back to the point.
Step step_of(const Stencil& s, const StencilTerm& t) {
  const auto along = [](const Boundaries& sides, Index extent, int d) {
    return extent == 1 && sides.begin == Boundary::periodic ? 0 : d;
  };
  return {along(s.x, s.extents.x, t.dx), along(s.y, s.extents.y, t.dy), along(s.z, s.extents.z, t.dz)};
}

/// Whether the ends of an axis are beside each other. An axis of one point has no neighbours along it.
bool is_periodic(char axis, const Boundaries& sides, Index extent) {
  const bool begin = sides.begin == Boundary::periodic, end = sides.end == Boundary::periodic;
  if (begin != end)
    throw ArgumentError(std::string("stencil: one end of the ") + axis + " axis is periodic, the other isn't");
  if (begin && extent == 2)
    throw ArgumentError(std::string("stencil: the ") + axis +
                        " axis is periodic and has 2 points; a periodic axis has 1 point, or 3 or more");
  return begin && extent > 1;
}

bool stays(const Boundaries& sides, Index at, Index extent) {
  return at < 0 ? sides.begin == Boundary::neumann : at < extent || sides.end == Boundary::neumann;
}

/// Moves along a periodic axis from outside to the other end.
Index from_outside(const Boundaries& sides, Index at, Index extent) {
  return Periodic::wrap(at, extent, sides.begin == Boundary::periodic);
}

/// The coefficients of a point, by neighbour.
Row row_at(const Stencil& s, Index x, Index y, Index z) {
  const Extents& e = s.extents;
  Row row{};
  for (const StencilTerm& t : s.terms) {
    const Step d{t.dx, t.dy, t.dz};
    const Index nx = from_outside(s.x, x + d.x, e.x), ny = from_outside(s.y, y + d.y, e.y),
                nz = from_outside(s.z, z + d.z, e.z);
    const bool inside = e.contains(nx, ny, nz);
    if (!inside && !(stays(s.x, nx, e.x) && stays(s.y, ny, e.y) && stays(s.z, nz, e.z))) continue;
    const double c = s.coefficient ? s.coefficient(x, y, z, d.x, d.y, d.z) : t.coefficient;
    row[static_cast<std::size_t>(inside ? step_of(s, t).number() : centre)] += c;
  }
  return row;
}

/// Writes a row, rounded to T, to where it is stored. Returns the rounded row.
template <class T>
Row store(const Row& row, const Slots& slots, T* to, std::size_t stride) {
  Row rounded{};
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (slots[k] < 0) continue;
    T& at = to[static_cast<std::size_t>(slots[k]) * stride];
    at = static_cast<T>(row[k]);
    rounded[k] = static_cast<double>(at);
  }
  return rounded;
}

/// Points of a place (0, 1 or 2) along an axis, and one of them; another point of the axis where there is none.
Index count_of(int place, Index extent) { return place == 1 ? std::max(extent - 2, 0) : place == 0 || extent > 1; }
Index point_of(int place, Index extent) { return place == 0 ? 0 : place == 2 ? extent - 1 : extent / 2; }

template <class T>
Tally fill_classes(const Stencil& s, const Slots& slots, T* a) {
  const Extents& e = s.extents;
  Tally all;
  for (int c = 0; c < neighbours; ++c) {
    const int x = c % 3, y = c / 3 % 3, z = c / 9;
    const Row row = row_at(s, point_of(x, e.x), point_of(y, e.y), point_of(z, e.z));
    const Row rounded = store(row, slots, a + c, neighbours);
    const Index points = count_of(x, e.x) * count_of(y, e.y) * count_of(z, e.z);
    if (points > 0) all.add(rounded, c, points);
  }
  return all;
}

/// Calls f(y, z, line) for the lines of a grid along x, in parallel.
template <class F>
void for_lines_of(const Extents& e, F f) {
  const auto height = static_cast<std::size_t>(e.y);
  parallel_for(Host(), height * static_cast<std::size_t>(e.z), [=](std::size_t line) {
    f(static_cast<Index>(line % height), static_cast<Index>(line / height), line);
  });
}

struct Point {
  Index x = 0, y = 0, z = 0;
};

/// Writes the rows of the points in `held`, the first of which is `first` in the whole grid; beyond the end of an axis
/// come the points of its beginning. Returns what the rows have in common for whose points `counts` is true.
template <class T, class Counts>
Tally fill_points(const Stencil& s, const Slots& slots, const Extents& held, const Point& first, Counts counts, T* a) {
  const Extents& e = s.extents;
  std::vector<Tally> lines(static_cast<std::size_t>(held.y) * static_cast<std::size_t>(held.z));
  for_lines_of(held, [&, of_lines = lines.data()](Index y, Index z, std::size_t line) {
    Tally tally;
    for (Index x = 0; x < held.x; ++x) {
      const Index px = (first.x + x) % e.x, py = (first.y + y) % e.y, pz = (first.z + z) % e.z;
      const Row row = store(row_at(s, px, py, pz), slots, a + held.number(x, y, z), held.points());
      if (counts(x, y, z)) tally.add(row, place(px, e.x) + 3 * place(py, e.y) + 9 * place(pz, e.z), 1);
    }
    of_lines[line] = tally;
  });
  Tally all;
  for (const Tally& line : lines) all.add(line);
  return all;
}

template <class T>
Symmetry symmetry_of_terms(const Stencil& s) {
  Row row{};
  for (const StencilTerm& t : s.terms) row[static_cast<std::size_t>(step_of(s, t).number())] += t.coefficient;
  const auto rounded = [&](int k) { return static_cast<double>(static_cast<T>(row[static_cast<std::size_t>(k)])); };
  Symmetry found;
  for (int k = centre + 1; k < neighbours; ++k) {
    if (has_step(s.extents, Step::of(k))) found.compare(rounded(k), rounded(2 * centre - k));
  }
  return found;
}

template <class T>
Symmetry symmetry_of_points(const Extents& e, const Periodic& periodic, const Slots& slots, const T* a) {
  std::vector<Symmetry> lines(static_cast<std::size_t>(e.y) * static_cast<std::size_t>(e.z));
  for_lines_of(e, [&, of_lines = lines.data()](Index y, Index z, std::size_t line) {
    Symmetry found;
    for (int k = centre + 1; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (slots[static_cast<std::size_t>(k)] < 0) continue;
      const T* there = a + static_cast<std::size_t>(slots[static_cast<std::size_t>(k)]) * e.points();
      const T* back = a + static_cast<std::size_t>(slots[static_cast<std::size_t>(2 * centre - k)]) * e.points();
      for (Index x = 0; x < e.x; ++x) {
        Index nx = x, ny = y, nz = z;
        if (!periodic.go(e, d, nx, ny, nz)) continue;
        found.compare(static_cast<double>(there[e.number(x, y, z)]), static_cast<double>(back[e.number(nx, ny, nz)]));
      }
    }
    of_lines[line] = found;
  });
  Symmetry all;
  for (const Symmetry& line : lines) all.add(line);
  return all;
}

}  // namespace

Slots slots_of(const Grid& grid) {
  Slots slots;
  slots.fill(-1);
  with_shape(grid.dimensions, grid.star, [&]<class S>(S) {
    for (int k = 0; k < neighbours; ++k) {
      if (S::has(k)) slots[static_cast<std::size_t>(k)] = static_cast<signed char>(S::coefficient(k));
    }
    slots[centre] = static_cast<signed char>(S::count());
  });
  return slots;
}

std::size_t slot_count(const Grid& grid) {
  return with_shape(grid.dimensions, grid.star, []<class S>(S) { return static_cast<std::size_t>(S::count()) + 1; });
}

Around around_of(const Grid& grid) {
  return {grid.dimensions, grid.star, {grid.periodic[0], grid.periodic[1], grid.periodic[2]}};
}

Grid grid_of(const Stencil& stencil) {
  const Extents& e = stencil.extents;
  require_extents(e);
  require_terms(stencil.terms);
  const bool star = std::all_of(stencil.terms.begin(), stencil.terms.end(), [&](const StencilTerm& t) {
    const Step d = step_of(stencil, t);
    return d.axes() <= 1 || !has_step(e, d);
  });
  Grid grid{.extents = e, .dimensions = e.z > 1 ? 3 : e.y > 1 ? 2 : 1, .star = star};
  grid.periodic = {is_periodic('x', stencil.x, e.x), is_periodic('y', stencil.y, e.y),
                   is_periodic('z', stencil.z, e.z)};
  return grid;
}

Structure structure_of(const Stencil& s, const Around& around, const Tally& all, const Symmetry& symmetry) {
  Structure structure;
  const double rows = static_cast<double>(s.extents.points());
  structure.rows = structure.cols = static_cast<Index>(s.extents.points());
  structure.nonzeros = all.nonzeros;
  std::set<Index> offsets;
  for (int c = 0; c < neighbours; ++c) {
    const Index x = point_of(c % 3, s.extents.x), y = point_of(c / 3 % 3, s.extents.y),
                z = point_of(c / 9, s.extents.z);
    for (int k = 0; k < neighbours; ++k) {
      Index nx = x, ny = y, nz = z;
      if ((all.present[c] >> k & 1) != 0 && around.periodic.go(s.extents, Step::of(k), nx, ny, nz))
        offsets.insert(static_cast<Index>(s.extents.number(nx, ny, nz)) -
                       static_cast<Index>(s.extents.number(x, y, z)));
    }
  }
  structure.offsets.assign(offsets.begin(), offsets.end());
  structure.diagonals = static_cast<Offset>(offsets.size());
  structure.longest_row = all.longest;
  structure.empty_rows = all.empty;
  structure.mean_row = static_cast<double>(all.nonzeros) / rows;
  structure.row_deviation = std::sqrt(std::max(0.0, all.squares / rows - structure.mean_row * structure.mean_row));
  structure.pattern_symmetric = symmetry.pattern;
  structure.symmetric = symmetry.values;
  structure.missing_diagonal = all.missing;
  structure.positive_diagonal = all.not_positive == 0;
  structure.negative_diagonal = all.not_negative == 0;
  structure.constant_diagonal = all.missing == 0 && all.least == all.most;
  structure.finite = all.finite;
  structure.norm_inf = all.norm;
  return structure;
}

template <class T>
StencilPart fill_planes(const Stencil& stencil, const Grid& grid, const Planes& planes, T* a) {
  const Slots slots = slots_of(grid);
  const int axis = last_axis(grid.extents);
  const Extents held = with_planes(grid.extents, planes.end - planes.begin);
  const Index whole = planes_of(grid.extents), from = (planes.begin + whole) % whole;
  const Point first{axis == 0 ? from : 0, axis == 1 ? from : 0, axis == 2 ? from : 0};
  StencilPart part;
  part.tally = fill_points(
      stencil, slots, held, first,
      [&](Index x, Index y, Index z) {
        const Index plane = planes.begin + (axis == 0 ? x : axis == 1 ? y : z);
        return plane >= planes.own_begin && plane < planes.own_end;
      },
      a);
  Periodic periodic = around_of(grid).periodic;
  if (planes.end - planes.begin < whole || planes.own_begin != planes.begin)
    (axis == 0 ? periodic.x : axis == 1 ? periodic.y : periodic.z) = false;
  part.symmetry = symmetry_of_points(held, periodic, slots, a);
  return part;
}

template <class T>
Structure fill_rows(const Stencil& stencil, Grid& grid, T* a) {
  const Slots slots = slots_of(grid);
  const bool by_class = is_by_class(stencil);
  const Tally all = by_class ? fill_classes(stencil, slots, a)
                             : fill_points(
                                   stencil, slots, grid.extents, {}, [](Index, Index, Index) { return true; }, a);
  grid.dominant = all.dominant / static_cast<double>(grid.extents.points());
  const Around around = around_of(grid);
  return structure_of(
      stencil, around, all,
      by_class ? symmetry_of_terms<T>(stencil) : symmetry_of_points(grid.extents, around.periodic, slots, a));
}

std::optional<std::array<double, neighbours>> row_of_all(const std::vector<double>& table, const Extents& e) {
  const Index extent[3] = {e.x, e.y, e.z};
  const auto class_row = [&](const int(&at)[3]) {
    return table.data() + static_cast<std::size_t>(at[0] + 3 * at[1] + 9 * at[2]) * neighbours;
  };
  int middle[3];
  for (int axis = 0; axis < 3; ++axis) middle[axis] = place(extent[axis] / 2, extent[axis]);
  std::array<double, neighbours> row;
  std::copy_n(class_row(middle), neighbours, row.begin());
  for (int number = 0; number < neighbours; ++number) {
    const int at[3] = {number % 3, number / 3 % 3, number / 9};
    const auto exists = [&](int axis) {
      return at[axis] == 0 || (at[axis] == 1 ? extent[axis] > 2 : extent[axis] > 1);
    };
    if (!exists(0) || !exists(1) || !exists(2)) continue;
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const int step[3] = {d.x, d.y, d.z};
      const auto leads_out = [&](int axis) {
        return (step[axis] < 0 && at[axis] == 0) || (step[axis] > 0 && (at[axis] == 2 || extent[axis] == 1));
      };
      if (leads_out(0) || leads_out(1) || leads_out(2)) continue;
      if (class_row(at)[k] != row[static_cast<std::size_t>(k)]) return {};
    }
  }
  return row;
}

template Structure fill_rows(const Stencil&, Grid&, float*);
template Structure fill_rows(const Stencil&, Grid&, double*);
template StencilPart fill_planes(const Stencil&, const Grid&, const Planes&, float*);
template StencilPart fill_planes(const Stencil&, const Grid&, const Planes&, double*);

}  // namespace ostinato::detail
