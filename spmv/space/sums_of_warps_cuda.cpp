// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/sums_of_warps.hpp>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

SumsOfWarps::SumsOfWarps(const Cuda& space, double* sums) : space_(space) { space_.state().of_warps = sums; }
SumsOfWarps::~SumsOfWarps() { space_.state().of_warps = nullptr; }

}  // namespace ostinato
