// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::algebraic {

/// The inverse of a small matrix, row by row. Where constants solve A x = 0 and x^T A = 0 but for rounding, the
/// pseudo-inverse: constants give 0. A pivot that is 0 but for rounding counts as infinite, so that its unknown gets 0.
/// The result is symmetric where A is symmetric, and semidefinite where A is; of a matrix whose null space has several
/// vectors it is the inverse of as many rows and columns as there are independent ones.
///
/// `rounding`: of a pivot, in the diagonal entry of a symmetric matrix, or in the largest entry of another one.
/// Traffic   Takes n^3 operations on the calling thread where A is symmetric, else 2 n^3; up to three times as many
///           where A is singular.
/// Source    Gauss-Jordan elimination with the largest pivots on the diagonal of a symmetric matrix, else of a column.
std::vector<double> coarse_inverse(const Csr<double>& a, double rounding = 1e-10);

}  // namespace ostinato::algebraic
