// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation.hpp>

#include <memory>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/factor_aggregates.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/algebra/product.hpp>

namespace ostinato::algebraic {

template <class Space, class T>
SmoothedAggregation<Space, T>::SmoothedAggregation(const Space& space, const NearNullSpace& near_null, double factor,
                                                   double threshold)
    : space_(space),
      points_(near_null.points),
      vectors_(near_null.count),
      factor_(factor),
      threshold_(threshold),
      near_null_(vectors_of(space, near_null)) {}

template <class Space, class T>
std::optional<SpaceCsr<Space, T>> SmoothedAggregation<Space, T>::next(const SpaceCsr<Space, T>& a, double largest,
                                                                      const StopRequest& stop) {
  constexpr double damping = 4.0 / 3;
  const Aggregation<Space, T> made = aggregate(space_, a, points_, factor_, threshold_);
  if (made.count == 0) return {};
  const SpaceCsr<Space, T> s = smoothing(a, made, damping / largest);
  threshold_ /= 2;
  return multiply(space_, s, tentative(made.aggregate, made.count), stop);
}

template <class Space, class T>
SpaceCsr<Space, T> SmoothedAggregation<Space, T>::tentative(const Vector<Space, Index>& aggregate, Index count) {
  const auto rows = static_cast<std::size_t>(points_.rows()), width = static_cast<std::size_t>(vectors_);
  const Members<Space> members = members_of(space_, aggregate, count);
  Vector<Space, double> coarse(space_, static_cast<std::size_t>(count) * width * width, 0.0);
  factor_aggregates(
      space_, static_cast<std::size_t>(count),
      FactorAggregate{
          {count, members.begin.data(), members.rows.data()}, points_, vectors_, near_null_.data(), coarse.data()});
  Vector<Space, Offset> counts(space_, rows + 1);
  for_each(space_, rows, CountTentative{points_, aggregate.data(), vectors_, counts.data()});
  const auto t = with_rows<T>(space_, std::move(counts), count * vectors_);
  for_each(space_, rows,
           FillTentative<T>{points_, aggregate.data(), near_null_.data(), vectors_, t->row_ptr.data(), t->col.data(),
                            t->val.data()});
  space_.wait();  // before the arrays that the kernels read end
  near_null_ = std::move(coarse);
  points_ = {count, vectors_, false};
  return SpaceCsr<Space, T>(t);
}

/// I - damping D^-1 A_f
template <class Space, class T>
SpaceCsr<Space, T> SmoothedAggregation<Space, T>::smoothing(const SpaceCsr<Space, T>& a,
                                                            const Aggregation<Space, T>& aggregates,
                                                            double damping) const {
  const CsrView<T> view = a.view();
  const auto rows = static_cast<std::size_t>(view.rows);
  const FilteredMatrix<T> m{detail::pattern_of(view), view.val.data(), points_,
                            detail::pattern_of(aggregates.graph.view()), aggregates.strong.data()};
  Vector<Space, Offset> counts(space_, rows + 1);
  for_each(space_, rows, CountStrongEntries<T>{m, counts.data()});
  const auto s = with_rows<T>(space_, std::move(counts), view.cols);
  for_each(space_, rows, FillSmoothing<T>{m, damping, s->row_ptr.data(), s->col.data(), s->val.data()});
  return SpaceCsr<Space, T>(s);
}

}  // namespace ostinato::algebraic
