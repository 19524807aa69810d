// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato {

struct IlukOptions {
  int level = 0;        ///< fill entries that come from at most so many fill entries are kept; 0: the pattern of A
  double boost = 1e-8;  ///< pivots below this share of the largest value in a row of A are raised to that (raise())
};

/// Factors a square matrix row by row, keeping the entries of a pattern: ILU(0) that of A, ILU(k) its fill of level k.
/// The number of entries is announced once the pattern is known, before their values take memory.
///
/// Exec      On the calling thread.
/// Requires  Canonical rows, finite values. A diagonal entry that A lacks is taken as 0.
/// Throws    TooManyEntries; what memory.announce throws; Stopped once `stop` is made.
/// Source    Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, sections 10.3.2 and 10.3.3.
Factors factor_iluk(const CsrView<double>& a, const IlukOptions& options, const FactorMemory& memory = {},
                    const StopRequest& stop = {});

}  // namespace ostinato
