// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of coarse_inverse.hpp.

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato {

class Cuda;

namespace algebraic {

constexpr Index most_inverted_in_block = 128;  ///< most rows of a matrix that a thread block inverts

/// The last level's matrix and where its inverse goes. The pointers are to memory of the space.
template <class T>
struct CoarsestMatrix {
  detail::CsrPattern a;
  const T* val;
  const double* size;  ///< as SumSizes; null: unknown
  double factor;       ///< of all values
  double rounding;     ///< a diagonal entry of at most so much of `size` counts as 0
  double no_pivot;     ///< `rounding` of coarse_inverse()
  double least_pivot;  ///< the least part that a pivot may have of its diagonal entry
  double* full;        ///< room for rows * rows values
  float* inverse;      ///< row by row
  int* is_made;
};

/// Inverts a symmetric matrix of 1 .. most_inverted_in_block rows in one thread block, with the inverse of
/// coarse_inverse() but for rounding, where that is safe without a choice of pivots: where the matrix is definite, or
/// would be so but for constants, and no pivot is small. *is_made := 1 then; otherwise, and where the inverse isn't
/// finite in float, *is_made := 0, and the inverse is of no use.
///
/// Traffic   n^3 operations in the registers of the thread block, which waits once for each row.
/// Exec      Enqueued.
template <class T>
void invert_in_block(const Cuda& space, const CoarsestMatrix<T>& m);

}  // namespace algebraic
}  // namespace ostinato
