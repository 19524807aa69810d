// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato {

struct IlutOptions {
  double drop = 1e-4;  ///< entries of A - L U up to this share of the largest value in a row of A are left out; 0: none
  double fill = 10;    ///< entries of L and U at most, as a multiple of those of A; infinite: no limit
  double pivot =
      0.1;  ///< columns change places where a diagonal entry is less than this share of the largest in its row
            ///< of U; 0: never
  double boost = 1e-8;  ///< pivots below this share of the largest value in a row of A are raised to that (raise())
  Index most_raised = std::numeric_limits<Index>::max();  ///< the factors end with the row that raises more pivots
};

/// Factors a square matrix row by row, without its smallest entries, and with pivoting by columns (ILUTP). With drop =
/// 0 and without limit of fill the factors are complete.
///
/// Exec      On the calling thread.
/// Requires  Canonical rows, finite values. Pivoting serves where the rows are scaled alike (prepare()).
/// Throws    std::bad_alloc when the factors have more than `most_entries` entries; Stopped once `stop` is made.
/// Source    Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, sections 10.4.1 to 10.4.4.
Factors factor_ilut(const CsrView<double>& a, const IlutOptions& options,
                    Offset most_entries = std::numeric_limits<Offset>::max(), const StopRequest& stop = {});

}  // namespace ostinato
