// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// The sum A + s B, as a plan that takes new values and another s (update()). The sum has an entry wherever A or B has
/// one, also where they cancel.
///
/// Shapes    A, B and result(): m x n, with ascending columns.
/// Traffic   Reads the patterns of A and B three times with the constructor; update() reads A and B and writes the
///           values of the sum.
/// Exec      The constructor waits on Cuda. The same bits on every run and with any number of threads; Host and Cuda
///           may round differently. One thread merges a row, so that on Cuda a single long row takes some 20 ns an
///           entry.
/// Throws    DimensionError that names both shapes; DeviceError; std::bad_alloc.
template <class Space, class T>
class MatrixSum {
 public:
  MatrixSum(const Space& space, const SpaceCsr<Space, T>& a, T s, const SpaceCsr<Space, T>& b);

  /// A + s B. Copies share its arrays, so that update() changes the values of all copies.
  const SpaceCsr<Space, T>& result() const { return result_; }

  /// Computes the values for matrices with the patterns of A and B. Allocates nothing.
  ///
  /// Exec      Enqueued on Cuda.
  /// Requires  The patterns of A and B. Only shapes and numbers of entries are checked.
  /// Throws    DimensionError for other shapes or numbers of entries.
  void update(const SpaceCsr<Space, T>& a, T s, const SpaceCsr<Space, T>& b);

 private:
  Space space_;
  Offset a_nonzeros_, b_nonzeros_;
  std::shared_ptr<CsrStorage<Space, T>> arrays_;
  SpaceCsr<Space, T> result_;
};

/// A + s B in arrays of its own. As MatrixSum.
template <class Space, class T>
SpaceCsr<Space, T> add(const Space& space, const SpaceCsr<Space, T>& a, T s, const SpaceCsr<Space, T>& b) {
  return MatrixSum<Space, T>(space, a, s, b).result();
}

}  // namespace ostinato
