// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// What some steps of a Krylov method know about the ends of a spectrum: `smallest` isn't smaller and `largest` isn't
/// larger than the true ends, but for rounding. So largest / smallest, where both are positive, is a lower bound of the
/// condition.
struct SpectrumEnds {
  double smallest = 0;
  double largest = 0;
  int steps = 0;
  bool settled = false;  ///< both ends changed by at most 5 % over the second half of the steps
};

/// The ends of the eigenvalues of S A S, where S = diag(scale), by the Lanczos method from a fixed random vector. Up to
/// 500 rows with reorthogonalisation, in n steps at most; above without it, which repeats eigenvalues and moves them by
/// rounding alone. Ends early where neither end changes any more.
///
/// Shapes    A: n x n, symmetric. scale: n, or empty: A itself.
/// Exec      On the calling thread. A product and five passes over vectors a step.
/// Traffic   Four vectors, and two numbers a step; up to 500 rows, a vector a step.
/// Requires  Canonical rows, finite values.
/// Source    Lanczos, J. Res. Nat. Bur. Standards 45 (1950) 255; Paige, Linear Algebra Appl. 34 (1980) 235.
SpectrumEnds eigenvalue_ends(const CsrView<double>& a, std::span<const double> scale, int most_steps);

/// A vector of length 1 near the eigenvector of the smallest eigenvalue of S A S, from the steps of eigenvalue_ends().
/// Empty where that takes no step.
///
/// Shapes, Requires  As eigenvalue_ends().
/// Exec      As eigenvalue_ends(), which is done twice: no vector is kept.
std::vector<double> lowest_ritz_vector(const CsrView<double>& a, std::span<const double> scale, int most_steps);

/// The iterations of CG until the residual of S A S y = S b is at most rtol times what it was, by the Lanczos method,
/// for the b = A x of a fixed random x. Nothing where that takes more than `most_steps`.
///
/// Shapes, Exec, Requires  As eigenvalue_ends(); S A S is positive or negative definite.
/// Source    Saad, Iterative methods for sparse linear systems (2003), section 6.7: the residuals of CG are the
///           products of the elements beside the diagonal over the pivots of the tridiagonal matrix.
std::optional<int> cg_iterations(const CsrView<double>& a, std::span<const double> scale, double rtol, int most_steps);

/// The ends of the singular values of R A C, where R = diag(row_scale) and C = diag(col_scale), by Golub-Kahan
/// bidiagonalisation from a fixed random vector, with reorthogonalisation as there. Of a matrix with more columns than
/// rows, those of the transpose.
///
/// Shapes    row_scale: rows or empty. col_scale: cols or empty.
/// Exec      On the calling thread. A product with A and one with A^T a step.
/// Source    Golub & Kahan, SIAM J. Numer. Anal. B 2 (1965) 205.
SpectrumEnds singular_value_ends(const CsrView<double>& a, std::span<const double> row_scale,
                                 std::span<const double> col_scale, int most_steps);

}  // namespace ostinato
