// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The generic products with a dense matrix, on several GPUs. One GPU has kernels of its own (multi_vector.cu).

#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/space/multi_vector_definition.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(T)                       \
  OSTINATO_PARTS_OF_ON_CUDA(detail::Projection<8, T>) \
  OSTINATO_PARTS_OF_ON_CUDA(detail::ProjectPair<4, T>)
OSTINATO_INSTANTIATE(float)
OSTINATO_INSTANTIATE(double)
#undef OSTINATO_INSTANTIATE
OSTINATO_PARTS_ON_CUDA(detail::ConcludeStep)
OSTINATO_PARTS_ON_CUDA(detail::OrthogonalisePair)
OSTINATO_FOR_EACH_ON_CUDA(detail::AddColumns)

}  // namespace ostinato
