// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "on_cuda.hpp"

#include <cstdio>

#include <ostinato/spmv/space/cuda.hpp>

bool show_on_cuda(const ostinato::Csr<double>&) {
  std::printf("no GPU: %s\n", ostinato::Cuda::why_absent().c_str());
  return true;
}
