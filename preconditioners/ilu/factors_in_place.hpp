// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Factors L and U in the memory of a space, at the places of the entries of the matrix that was factored. Of IC(0), L
/// has ones on its diagonal, too, D is the pivots, and U = D L^T.
///
/// Requires  The ZeroFill that made the object, and the matrix, outlive it: the pattern is theirs.
template <class Space>
struct FactorsInPlace {
  Index rows;
  const Offset* row_ptr;      ///< rows + 1, of the matrix that was factored
  const Index* col;           ///< of each entry, ascending in a row
  const Offset* after;        ///< the first entry of each row past the diagonal
  const Index* row;           ///< the row of A at each place; null: the same
  Vector<Space, double> val;  ///< of each entry; those below the diagonal are L's, without its ones
  /// Of each entry; those past the diagonal are U's, of IC(0) those of L^T. Behind them the pivots, one for each row.
  Vector<Space, double> upper;
  Index boosted = 0;  ///< pivots that were raised
  double shift = 0;   ///< A + shift diag(A) was factored

  const double* pivot() const { return upper.data() + val.size(); }
};

}  // namespace ostinato
