// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/grid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include <ostinato/spmv/analysis/grid_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

/// An axis of fewer points is rather the unknowns of a point than an axis.
constexpr Index fewest_points = 4;

/// Whether `offset` leads to a point beside, on a grid with lines of `line` points and planes of `plane` points.
bool is_beside(Index offset, Index line, Index plane) {
  for (const Offset z : {Offset{0}, Offset{plane}, -Offset{plane}}) {
    for (const Offset y : {Offset{0}, Offset{line}, -Offset{line}}) {
      if (std::abs(offset - z - y) <= 1) return true;
    }
  }
  return false;
}

bool all_beside(const std::vector<Index>& offsets, Index line, Index plane) {
  return std::all_of(offsets.begin(), offsets.end(), [=](Index o) { return is_beside(o, line, plane); });
}

/// The grids that the offsets allow, those of fewer dimensions first. The first offset above 1 leads to the next line or
/// to the point before in it, and the first offset above those of the next line leads into the next plane.
std::vector<Extents> candidates(const Structure& s) {
  std::vector<Extents> grids;
  const std::vector<Index>& offsets = s.offsets;
  if (all_beside(offsets, 0, 0)) return {{s.rows, 1, 1}};
  const auto is_axis = [](Index points) { return points >= fewest_points; };
  const auto size = [](Index o) { return std::abs(o); };
  Index next = s.rows;
  for (const Index o : offsets) next = size(o) > 1 ? std::min(next, size(o)) : next;
  for (const Index line : {next, next + 1}) {
    if (!is_axis(line) || s.rows % line != 0 || !is_axis(s.rows / line)) continue;
    if (all_beside(offsets, line, 0)) grids.push_back({line, s.rows / line, 1});
  }
  for (const Index line : {next, next + 1}) {
    if (!is_axis(line) || s.rows % line != 0 || all_beside(offsets, line, 0)) continue;
    Index layer = s.rows;
    for (const Index o : offsets) layer = size(o) > line + 1 ? std::min(layer, size(o)) : layer;
    for (const Index plane : {layer, layer + 1, layer + line - 1, layer + line, layer + line + 1}) {
      if (plane % line != 0 || s.rows % plane != 0 || !is_axis(plane / line) || !is_axis(s.rows / plane)) continue;
      if (all_beside(offsets, line, plane)) grids.push_back({line, plane / line, s.rows / plane});
    }
  }
  return grids;
}

int dimensions_of(const Extents& e) { return e.z > 1 ? 3 : e.y > 1 ? 2 : 1; }

/// The reason against a grid that needs no look at the entries; empty when there is none.
std::string reason_against(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (s.rows < fewest_points) return "the matrix has fewer than " + std::to_string(fewest_points) + " rows";
  if (s.offsets.empty()) return "there are " + std::to_string(s.diagonals) + " diagonals";
  if (s.offsets == std::vector<Index>{0}) return "the matrix is diagonal";
  constexpr Offset most = 27;
  // Entries of value 0 may lie on further diagonals; the list of offsets doesn't tell.
  if (s.diagonals > most) return "there are " + std::to_string(s.diagonals) + " diagonals, over 27";
  return {};
}

}  // namespace

template <class Space, class T>
Grid find_grid(const Space& space, const CsrView<T>& a, const Structure& s) {
  Grid grid;
  grid.why_not = reason_against(s);
  if (!grid.why_not.empty()) return grid;
  grid.why_not = "the offsets of its diagonals aren't those of a 3-, 5-, 7-, 9- or 27-point stencil";
  Vector<Space, double> slots(space, 3);
  for (const Extents& e : candidates(s)) {
    sum(space, static_cast<std::size_t>(a.rows), detail::CountOffGrid<T>{detail::pattern_of(a), a.val.data(), e},
        slots.data());
    const std::vector<double> counts = slots.download();
    if (counts[0] == 0) return {e, dimensions_of(e), counts[1] == 0, counts[2] / static_cast<double>(a.rows), {}};
    grid.why_not = "entries run over the end of a line of the grid";
  }
  return grid;
}

#define OSTINATO_INSTANTIATE(Space, T) template Grid find_grid(const Space&, const CsrView<T>&, const Structure&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
