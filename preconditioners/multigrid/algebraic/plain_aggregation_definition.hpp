// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

namespace ostinato::algebraic {

template <class Space, class T>
std::optional<GroupedLevel<Space, T>> PlainAggregation<Space, T>::next(const SpaceCsr<Space, T>& a) {
  Aggregation<Space, T> made = aggregate(space_, a, points_, factor_, threshold_, Coupling::opposite);
  if (made.count == 0) return {};
  Groups<Space> rows = groups_of_rows(space_, std::move(made.aggregate), made.count, points_);
  points_ = {made.count, points_.unknowns, false};
  SpaceCsr<Space, T> coarse = collapse(space_, a.view(), rows);
  return GroupedLevel<Space, T>{std::move(rows), std::move(coarse)};
}

}  // namespace ostinato::algebraic
