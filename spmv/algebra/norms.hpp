// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// norms[i] := the 2-norm of row i of A, at most the largest double; NaN where the row holds NaN or infinity. The
/// squares neither overflow nor underflow.
///
/// Shapes    A: m x n, norms: m, in the memory of the space.
/// Traffic   Reads the values twice, and writes norms.
/// Exec      Enqueued on Cuda. The same bits on every run. One thread adds up a row.
/// Throws    DimensionError that names both lengths.
template <class Space, class T>
void row_norms(const Space& space, const CsrView<T>& a, std::span<double> norms);

}  // namespace ostinato
