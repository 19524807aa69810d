// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ostinato {

/// A solution of a dense least squares problem.
struct DenseSolution {
  std::vector<double> x;
  int rank = 0;  ///< of A, to working precision
};

/// Whether the library was built with LAPACK, which dense_least_squares() needs.
bool has_dense_least_squares();

/// An x that makes ||b - A x|| smallest, by a complete orthogonal factorisation with column pivoting of A with columns
/// scaled to one size by powers of two. Of several such x it is the one of the smallest norm in that scale. Singular
/// values below `cut` times the largest one count as 0.
///
/// Shapes    A: rows x cols, by columns; b: rows.
/// Exec      On the calling thread; some 4 rows cols^2 operations.
/// Throws    ArgumentError without LAPACK; std::bad_alloc.
/// Source    Golub & Van Loan, Matrix Computations, 4th ed., section 5.5; LAPACK's xGELSY.
DenseSolution dense_least_squares(int rows, int cols, std::vector<double> a, std::vector<double> b, double cut);

}  // namespace ostinato
