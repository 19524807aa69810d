// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>

#include <memory>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato::algebraic {

namespace interpolation_definition {

/// The factors of P before it is truncated, which is the spread times the sources (interpolation_steps.hpp).
template <class Space, class T>
struct Factors {
  std::shared_ptr<CsrStorage<Space, T>> spread, sources;
};

template <class Space, class T>
Factors<Space, T> factors_of(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c) {
  const SplitMatrix<T> m{detail::pattern_of(a), a.val.data(), c.strong.data(), c.split.data(), c.number.data()};
  const auto n = static_cast<std::size_t>(a.rows);
  Vector<Space, T> beta(space, n), weak(space, n), diagonal(space, n);
  Vector<Space, Offset> spread_count(space, n + 1), source_count(space, n + 1);
  for_each_row(space, n, a.nonzeros(),
               SumParts<T>{m, beta.data(), weak.data(), diagonal.data(), spread_count.data(), source_count.data()});
  const auto [in_sources, in_spread] = detail::counted(space, source_count, spread_count);
  const auto sources = with_row_ptr<T>(space, std::move(source_count), c.coarse_rows, in_sources),
             spread = with_row_ptr<T>(space, std::move(spread_count), a.rows, in_spread);
  for_each(space, n, FillSources<T>{m, sources->row_ptr.data(), sources->col.data(), sources->val.data()});
  for_each(space, n,
           FillSpread<T>{m, beta.data(), weak.data(), diagonal.data(), spread->row_ptr.data(), spread->col.data(),
                         spread->val.data()});
  return {spread, sources};
}

}  // namespace interpolation_definition

template <class Space, class T>
SpaceCsr<Space, T> interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c, int most,
                                 const StopRequest& stop) {
  const auto f = interpolation_definition::factors_of(space, a, c);
  const MatrixProduct<Space, T> product =
      bounded_product(space, SpaceCsr<Space, T>(f.spread), SpaceCsr<Space, T>(f.sources), a.nonzeros(), stop);
  return truncated(space, product.result().view(), most);
}

template <class Space, class T>
SpaceCsr<Space, T> truncated(const Space& space, const CsrView<T>& p, int most) {
  if (most < 1 || most > KeepLargest<T>::capacity) throw ArgumentError("interpolation: 1 to 16 entries a row");
  const auto n = static_cast<std::size_t>(p.rows);
  Vector<Space, Offset> row_ptr(space, n + 1);
  for_each(space, n, CountKept{p.row_ptr.data(), most, row_ptr.data()});
  const std::size_t entries = detail::counted(space, row_ptr);
  auto kept = with_row_ptr<T>(space, std::move(row_ptr), p.cols, entries);
  Vector<Space, double> bad(space, 1);
  sum(space, n,
      KeepLargest<T>{p.row_ptr.data(), p.col.data(), p.val.data(), kept->row_ptr.data(), kept->col.data(),
                     kept->val.data()},
      bad.data());
  if (bad.download()[0] > 0) throw ArgumentError("multigrid: the interpolation leaves the range of the numbers");
  return SpaceCsr<Space, T>(std::move(kept));
}

}  // namespace ostinato::algebraic
