// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {

/// A pattern whose entries are entries of a matrix A: entry k is entry from[k] of A.
template <class Space>
struct MovedPattern {
  Index rows = 0;
  Index cols = 0;
  Vector<Space, Offset> row_ptr;
  Vector<Space, Index> col;
  Vector<Space, Offset> from;
};

}  // namespace detail

/// A matrix whose entries are entries of a matrix A in other places, such as the transpose of A, and the plan by which
/// the values are taken from A again after they have changed.
///
/// Layout    The result, and 8 bytes per entry of the result for the plan.
template <class Space, class T>
class Rearrangement {
 public:
  /// The rearranged matrix. Copies share its arrays, so that update() changes the values of all copies.
  const SpaceCsr<Space, T>& result() const { return result_; }

  /// Takes the values of a matrix with the pattern of A.
  ///
  /// Traffic   Per entry of the result, reads 8 + sizeof(T) bytes and writes sizeof(T). Allocates nothing.
  /// Exec      Enqueued on Cuda.
  /// Requires  The pattern of A. Only shape and number of entries are checked.
  /// Throws    DimensionError for another shape or number of entries.
  void update(const SpaceCsr<Space, T>& a);

 protected:
  Rearrangement(const Space& space, const SpaceCsr<Space, T>& a, detail::MovedPattern<Space> moved);

 private:
  Space space_;
  Index rows_, cols_;  ///< the shape of A
  Offset nonzeros_;    ///< entries of A
  Vector<Space, Offset> from_;
  std::shared_ptr<CsrStorage<Space, T>> arrays_;
  SpaceCsr<Space, T> result_;
};

}  // namespace ostinato
