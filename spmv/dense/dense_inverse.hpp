// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ostinato {

/// The inverse of a small dense matrix of n rows of n, row by row. Where constants solve A x = 0 and x^T A = 0 but for
/// rounding, the pseudo-inverse: constants give 0. A pivot that is 0 but for rounding counts as infinite, so that its
/// unknown gets 0. The result is symmetric where A is symmetric, and semidefinite where A is; of a matrix whose null
/// space has several vectors it is the inverse of as many rows and columns as there are independent ones.
///
/// `rounding`: of a pivot, in the diagonal entry of a symmetric matrix, or in the largest entry of another one.
/// Traffic   Takes n^3 operations on the calling thread where A is symmetric, else 2 n^3; up to three times as many
///           where A is singular.
/// Source    Gauss-Jordan elimination with the largest pivots on the diagonal of a symmetric matrix, else of a column.
std::vector<double> pseudo_inverse(std::vector<double> m, std::size_t n, double rounding);

/// The inverse of a dense matrix of n rows of n, which was rounded to float, by the same elimination.
///
/// may_lift  Whether a symmetric matrix that isn't positive definite gets the little on its diagonal that makes it so:
///           no more than the rounding of an operator in float may have taken away.
/// Throws    ArgumentError for a singular matrix.
std::vector<double> dense_inverse(std::vector<double> m, std::size_t n, bool may_lift);

}  // namespace ostinato
