// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// Rows in pairs.
template <class Space>
struct Pairs {
  Vector<Space, Index> of;  ///< pair of each row; -1 for a row that is left out
  Index count = 0;
};

/// What becomes of rows that have no partner.
enum class LoneRows {
  leave,  ///< a row joins a pair; rows whose diagonal is at least 1.25 times the sum of the other entries are left out
  keep,   ///< a row stays alone, which leaves smaller groups
};

/// Puts each row together with the free one to which it is coupled most strongly, in rounds: two rows that choose each
/// other are a pair. The weight of rows i and j is -a_ij / sqrt(a_ii a_jj), with the sign of the diagonal; rows whose
/// weight is less than a tenth of the largest of either aren't paired. Weights whose three leading bits agree count as
/// equal, and a hash of the two numbers decides between equals, so that a few rounds do. `lone` says what becomes of the
/// others. The same on every run, with any number of threads, and, but for the rounding of weights, on either space.
///
/// Exec      In parallel over rows in the memory of the space, at most 24 rounds, each with a readback. Waits.
/// Requires  Canonical rows; a symmetric matrix.
/// Source    Notay, ETNA 37 (2010) 123 (pairs by the largest coupling); Naumov et al., SIAM J. Sci. Comput. 37 (2015) S602
///           (rows that choose each other).
template <class Space, class T>
Pairs<Space> pair_up(const Space& space, const CsrView<T>& a, LoneRows lone);

}  // namespace ostinato::algebraic
