// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/pairs.hpp>
#include <ostinato/spmv/algebra/sum.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>

namespace ostinato::algebraic {

namespace pairwise_aggregation_definition {

inline constexpr int passes = 3;

}  // namespace pairwise_aggregation_definition

template <class Space, class T>
PairwiseAggregation<Space, T>::PairwiseAggregation(const Space& space, const SpaceCsr<Space, T>& a,
                                                   const Points& points, bool symmetric)
    : space_(space), points_(points), is_graph_(points.unknowns == 1 && symmetric), graph_(graph_of(a, symmetric)) {}

template <class Space, class T>
SpaceCsr<Space, T> PairwiseAggregation<Space, T>::graph_of(const SpaceCsr<Space, T>& a, bool symmetric) const {
  SpaceCsr<Space, T> graph = a;
  if (points_.unknowns > 1) {
    Vector<Space, Index> of(space_, static_cast<std::size_t>(points_.rows()));
    for_each(space_, of.size(), FindPoint{points_, of.data()});
    graph = collapse(space_, a.view(), groups_of(space_, std::move(of), points_.count), points_);
  }
  return symmetric ? graph : add(space_, graph, T{1}, transpose(space_, graph));
}

template <class Space, class T>
std::optional<GroupedLevel<Space, T>> PairwiseAggregation<Space, T>::next(const SpaceCsr<Space, T>& a) {
  Groups<Space> groups;  // of points
  GroupSizes<Space, T> sizes;
  for (int pass = 0; pass < pairwise_aggregation_definition::passes; ++pass) {
    Pairs<Space, T> pairs = pair_up(space_, graph_.view(), pass == 0 ? LoneRows::leave : LoneRows::keep, sizes);
    if (pairs.groups.count == 0) return {};
    graph_ = collapse(space_, graph_.view(), pairs.groups);
    groups = pass == 0 ? std::move(pairs.groups) : joined(space_, groups, pairs.groups);
    sizes = std::move(pairs.sizes);
  }
  if (is_graph_) return GroupedLevel<Space, T>{std::move(groups), graph_};
  Groups<Space> rows = groups_of_rows(space_, std::move(groups.of), groups.count, points_);
  points_ = {groups.count, points_.unknowns, false};
  SpaceCsr<Space, T> coarse = collapse(space_, a.view(), rows);
  return GroupedLevel<Space, T>{std::move(rows), std::move(coarse)};
}

}  // namespace ostinato::algebraic
