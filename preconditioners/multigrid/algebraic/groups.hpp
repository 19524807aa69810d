// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

class Host;
class Cuda;

}  // namespace ostinato

namespace ostinato::algebraic {

/// The rows of a matrix in groups, each of which becomes a row of the next level.
///
/// Layout    12 bytes a row, 8 bytes a group.
template <class Space>
struct Groups {
  Vector<Space, Index> of;  ///< group of each row; -1 for a row in none
  Index count = 0;
  Vector<Space, Offset> begin;   ///< count + 1: where the members of each group begin
  Vector<Space, Index> members;  ///< the rows of each group, ascending; what follows has no meaning

  detail::CsrPattern pattern() const { return {count, begin.data(), members.data()}; }
  std::size_t bytes() const { return of.bytes() + begin.bytes() + members.bytes(); }
};

/// The next level of a hierarchy whose interpolation is constant on groups of rows.
template <class Space, class T>
struct GroupedLevel {
  Groups<Space> groups;
  SpaceCsr<Space, T> a;  ///< P^T A P
};

/// The rows of groups.
template <class Space>
struct Members {
  Vector<Space, Offset> begin;  ///< count + 1
  Vector<Space, Index> rows;    ///< of each group, ascending; then those in none
};

/// The members of groups that are known row by row.
///
/// Exec      Enqueued on Cuda: sorts the rows by group.
template <class Space>
Members<Space> members_of(const Space& space, const Vector<Space, Index>& of, Index count);
template <>
Members<Host> members_of(const Host& space, const Vector<Host, Index>& of, Index count);
template <>
Members<Cuda> members_of(const Cuda& space, const Vector<Cuda, Index>& of, Index count);

/// Groups that are known row by row, with their members. Enqueued on Cuda.
template <class Space>
Groups<Space> groups_of(const Space& space, Vector<Space, Index> of, Index count);

/// The groups of the rows of points in groups, of which there are `count`: one for each unknown. Enqueued on Cuda.
template <class Space>
Groups<Space> groups_of_rows(const Space& space, Vector<Space, Index> of_points, Index count, const Points& points);

/// The rows of each point as a group. Enqueued on Cuda.
template <class Space>
Groups<Space> groups_of_points(const Space& space, const Points& points);

/// The groups of groups: row i is in group outer[inner[i]], or in none. Enqueued on Cuda.
template <class Space>
Vector<Space, Index> joined(const Space& space, const Vector<Space, Index>& inner, const Vector<Space, Index>& outer);

/// The same with their members. No outer group has more than two inner ones, and each inner group is in one.
template <class Space>
Groups<Space> joined(const Space& space, const Groups<Space>& inner, const Groups<Space>& outer);

/// P^T A P, where row i of P has a 1 in column groups.of[i], or nothing: the entry of two groups is the sum of the
/// entries between their members. With several unknowns a point, only entries that couple an unknown with itself count:
/// give `points`. The same bits on every run and on either space.
///
/// Shapes    A: n x n; the result: count x count, with ascending columns.
/// Traffic   Reads A once, with a load from groups.of for each entry, and writes the terms once and the result once.
/// Memory    sizeof(T) + 4 bytes for each entry of A while it works.
/// Exec      Waits. On Cuda, some lanes of a warp add up a row, and a single one a row of more than a hundred columns
///           or, where rows have more than 32 terms on the average, of more than 224.
template <class Space, class T>
SpaceCsr<Space, T> collapse(const Space& space, const CsrView<T>& a, const Groups<Space>& groups,
                            const Points& points = {0, 1, false});

}  // namespace ostinato::algebraic
