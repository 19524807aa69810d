// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/row_facts_steps.hpp>
#include <ostinato_generated/parallel_cuda.hpp>

namespace ostinato {

template void sum_rows(const Cuda&, std::size_t, Offset, detail::FindRows<Atomic<Cuda>, float>, double*);
template void sum_rows(const Cuda&, std::size_t, Offset, detail::FindRows<Atomic<Cuda>, double>, double*);
template void for_each(const Cuda&, std::size_t, detail::FindAsymmetry<Atomic<Cuda>, float>);
template void for_each(const Cuda&, std::size_t, detail::FindAsymmetry<Atomic<Cuda>, double>);

}  // namespace ostinato
