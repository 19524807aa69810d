// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// What becomes of rows that have no partner.
enum class LoneRows {
  /// A row joins a pair. Rows whose diagonal is at least 1.25 times the sum of the other entries, but for rounding, are
  /// left out.
  leave,
  keep,  ///< a row stays alone, which leaves smaller groups
};

/// What the rows of a matrix of groups have from the rows of the matrix before. Empty: nothing is known.
template <class Space, class T>
struct GroupSizes {
  Vector<Space, T> size;           ///< sum of the |a_ii| of the members on the finest matrix
  Vector<Space, float> strongest;  ///< the largest weight that a member has had
};

/// Rows in pairs.
template <class Space, class T>
struct Pairs {
  Groups<Space> groups;
  GroupSizes<Space, T> sizes;  ///< for the next pass
};

/// Puts each row together with the free one to which it is coupled most strongly, in rounds: two rows that choose each
/// other are a pair. The weight of rows i and j is -a_ij (1 / d_i + 1 / d_j), with the sign of the diagonal, where d is
/// |a_ii| or what `sizes` says. Its inverse is the square of a vector that is constant on either of the two and has the
/// mean 0, in the norm of D, over its energy in the entries between the two: how little the smoother does for such a
/// vector. Rows whose weight is less than a tenth of the largest of either aren't paired, so that later passes don't
/// join groups whose members hold together much more strongly. Weights whose three leading bits agree count as equal,
/// and a hash of the two numbers decides between equals, so that a few rounds do. `lone` says what becomes of the
/// others. The same on every run, with any number of threads, and, but for the rounding of weights and of sums of rows,
/// on either space.
///
/// Exec      In parallel over rows in the memory of the space, at most 24 rounds, each with a readback; on Cuda without
///           one in the first rounds. Waits.
/// Requires  Canonical rows; a symmetric matrix.
/// Source    Notay, ETNA 37 (2010) 123 (pairs by the largest coupling); Napov & Notay, SIAM J. Sci. Comput. 34 (2012)
///           A1079 (quality of groups); Naumov et al., SIAM J. Sci. Comput. 37 (2015) S602 (rows that choose each
///           other).
template <class Space, class T>
Pairs<Space, T> pair_up(const Space& space, const CsrView<T>& a, LoneRows lone, const GroupSizes<Space, T>& sizes = {});

}  // namespace ostinato::algebraic
