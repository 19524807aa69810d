// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Factors L U, or L D L^T (IC(0)), in the memory of a space, at the places of the entries of the matrix that was
/// factored. L has ones on its diagonal, which aren't stored.
///
/// Requires  The ZeroFill that made the object, and the matrix, outlive it: the pattern is theirs.
template <class Space>
struct FactorsInPlace {
  Index rows;
  const Offset* row_ptr;      ///< rows + 1, of the matrix that was factored
  const Index* col;           ///< of each entry, ascending in a row
  const Offset* after;        ///< the first entry of each row past the diagonal
  const Index* row;           ///< the row of A at each place; null: the same
  Vector<Space, double> val;  ///< of each entry; those below the diagonal are L's
  /// Of each entry; those past the diagonal are U's or L^T's. Behind them the pivots, one for each row: the diagonal of
  /// U or D.
  Vector<Space, double> upper;
  bool symmetric = false;  ///< L D L^T
  Index boosted = 0;       ///< pivots that were raised
  double shift = 0;        ///< A + shift diag(A) was factored

  const double* pivot() const { return upper.data() + val.size(); }
};

}  // namespace ostinato
