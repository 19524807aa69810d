// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// Rows of a matrix that equal an earlier one, entry by entry.
struct EqualRows {
  Index count = 0;
  Index first = -1, as = -1;  ///< the first of them, and the row that it equals, from 0
};

/// Traffic   On a GPU the matrix is downloaded. Reads it once, and 12 bytes a row.
/// Exec      On the calling thread.
/// Requires  Canonical rows.
template <class Space, class T>
EqualRows equal_rows(const Space& space, const CsrView<T>& a);

/// Whether a symmetric matrix may have equal rows, other than rows without entries. Two such rows have four equal
/// entries, of which two are on the diagonal. So this asks whether an entry equals the diagonal one of its row, or
/// whether there is none.
///
/// Traffic   Reads values and columns once, and the diagonal a second time.
/// Exec      In parallel on the space. Waits for the result.
template <class Space, class T>
bool may_have_equal_rows(const Space& space, const CsrView<T>& a);

}  // namespace ostinato
