// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/rearrangement.hpp>

namespace ostinato {

/// The transpose of a matrix, as a plan that takes new values of A (update()).
///
/// Shapes    A: m x n. result(): n x m, with ascending columns.
/// Traffic   Host: reads the columns of A twice. Cuda: a stable radix sort of the columns, in up to 4 passes of some 32
///           bytes per entry. Peak memory beside A and the plan: Host 8 bytes per column and thread, at most 8 per
///           entry and column; Cuda 32 bytes per entry.
/// Exec      The constructor waits on Cuda. The same bits on every run, with any number of threads, on either space.
/// Throws    DeviceError; std::bad_alloc.
template <class Space, class T>
class MatrixTranspose : public Rearrangement<Space, T> {
 public:
  MatrixTranspose(const Space& space, const SpaceCsr<Space, T>& a);
};

/// The transpose of A in arrays of its own. As MatrixTranspose.
template <class Space, class T>
SpaceCsr<Space, T> transpose(const Space& space, const SpaceCsr<Space, T>& a) {
  return MatrixTranspose<Space, T>(space, a).result();
}

namespace detail {

struct CsrPattern;

/// The pattern of the transpose of a matrix with `cols` columns and `nonzeros` entries, with ascending columns.
MovedPattern<Host> transposed(const Host& space, const CsrPattern& a, Index cols, Offset nonzeros);
MovedPattern<Cuda> transposed(const Cuda& space, const CsrPattern& a, Index cols, Offset nonzeros);
template <class Space>
MovedPattern<Space> transposed(const Space& space, const CsrPattern& a, Index cols, Offset nonzeros);

}  // namespace detail

}  // namespace ostinato
