// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

/// What solvers know of a matrix. They read it at the start and at the checks of a solve, and trust it. For an operator
/// of your own, rows, longest_row and mean_row have to be right; a member that you don't know keeps its value.
///
/// Without facts an operator isn't scaled, "auto" takes it for nonsymmetric, its rows count as 16 terms, and the
/// backward error is NaN.
struct Facts {
  Index rows = 0;
  Index cols = 0;
  Offset nonzeros = 0;  ///< stored entries, explicit zeros included
  /// The most terms, and the mean number of terms, that a product adds up for an element: with norm_inf they say how
  /// large the rounding of b - A x may be.
  Index longest_row = 0;
  double mean_row = 0;
  Index empty_rows = 0;
  /// The pattern is symmetric, and mirrored values are equal: "auto" begins with CG or MINRES, which don't converge
  /// reliably where this isn't true, and the rounding is taken to be smaller.
  bool symmetric = false;
  Index missing_diagonal = 0;      ///< rows without an entry on the main diagonal, or with 0 there
  bool positive_diagonal = false;  ///< every main diagonal entry is > 0: "auto" begins with CG if A is symmetric, too
  bool negative_diagonal = false;  ///< every main diagonal entry is < 0: CG solves -A x = -b
  bool finite = true;              ///< no NaN, no infinity; a matrix with such isn't scaled
  /// Largest sum of absolute values in a row, or a little more; NaN when it isn't known. A matrix whose norm is far
  /// from 1 is scaled by it, and the backward error is relative to it. With a value that is too small, rounding may
  /// hide a residual.
  double norm_inf = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace ostinato
