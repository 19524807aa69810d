// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarsening_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template Coarsening<Host> coarsen(const Host&, const detail::CsrPattern&, Offset);
template Coarsening<Cuda> coarsen(const Cuda&, const detail::CsrPattern&, Offset);
template void number_coarse(const Host&, Coarsening<Host>&);
template void number_coarse(const Cuda&, Coarsening<Cuda>&);

#define OSTINATO_INSTANTIATE(Space, T) \
  template Coarsening<Space> coarsen(const Space&, const CsrView<T>&, const CoarseningOptions&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
