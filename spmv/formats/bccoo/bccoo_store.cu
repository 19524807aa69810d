// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo/bccoo_build.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::formats {

template class BccooStore<Cuda, float>;
template class BccooStore<Cuda, double>;

}  // namespace ostinato::formats
