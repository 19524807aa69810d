// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/instantiate.cuh>
#include <ostinato/spmv/team/halo_steps.hpp>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::Pick)
OSTINATO_FOR_EACH_ON_CUDA(detail::Put)

}  // namespace ostinato
