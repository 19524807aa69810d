// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/isai.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/preconditioners/triangular/isai_rows.hpp>
#include <ostinato/preconditioners/triangular/isai_steps.hpp>
#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace detail {

/// A group of one lane.
struct AloneGroup {
  OSTINATO_FUNCTION static constexpr int lane() { return 0; }
  OSTINATO_FUNCTION static constexpr int lanes() { return 1; }
  OSTINATO_FUNCTION static void sync() {}
  OSTINATO_FUNCTION static double minus_product(double a, double b, double c) { return a - b * c; }
};

/// Makes row first + i of an incomplete inverse.
struct InvertRow {
  InverseRows rows;
  std::size_t first;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { rows.invert(AloneGroup{}, first + i); }
};

template <class Space>
void invert_rows(const Space& space, const InverseRows& rows, std::size_t first, std::size_t count) {
  for_each(space, count, InvertRow{rows, first});
}

}  // namespace detail

namespace isai_definition {

/// Rows of W between two looks at a stop request, some 10^8 steps: the entries of a row of W times those of L.
inline std::size_t rows_of_look(const CsrView<double>& w, const CsrView<double>& l) {
  constexpr double most_steps = 1e8, fewest_rows = 1 << 12, most_rows = 1 << 18;  // few leave a GPU idle
  const double rows = std::max(1.0, static_cast<double>(w.rows));
  const double steps = static_cast<double>(w.nonzeros()) / rows * (static_cast<double>(l.nonzeros()) / rows);
  return static_cast<std::size_t>(std::clamp(most_steps / std::max(1.0, steps), fewest_rows, most_rows));
}

template <class Element, class Space>
Vector<Space, Element> copied(const Space& space, std::span<const Element> from) {
  Vector<Space, Element> to(space, from.size());
  space.copy(to.data(), from.data(), from.size_bytes());
  return to;
}

template <class Space>
void require_diagonal(const Space& space, const CsrView<double>& l) {
  Vector<Space, double> count(space, 1, 0.0);
  sum(space, static_cast<std::size_t>(l.rows), detail::CountSingularRows{detail::pattern_of(l), l.val.data()},
      count.data());
  if (count.download()[0] == 0) return;
  std::vector<Offset> end(l.row_ptr.size());
  std::vector<Index> col(l.col.size());
  std::vector<double> val(l.val.size());
  space.download(end.data(), l.row_ptr.data(), l.row_ptr.size_bytes());
  space.download(col.data(), l.col.data(), l.col.size_bytes());
  space.download(val.data(), l.val.data(), l.val.size_bytes());
  const detail::CountSingularRows is_singular{{l.rows, end.data(), col.data()}, val.data()};
  std::size_t row = 0;
  while (is_singular(row).v[0] == 0) ++row;
  throw ArgumentError("isai: " + row_text(row) + " of the triangular factor has no diagonal entry, or 0 there");
}

}  // namespace isai_definition

template <class Space>
SpaceCsr<Space, double> incomplete_inverse(const Space& space, const SpaceCsr<Space, double>& l, int power,
                                           const StopRequest& stop) {
  if (power != 1 && power != 2) throw ArgumentError("isai: power has to be 1 or 2");
  const CsrView<double>& from = l.view();
  if (from.rows != from.cols) throw ArgumentError("isai: the triangular factor isn't square");
  isai_definition::require_diagonal(space, from);
  const SpaceCsr<Space, double> pattern = power == 1 ? l : multiply(space, l, l, stop);
  const CsrView<double>& p = pattern.view();
  auto w = std::make_shared<CsrStorage<Space, double>>();
  w->rows = w->cols = p.rows;
  w->row_ptr = isai_definition::copied(space, p.row_ptr);
  w->col = isai_definition::copied(space, p.col);
  w->val = Vector<Space, double>(space, p.val.size());
  const detail::InverseRows rows{detail::pattern_of(from), from.val.data(), detail::pattern_of(w->view()),
                                 w->val.data()};
  const auto n = static_cast<std::size_t>(p.rows);
  const std::size_t between = isai_definition::rows_of_look(p, from);
  for (std::size_t first = 0; first < n; first += between) {
    end_factoring_on(stop);
    detail::invert_rows(space, rows, first, std::min(between, n - first));
    if (stop) space.wait();
  }
  space.wait();
  return SpaceCsr<Space, double>(std::move(w));
}

}  // namespace ostinato
