// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

template class Cycle<Host>;
template class Cycle<Cuda>;

#define OSTINATO_INSTANTIATE(Space, T) template void Cycle<Space>::apply_to(Strided<const T>, Strided<T>, double*) const
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::multigrid
