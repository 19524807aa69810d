// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/constant_grid.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <ostinato/spmv/analysis/grid_definition.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>
#include <ostinato/spmv/team/distributed_facts.hpp>

namespace ostinato::multigrid {

namespace {

using detail::neighbours;
using detail::Step;

/// The rows of the classes that a rank has seen.
struct Rows {
  bool is_constant = true;
  bool has[neighbours] = {};
  double table[neighbours * neighbours] = {};
};

struct Point {
  Index x, y, z;

  Point(const Extents& e, Index i) : x(i % e.x), y(i / e.x % e.y), z(i / e.x / e.y) {}
  std::size_t class_in(const Extents& e) const {
    using detail::place;
    return static_cast<std::size_t>(place(x, e.x) + 3 * place(y, e.y) + 9 * place(z, e.z));
  }
};

/// Puts row i into a row of a table. False where an entry leads to a point that isn't beside.
template <class T>
bool read_row(const Extents& e, const CsrView<T>& mine, Index begin, Index i, double* row) {
  const Point from(e, begin + i);
  std::fill_n(row, neighbours, 0.0);
  for (auto k = static_cast<std::size_t>(mine.row_ptr[static_cast<std::size_t>(i)]);
       k < static_cast<std::size_t>(mine.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
    if (mine.val[k] == 0) continue;
    const Point to(e, mine.col[k]);
    const Step d{to.x - from.x, to.y - from.y, to.z - from.z};
    if (std::abs(d.x) > 1 || std::abs(d.y) > 1 || std::abs(d.z) > 1) return false;
    row[d.number()] = static_cast<double>(mine.val[k]);
  }
  return true;
}

/// Whether row i is the row before it, moved on by one point.
template <class T>
bool repeats(const CsrView<T>& mine, Index i) {
  const auto row = static_cast<std::size_t>(i);
  const auto first = static_cast<std::size_t>(mine.row_ptr[row]),
             last = static_cast<std::size_t>(mine.row_ptr[row + 1]);
  const std::size_t back = last - first;
  if (static_cast<std::size_t>(mine.row_ptr[row - 1]) + back != first) return false;
  for (std::size_t k = first; k < last; ++k)
    if (mine.col[k] != mine.col[k - back] + 1 || mine.val[k] != mine.val[k - back]) return false;
  return true;
}

/// Within a line most rows repeat the one before, which has the same class: to see that takes a seventh of the time.
template <class T>
Rows rows_of(const Extents& e, const CsrView<T>& mine, Index begin) {
  Rows rows;
  double row[neighbours];
  Index x = begin % e.x;
  for (Index i = 0; i < mine.rows && rows.is_constant; ++i, x = x + 1 == e.x ? 0 : x + 1) {
    if (i > 0 && x > 1 && x + 1 < e.x && repeats(mine, i)) continue;
    rows.is_constant = read_row(e, mine, begin, i, row);
    const std::size_t c = Point(e, begin + i).class_in(e);
    double* const known = rows.table + c * neighbours;
    if (!rows.has[c]) std::copy_n(row, neighbours, known);
    rows.has[c] = true;
    rows.is_constant = rows.is_constant && std::equal(row, row + neighbours, known);
  }
  return rows;
}

/// The tables of all ranks in one; empty where they contradict each other.
std::vector<double> joined(const std::vector<Rows>& all) {
  Rows one;
  for (const Rows& rows : all) {
    if (!rows.is_constant) return {};
    for (std::size_t c = 0; c < neighbours; ++c) {
      const double *const from = rows.table + c * neighbours, *const known = one.table + c * neighbours;
      if (!rows.has[c]) continue;
      if (one.has[c] && !std::equal(from, from + neighbours, known)) return {};
      std::copy_n(from, neighbours, one.table + c * neighbours);
      one.has[c] = true;
    }
  }
  return {one.table, one.table + neighbours * neighbours};
}

bool is_star(const std::vector<double>& table) {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table[k] != 0 && Step::of(static_cast<int>(k) % neighbours).axes() > 1) return false;
  return true;
}

}  // namespace

template <class T>
ConstantGrid find_constant_grid(const Team& team, const Facts& facts, const Partition& rows, const CsrView<T>& mine) {
  const Index begin = rows.begin(team);
  Structure s;
  static_cast<Facts&>(s) = facts;
  if (auto offsets = distributed_diagonals(team, rows, mine, neighbours)) s.offsets = *std::move(offsets);
  if (!grid_definition::reason_against(s).empty()) return {};
  for (const Extents& e : grid_definition::candidates(grid_definition::Offsets{s, 1, false}, false)) {
    const std::vector<double> table = joined(team.all_gather(rows_of(e, mine, begin)));
    if (table.empty()) continue;
    ConstantGrid found;
    found.grid.extents = e;
    found.grid.dimensions = grid_definition::dimensions_of(e);
    found.grid.star = is_star(table);
    found.table = table;
    return found;
  }
  return {};
}

#define OSTINATO_INSTANTIATE(T) \
  template ConstantGrid find_constant_grid(const Team&, const Facts&, const Partition&, const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
