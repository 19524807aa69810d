// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// In which order a factorisation takes the rows.
enum class Ordering {
  natural,  ///< that of the matrix
  rcm,      ///< reverse Cuthill-McKee: the most accurate incomplete factors
  nd,       ///< nested dissection: little fill, and many rows that don't wait for each other
  amd,      ///< approximate minimum degree: little fill, quickly found; in builds with SuiteSparse
  colamd,   ///< approximate minimum degree of A A^T: little fill whatever the pivots; in builds with SuiteSparse
  best,     ///< nd where the build has METIS, otherwise rcm
  quick,    ///< amd where the build has SuiteSparse, otherwise best
  banded,   ///< natural or rcm where that makes a narrow band (choose_band_order()), otherwise best
  /// For complete factors without pivoting: amd, but best where the factors would have more than 100 entries a row with
  /// amd, because then less fill saves more time than nd takes.
  least_work,
  with_pivots,  ///< for complete factors with pivoting: choose_lu_order()
};

struct PreparationOptions {
  bool match = true;  ///< scale, and move large entries to the diagonal (max_product_matching())
  Ordering order = Ordering::rcm;
  bool equilibrate = false;        ///< without match: scale by powers of 2, such that the columns are of one size
  double most_seconds = HUGE_VAL;  ///< with_pivots: refuses factors that are predicted to take longer
};

/// How a matrix is scaled and permuted before it is factored. Place i holds row row[i] and column col[i] of A.
struct Preparation {
  std::vector<Index> row, col;
  std::vector<double> row_scale, col_scale;  ///< of the rows and columns of A; empty: 1
  std::vector<Index> unmatched;        ///< rows without a place for their diagonal entry: A is structurally singular
  Ordering order = Ordering::natural;  ///< that was taken

  bool is_scaled() const { return !row_scale.empty(); }
};

/// Chooses how to prepare a square matrix.
///
/// Exec      On the calling thread.
/// Requires  Canonical rows, finite values.
/// Throws    ArgumentError when the ordering comes from a library that the build hasn't got, or the factors would take
///           too long; Stopped once `stop` is made.
Preparation prepare(const CsrView<double>& a, const PreparationOptions& options, const StopRequest& stop = {});

/// The matrix, prepared: canonical.
Csr<double> prepared(const CsrView<double>& a, const Preparation& how);

}  // namespace ostinato
