// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::algebraic {

/// The inverse of a small matrix, row by row. Where constants solve A x = 0 and x^T A = 0 but for rounding, the pseudo-inverse: constants
/// give 0. A pivot that is 0 but for rounding counts as infinite, so that its unknown gets 0.
///
/// Traffic   Takes 2 n^3 operations on the calling thread.
/// Source    Gauss-Jordan elimination with row pivoting.
std::vector<double> coarse_inverse(const Csr<double>& a);

}  // namespace ostinato::algebraic
