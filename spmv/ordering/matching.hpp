// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// A maximum-product matching of the rows of a square matrix with its columns, and the scaling that belongs to it.
///
/// With r = row_scale and c = col_scale, every |r(i) a(i, j) c(j)| is at most 1, and 1 for the matched entries. The
/// matching has as many entries as any, and of those that match the same rows the largest product of absolute values.
/// Scales may overflow or become 0 where values are near the ends of the range of double.
struct Matching {
  std::vector<Index> col_of_row;  ///< a permutation; rows without a partner take the columns that are left, in order
  std::vector<Index>
      unmatched;  ///< rows that no entry could be found for, ascending; empty unless structurally singular
  std::vector<double> row_scale;
  std::vector<double> col_scale;

  bool is_structurally_singular() const { return !unmatched.empty(); }
};

/// Finds a maximum-product matching. Entries that are 0 count as absent.
///
/// Exec      On the calling thread. A heuristic matches most rows, and shortest augmenting paths the others: mostly
///           some products' time, but in the worst case rows x entries.
/// Requires  A matrix that check() doesn't refuse; it isn't asked. Finite values, no duplicates in a row.
/// Throws    DimensionError when the matrix isn't square; Stopped once `stop` is made.
/// Source    Duff & Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973-996, job 5 of MC64.
Matching max_product_matching(const CsrView<double>& a, const StopRequest& stop = {});

}  // namespace ostinato
