// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/sums_of_blocks.hpp>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

SumsOfBlocks::SumsOfBlocks(const Cuda& space, double* sums) : space_(space) { space_.state().of_blocks = sums; }
SumsOfBlocks::~SumsOfBlocks() { space_.state().of_blocks = nullptr; }

}  // namespace ostinato
