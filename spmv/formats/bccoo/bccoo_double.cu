// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo/bccoo_kernel.cuh>

namespace ostinato::formats {

template void bccoo_apply(const Cuda&, const BccooView<double>&, const Product<double>&);

}  // namespace ostinato::formats
