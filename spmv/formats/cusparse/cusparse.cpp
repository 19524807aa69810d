// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cusparse/cusparse.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>
#include <ostinato/spmv/formats/cusparse/on_gpu.hpp>

namespace ostinato::formats {

namespace {

template <class Space, class T>
using Alg1 = OnGpu<Space, CusparseAlg1, T>;
template <class Space, class T>
using Alg2 = OnGpu<Space, CusparseAlg2, T>;

}  // namespace

OSTINATO_DEFINE_ENTRY(cusparse_alg1, Alg1)
OSTINATO_DEFINE_ENTRY(cusparse_alg2, Alg2)

}  // namespace ostinato::formats
