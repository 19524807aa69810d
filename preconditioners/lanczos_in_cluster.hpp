// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// All steps of the Lanczos method of EigenvalueSearch for a small matrix in one kernel, on a cluster of thread blocks
/// which wait for each other. As kernels of their own they are so short that the host needs longer to launch them.
/// Returns false, and does nothing, for more than 2^18 entries, for a vector of more than 96 KB, and on a GPU without
/// clusters.
///
/// Shapes    `slots`: LanczosSlots::count(steps) elements in the memory of the GPU.
/// Exec      Enqueued. The same bits on every run.
/// Traffic   Each step reads the matrix and some vectors, from the cache of the GPU.
template <class T>
bool lanczos_in_cluster(const Cuda& space, const CsrView<T>& a, const Vector<Cuda, T>& inverse, int steps, double sign,
                        double* slots);

}  // namespace ostinato::detail
