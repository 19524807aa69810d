// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/ordering/bandwidth.hpp>

namespace ostinato {

/// In which order complete factors with pivoting are made.
struct LuOrder {
  Ordering order = Ordering::natural;  ///< natural, rcm, colamd or nd
  std::vector<Index> row;              ///< at each place; empty: that of the matrix
  double seconds = 0;                  ///< predicted for the factors, the order itself left out
};

/// Chooses by predicted time. An order that takes time itself is looked at where the best so far would take twice that
/// time or more:
///   natural   where the entries are in a narrow band as they are,
///   rcm       where reverse Cuthill-McKee shows a narrow band,
///   colamd    in builds with SuiteSparse, where no band is narrow: its prediction is a bound, whatever the pivots,
///   nd        in builds with METIS, where the others take so long that METIS doesn't count, unless they take more than
///             `most` seconds; and where most rows are dominated by their diagonal, so that hardly any column changes
///             its place.
///
/// Exec      On the calling thread.
/// Requires  A square matrix with canonical rows, finite values.
/// Throws    Stopped once `stop` is made.
LuOrder choose_lu_order(const CsrView<double>& a, double most = HUGE_VAL, const StopRequest& stop = {});

/// natural or rcm, whichever makes the narrower band, where complete factors of that band take less time than nested
/// dissection; otherwise nothing.
std::optional<LuOrder> choose_band_order(const CsrView<double>& a);

/// Predicted time for complete factors of a band with pivoting, and to get them ready for solves.
/// Model     Set-ups of `lu` on a Xeon of 2023 with Debian's LAPACK, 1,000 to 200,000 rows, bands of 1 to 100 diagonals
///           on a side: within a factor of 2.
double band_seconds(Index rows, const Bandwidth& band);

/// The same for sparse factors with so many entries, made by so many multiplications.
double sparse_lu_seconds(Index rows, double entries, double multiplications);

/// The same for a matrix of which the structure alone is known: a band of its farthest entries, or what a mesh of two
/// dimensions takes. 0: a diagonal matrix, for which factors are no use.
double typical_lu_seconds(const Structure& s);

}  // namespace ostinato
