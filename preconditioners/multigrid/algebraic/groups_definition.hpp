// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::algebraic {

/// On spaces other than Host and Cuda: the host sorts a copy.
template <class Space>
Members<Space> members_of(const Space& space, const Vector<Space, Index>& of, Index count) {
  const Host host;
  const Members<Host> made = members_of(host, Vector<Host, Index>(host, std::span<const Index>(of.download())), count);
  return {Vector<Space, Offset>(space, made.begin.span()), Vector<Space, Index>(space, made.rows.span())};
}

template <class Space>
Groups<Space> groups_of(const Space& space, Vector<Space, Index> of, Index count) {
  Members<Space> members = members_of(space, of, count);
  return {std::move(of), count, std::move(members.begin), std::move(members.rows)};
}

template <class Space>
Groups<Space> groups_of_rows(const Space& space, Vector<Space, Index> of_points, Index count, const Points& points) {
  if (points.unknowns == 1) return groups_of(space, std::move(of_points), count);
  Vector<Space, Index> of(space, static_cast<std::size_t>(points.rows()));
  for_each(space, of.size(), FindGroupOfRow{points, of_points.data(), of.data()});
  return groups_of(space, std::move(of), count * points.unknowns);
}

template <class Space>
Groups<Space> groups_of_points(const Space& space, const Points& points) {
  const auto rows = static_cast<std::size_t>(points.rows()), count = static_cast<std::size_t>(points.count);
  Groups<Space> groups{Vector<Space, Index>(space, rows), points.count, Vector<Space, Offset>(space, count + 1),
                       Vector<Space, Index>(space, rows)};
  for_each(space, std::max(rows, count + 1),
           FillPointGroups{points, groups.of.data(), groups.begin.data(), groups.members.data()});
  return groups;
}

template <class Space>
Vector<Space, Index> joined(const Space& space, const Vector<Space, Index>& inner, const Vector<Space, Index>& outer) {
  Vector<Space, Index> of(space, inner.size());
  for_each(space, of.size(), JoinGroups{inner.data(), outer.data(), of.data()});
  return of;
}

template <class Space>
Groups<Space> joined(const Space& space, const Groups<Space>& inner, const Groups<Space>& outer) {
  const auto count = static_cast<std::size_t>(outer.count);
  Groups<Space> groups{joined(space, inner.of, outer.of), outer.count, Vector<Space, Offset>(space, count + 1),
                       Vector<Space, Index>(space, inner.members.size())};
  for_each(space, count, CountJoined{inner.pattern(), outer.pattern(), groups.begin.data()});
  exclusive_scan(space, groups.begin.span());
  for_each(space, count, FillJoined{inner.pattern(), outer.pattern(), groups.begin.data(), groups.members.data()});
  return groups;
}

template <class Space, class T>
SpaceCsr<Space, T> collapse(const Space& space, const CsrView<T>& a, const Groups<Space>& groups,
                            const Points& points) {
  const detail::CsrPattern pattern = detail::pattern_of(a), members = groups.pattern();
  const auto rows = static_cast<std::size_t>(groups.count);
  Vector<Space, Offset> begin(space, rows + 1), lengths(space, rows + 1);
  for_each(space, rows, CountGroupTerms{pattern, members, begin.data()});
  exclusive_scan(space, begin.span());
  const auto terms = static_cast<std::size_t>(a.nonzeros());  // at most, as a row is in one group
  Vector<Space, Index> col(space, terms);
  Vector<Space, T> val(space, terms);
  collapse_rows(space, rows, a.nonzeros(),
                CollapseRow<T>{pattern, a.val.data(), members, groups.of.data(), points, begin.data(), col.data(),
                               val.data(), lengths.data()});
  const auto c = with_rows<T>(space, std::move(lengths), groups.count);
  move_rows(space, rows, static_cast<Offset>(c->col.size()),
            MoveRow<T>{begin.data(), col.data(), val.data(), c->row_ptr.data(), c->col.data(), c->val.data()});
  return SpaceCsr<Space, T>(c);
}

}  // namespace ostinato::algebraic
