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

/// What the rows of P need of all entries of a row of A.
template <class Space, class T>
struct Parts {
  SplitMatrix<T> m;
  Vector<Space, T> beta, weak, diagonal;
  Vector<Space, Offset> spread_count, source_count;

  Parts(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c)
      : m{detail::pattern_of(a), a.val.data(), c.strong.data(), c.split.data(), c.number.data()},
        beta(space, static_cast<std::size_t>(a.rows)),
        weak(space, beta.size()),
        diagonal(space, beta.size()),
        spread_count(space, beta.size() + 1),
        source_count(space, beta.size() + 1) {
    for_each_row(space, beta.size(), a.nonzeros(),
                 SumParts<T>{m, beta.data(), weak.data(), diagonal.data(), spread_count.data(), source_count.data()});
  }

  /// Fills the factors, whose rows have their places.
  void fill(const Space& space, const InterpolationFactors<Space, T>& f) const {
    for_each(space, beta.size(),
             FillSources<T>{m, f.sources->row_ptr.data(), f.sources->col.data(), f.sources->val.data()});
    for_each(space, beta.size(),
             FillSpread<T>{m, beta.data(), weak.data(), diagonal.data(), f.spread->row_ptr.data(), f.spread->col.data(),
                           f.spread->val.data()});
  }
};

template <class Space, class T>
InterpolationFactors<Space, T> factors_of(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c) {
  Parts<Space, T> parts(space, a, c);
  const auto [sources, spread] = detail::counted(space, parts.source_count, parts.spread_count);
  const InterpolationFactors<Space, T> made{
      with_row_ptr<T>(space, std::move(parts.source_count), c.coarse_rows, sources),
      with_row_ptr<T>(space, std::move(parts.spread_count), a.rows, spread)};
  parts.fill(space, made);
  return made;
}

inline void require_finite(double not_finite) {
  if (not_finite > 0) throw ArgumentError("multigrid: the interpolation leaves the range of the numbers");
}

/// Counts the values that aren't finite.
template <class Space, class T>
Vector<Space, double> not_finite(const Space& space, const CsrView<T>& p) {
  Vector<Space, double> count(space, 1);
  sum(space, p.val.size(), CountNotFinite<T>{p.val.data()}, count.data());
  return count;
}

template <class Space, class T>
std::shared_ptr<CsrStorage<Space, T>> truncated_storage(const Space& space, const CsrView<T>& p, int most) {
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
  require_finite(bad.download()[0]);
  return kept;
}

template <class Space, class T>
MatrixProduct<Space, T> product_of(const Space& space, const InterpolationFactors<Space, T>& f, Offset entries,
                                   const StopRequest& stop) {
  return bounded_product(space, SpaceCsr<Space, T>(f.spread), SpaceCsr<Space, T>(f.sources), entries, stop);
}

}  // namespace interpolation_definition

template <class Space, class T>
SpaceCsr<Space, T> interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c, int most,
                                 const StopRequest& stop) {
  return truncated(
      space,
      interpolation_definition::product_of(space, interpolation_definition::factors_of(space, a, c), a.nonzeros(), stop)
          .result()
          .view(),
      most);
}

template <class Space, class T>
SpaceCsr<Space, T> truncated(const Space& space, const CsrView<T>& p, int most) {
  return SpaceCsr<Space, T>(interpolation_definition::truncated_storage(space, p, most));
}

template <class Space, class T>
Interpolation<Space, T>::Interpolation(const Space& space, const CsrView<T>& a, Coarsening<Space> c, int most,
                                       const StopRequest& stop)
    : space_(space),
      coarsening_(std::move(c)),
      factors_(interpolation_definition::factors_of(space, a, coarsening_)),
      product_(interpolation_definition::product_of(space, factors_, a.nonzeros(), stop)),
      kept_(interpolation_definition::truncated_storage(space, product_.result().view(), most)),
      result_(kept_) {}

template <class Space, class T>
void Interpolation<Space, T>::update(const CsrView<T>& a) {
  const interpolation_definition::Parts<Space, T> parts(space_, a, coarsening_);
  parts.fill(space_, factors_);
  product_.update(SpaceCsr<Space, T>(factors_.spread), SpaceCsr<Space, T>(factors_.sources));
  const CsrView<T>& p = product_.result().view();
  const Vector<Space, double> bad = interpolation_definition::not_finite(space_, p);
  for_each(space_, static_cast<std::size_t>(p.rows),
           KeepThese<T>{p.row_ptr.data(), p.col.data(), p.val.data(), kept_->row_ptr.data(), kept_->col.data(),
                        kept_->val.data()});
  interpolation_definition::require_finite(bad.download()[0]);
}

template <class Space, class T>
std::size_t Interpolation<Space, T>::bytes() const {
  std::size_t total = coarsening_.strong.bytes() + coarsening_.split.bytes() + coarsening_.number.bytes();
  for (const auto* m : {factors_.sources.get(), factors_.spread.get()})
    total += m->row_ptr.bytes() + m->col.bytes() + m->val.bytes();
  return total + product_.bytes();
}

}  // namespace ostinato::algebraic
