// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ostinato {

/// Eigenvalues, from the largest on, and eigenvectors of length 1, which are orthogonal to each other.
struct SymmetricEigenvectors {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};

/// The `most` largest eigenvalues of a small symmetric matrix, whose rows are given, and their eigenvectors. No error
/// is larger than some 1e-15 of the largest eigenvalue in size. None where the matrix isn't finite or squares of its
/// entries overflow.
///
/// Exec      Some 10 n^3 operations, on the calling thread.
/// Source    Householder's reduction to a tridiagonal matrix, and the implicit QL method: Golub & Van Loan, Matrix
///           Computations, 8.3.1 to 8.3.3.
SymmetricEigenvectors symmetric_eigenvectors(std::vector<std::vector<double>> rows, int most);

}  // namespace ostinato
