// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/isai.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/factors.hpp>
#include <ostinato/preconditioners/ilu/isai_rows.hpp>
#include <ostinato/preconditioners/ilu/isai_steps.hpp>
#include <ostinato/spmv/matrix/algebra/product.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/message.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// Rows of W between two looks at a stop request, some 10^8 steps: the entries of a row of W times those of L.
std::size_t rows_of_look(const CsrView<double>& w, const CsrView<double>& l) {
  constexpr double most_steps = 1e8, fewest_rows = 1 << 12, most_rows = 1 << 18;  // few leave a GPU idle
  const double rows = std::max(1.0, static_cast<double>(w.rows));
  const double steps = static_cast<double>(w.nonzeros()) / rows * (static_cast<double>(l.nonzeros()) / rows);
  return static_cast<std::size_t>(std::clamp(most_steps / std::max(1.0, steps), fewest_rows, most_rows));
}

/// A group of one lane.
struct AloneGroup {
  static constexpr int lane() { return 0; }
  static constexpr int lanes() { return 1; }
  static void sync() {}
  static double minus_product(double a, double b, double c) { return a - b * c; }
};

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

}  // namespace

Offset count_square_entries(const CsrView<double>& l, Offset most, const StopRequest& stop) {
  const auto columns = [&l](Index row) {
    const auto i = static_cast<std::size_t>(row);
    return l.col.subspan(static_cast<std::size_t>(l.row_ptr[i]),
                         static_cast<std::size_t>(l.row_ptr[i + 1] - l.row_ptr[i]));
  };
  std::vector<Index> latest(static_cast<std::size_t>(l.cols), -1);  // row with an entry in the column
  Offset count = 0;
  for (Index i = 0; i < l.rows && count <= most; ++i) {
    if (i % 1024 == 0) end_factoring_on(stop);
    for (const Index j : columns(i)) {
      for (const Index k : columns(j)) count += std::exchange(latest[static_cast<std::size_t>(k)], i) != i ? 1 : 0;
    }
  }
  return count;
}

template <class Space>
SpaceCsr<Space, double> incomplete_inverse(const Space& space, const SpaceCsr<Space, double>& l, int power,
                                           const StopRequest& stop) {
  if (power != 1 && power != 2) throw ArgumentError("isai: power has to be 1 or 2");
  const CsrView<double>& from = l.view();
  if (from.rows != from.cols) throw ArgumentError("isai: the triangular factor isn't square");
  require_diagonal(space, from);
  const SpaceCsr<Space, double> pattern = power == 1 ? l : multiply(space, l, l, stop);
  const CsrView<double>& p = pattern.view();
  auto w = std::make_shared<CsrStorage<Space, double>>();
  w->rows = w->cols = p.rows;
  w->row_ptr = copied(space, p.row_ptr);
  w->col = copied(space, p.col);
  w->val = Vector<Space, double>(space, p.val.size());
  const detail::InverseRows rows{detail::pattern_of(from), from.val.data(), detail::pattern_of(w->view()),
                                 w->val.data()};
  const auto n = static_cast<std::size_t>(p.rows);
  const std::size_t between = rows_of_look(p, from);
  for (std::size_t first = 0; first < n; first += between) {
    end_factoring_on(stop);
    detail::invert_rows(space, rows, first, std::min(between, n - first));
    if (stop) space.wait();
  }
  space.wait();
  return SpaceCsr<Space, double>(std::move(w));
}

#define OSTINATO_INSTANTIATE(Space)                                                                      \
  template SpaceCsr<Space, double> incomplete_inverse(const Space&, const SpaceCsr<Space, double>&, int, \
                                                      const StopRequest&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

void detail::invert_rows(const Host& space, const InverseRows& rows, std::size_t first, std::size_t count) {
  constexpr std::size_t block = 256;
  parallel_for(space, (count + block - 1) / block, [&rows, first, count](std::size_t b) {
    const std::size_t end = std::min((b + 1) * block, count);
    for (std::size_t i = b * block; i < end; ++i) rows.invert(AloneGroup{}, first + i);
  });
}

}  // namespace ostinato
