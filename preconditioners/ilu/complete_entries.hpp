// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// How many entries complete factors L and U will have, the ones on the diagonal of L left out.
struct CompleteEntries {
  Offset count = 0;
  double multiplications = 0;  ///< that make them
  /// A has a symmetric pattern and no entry that is 0: there are no fewer, but for values that cancel; pivoting adds
  /// more.
  bool is_sure = false;
};

/// Counts the entries of the factors of A + A^T, in the order of the rows and without pivoting. Stops at twice `most`.
///
/// Exec      On the calling thread, some nanoseconds for each entry counted.
/// Requires  A square matrix with canonical rows.
/// Throws    Stopped once `stop` is made.
/// Source    Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134-172: the rows of L are subtrees of the elimination tree.
CompleteEntries count_complete_entries(const CsrView<double>& a, Offset most, const StopRequest& stop = {});

}  // namespace ostinato
