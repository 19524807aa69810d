// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/matrix/algebra/counted.hpp>
#include <ostinato/spmv/matrix/algebra/transpose.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::algebraic {

namespace {

template <class T>
void collapse_rows(const Host& space, std::size_t rows, Offset, const CollapseRow<T>& f) {
  for_each(space, rows, f);
}
template <class T>
void move_rows(const Host& space, std::size_t rows, Offset, const MoveRow<T>& f) {
  for_each(space, rows, f);
}

}  // namespace

template <class Space>
detail::MovedPattern<Space> members_of(const Space& space, const Vector<Space, Index>& of, Index count) {
  const std::size_t n = of.size();
  Vector<Space, Offset> row_ptr(space, n + 1);
  for_each(space, n, CountMembership{of.data(), row_ptr.data()});
  const std::size_t entries = detail::counted(space, row_ptr);
  Vector<Space, Index> col(space, entries);
  for_each(space, n, FillMembership{of.data(), row_ptr.data(), col.data()});
  const detail::CsrPattern pattern{static_cast<Index>(n), row_ptr.data(), col.data()};
  return detail::transposed(space, pattern, count, static_cast<Offset>(entries));
}

template <class Space>
Groups<Space> groups_of(const Space& space, Vector<Space, Index> of, Index count) {
  detail::MovedPattern<Space> members = members_of(space, of, count);
  return {std::move(of), count, std::move(members.row_ptr), std::move(members.col)};
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

template detail::MovedPattern<Host> members_of(const Host&, const Vector<Host, Index>&, Index);
template detail::MovedPattern<Cuda> members_of(const Cuda&, const Vector<Cuda, Index>&, Index);
template Groups<Host> groups_of(const Host&, Vector<Host, Index>, Index);
template Groups<Cuda> groups_of(const Cuda&, Vector<Cuda, Index>, Index);
template Groups<Host> joined(const Host&, const Groups<Host>&, const Groups<Host>&);
template Groups<Cuda> joined(const Cuda&, const Groups<Cuda>&, const Groups<Cuda>&);
template Vector<Host, Index> joined(const Host&, const Vector<Host, Index>&, const Vector<Host, Index>&);
template Vector<Cuda, Index> joined(const Cuda&, const Vector<Cuda, Index>&, const Vector<Cuda, Index>&);

#define OSTINATO_INSTANTIATE(Space, T) \
  template SpaceCsr<Space, T> collapse(const Space&, const CsrView<T>&, const Groups<Space>&, const Points&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
