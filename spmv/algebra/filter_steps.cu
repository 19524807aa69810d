// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/filter_steps.hpp>
#include <ostinato/spmv/space/cuda/instantiate.cuh>

namespace ostinato {

OSTINATO_FOR_EACH_ON_CUDA(detail::CountFiltered)
OSTINATO_FOR_EACH_ON_CUDA(detail::FillFiltered)

}  // namespace ostinato
