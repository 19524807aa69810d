// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggressive_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

#define OSTINATO_INSTANTIATE(Space, T)                                                                                \
  template Coarsening<Space> coarsen_twice(const Space&, const CsrView<T>&, const CoarseningOptions&,                 \
                                           const StopRequest&);                                                       \
  template SpaceCsr<Space, T> multipass_interpolation(const Space&, const CsrView<T>&, const Coarsening<Space>&, int, \
                                                      const StopRequest&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
