// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/spmv/dense/tridiagonal.hpp>

namespace ostinato {

/// The condition number of M^-1 A, or of A where there is no M, from below, within a tenth: the ratio of the extreme
/// eigenvalues of the matrix of the Lanczos process that CG is (Iteration::lanczos). Nothing where that isn't positive
/// definite, has few rows, or where its smallest eigenvalue was still falling.
Condition ritz_condition(const Tridiagonal& lanczos, bool has_preconditioner);

}  // namespace ostinato
