// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/row_errors_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

template void for_each(const Cuda&, std::size_t, detail::LargestElement<Atomic<Cuda>, float>);
template void for_each(const Cuda&, std::size_t, detail::LargestElement<Atomic<Cuda>, double>);
template void sum_rows(const Cuda&, std::size_t, Offset, detail::CompareRows<Atomic<Cuda>, float>, double*);
template void sum_rows(const Cuda&, std::size_t, Offset, detail::CompareRows<Atomic<Cuda>, double>, double*);

}  // namespace ostinato
