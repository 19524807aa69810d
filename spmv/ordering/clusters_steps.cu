// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/clusters_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_OF_ON_CUDA(detail::MarkFirstRows)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::SpreadClusters<Atomic<Cuda>>)
template void sum(const Cuda&, std::size_t, detail::CountUnreached, double*);
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::NumberRows)
OSTINATO_FOR_EACH_OF_ON_CUDA(detail::ClusterKeys)

}  // namespace ostinato
