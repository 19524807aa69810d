// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/aggressive.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/aggressive_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato::algebraic {

namespace aggressive_definition {

inline constexpr int fewest_passes = 3;  // the last of which finds no row

/// A pattern of the coarse rows, in which a row has an entry for itself and for each row that it depends on by a strong
/// entry, or by one to a fine row and another one from there.
template <class Space, class T>
std::shared_ptr<const CsrStorage<Space, T>> paths(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c,
                                                  const StopRequest& stop) {
  const auto n = static_cast<std::size_t>(a.rows);
  const FirstSplit m{detail::pattern_of(a), c.strong.data(), c.split.data(), c.number.data()};
  Vector<Space, Offset> reached_count(space, static_cast<std::size_t>(c.coarse_rows) + 1), coarse_count(space, n + 1);
  for_each(space, n, CountReached{m, reached_count.data()});
  for_each(space, n, CountFirstCoarse{m, coarse_count.data()});
  const auto [reached_entries, coarse_entries] = detail::counted(space, reached_count, coarse_count);
  const auto reached = with_row_ptr<T>(space, std::move(reached_count), a.rows, reached_entries);
  const auto coarse_of = with_row_ptr<T>(space, std::move(coarse_count), c.coarse_rows, coarse_entries);
  for_each(space, n, FillReached<T>{m, reached->row_ptr.data(), reached->col.data(), reached->val.data()});
  for_each(space, n, FillFirstCoarse<T>{m, coarse_of->row_ptr.data(), coarse_of->col.data(), coarse_of->val.data()});
  const SpaceCsr<Space, T> first(reached), second(coarse_of);
  return pattern_of_product(space, first, second, stop, bounded_terms(space, first, second, a.nonzeros()));
}

/// Throws    Stopped once the request is made.
inline void end_on(const StopRequest& stop) {
  if (stop.is_made()) throw Stopped("multigrid: making the levels was stopped");
}

}  // namespace aggressive_definition

template <class Space, class T>
Coarsening<Space> coarsen_twice(const Space& space, const CsrView<T>& a, const CoarseningOptions& options,
                                const StopRequest& stop) {
  Coarsening<Space> c = coarsen(space, a, options);
  if (c.coarse_rows == 0) return c;
  const auto joined = aggressive_definition::paths(space, a, c, stop);
  const Coarsening<Space> second =
      coarsen(space, detail::CsrPattern{joined->rows, joined->row_ptr.data(), joined->col.data()},
              static_cast<Offset>(joined->col.size()));
  for_each(space, c.split.size(),
           KeepSecond{detail::pattern_of(a), c.strong.data(), c.number.data(), second.split.data(),
                      joined->row_ptr.data(), c.split.data()});
  number_coarse(space, c);
  return c;
}

template <class Space, class T>
SpaceCsr<Space, T> multipass_interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c,
                                           int most, const StopRequest& stop) {
  if (most < 1 || most > KeepLargest<T>::capacity) throw ArgumentError("interpolation: 1 to 16 entries a row");
  const auto n = static_cast<std::size_t>(a.rows), places = n * static_cast<std::size_t>(most);
  Vector<Space, std::int32_t> pass(space, n);
  Vector<Space, Index> length(space, n), col(space, places);
  Vector<Space, T> val(space, places);
  Vector<Space, double> of_pass(space, 2), of_all(space, 1, 0.0);
  const HeldRows<T> rows{most, pass.data(), length.data(), col.data(), val.data()};
  for_each(space, n, BeginRows<T>{c.split.data(), c.number.data(), rows});
  for (std::int32_t now = 1;; ++now) {
    aggressive_definition::end_on(stop);
    sum(space, n,
        InterpolatePass<Atomic<Space>, T>{detail::pattern_of(a), a.val.data(), c.strong.data(), now, rows,
                                          of_all.data()},
        of_pass.data());
    if (is_look<Space>(now, aggressive_definition::fewest_passes) && of_pass.download()[0] == 0) break;
  }
  Vector<Space, Offset> row_ptr(space, n + 1);
  for_each(space, n, CountHeld{length.data(), row_ptr.data()});
  exclusive_scan(space, row_ptr.span());
  Offset entries = 0;
  double bad = 0;
  download(space, {copied(entries, row_ptr.data() + n), copied(bad, of_all.data())});
  if (bad > 0) throw ArgumentError("multigrid: the interpolation leaves the range of the numbers");
  const auto p = with_row_ptr<T>(space, std::move(row_ptr), c.coarse_rows, static_cast<std::size_t>(entries));
  for_each(space, n, TakeHeld<T>{rows, p->row_ptr.data(), p->col.data(), p->val.data()});
  return SpaceCsr<Space, T>(p);
}

}  // namespace ostinato::algebraic
