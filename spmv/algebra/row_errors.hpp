// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// How well x solves each equation of A x = b by itself.
struct RowErrors {
  /// The row-wise (componentwise) backward error: the largest |r(i)| / (|A| |x| + |b|)(i). x solves a system exactly
  /// whose entries each differ from those of A and b by this share.
  double componentwise = 0;
  /// The same for changes as large as a share of the row: the largest |r(i)| / (||a(i)||_1 ||x||_inf + |b(i)|).
  double by_row = 0;
  /// Equations that aren't solved: |r(i)| is over a tenth of their own terms, (|A| |x| + |b|)(i), and over `tolerance`
  /// of their row, as in by_row. So equations of a region where x is next to nothing don't count.
  Index unsolved = 0;
};

/// Looks at the residual r = b - A x, row by row, with sums in double precision.
///
/// Shapes    A: m x n, x: n, b: m, all in the memory of the space, and finite.
/// Traffic   Reads the matrix once, as a product does.
/// Exec      Waits for the result. The same bits on every run, with any number of threads.
/// Source    Oettli & Prager, Numer. Math. 6 (1964) 405; Arioli, Demmel & Duff, SIAM J. Matrix Anal. Appl. 10 (1989)
///           165.
template <class T, class Space>
RowErrors row_errors(const Space& space, const CsrView<T>& a, In<T> x, In<T> b, double tolerance);

/// The largest |x(i) - value|; NaN where x holds NaN.
///
/// Exec      Waits for the result.
template <class T, class Space>
double largest_difference(const Space& space, In<T> x, double value);

}  // namespace ostinato
