// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

#define OSTINATO_INSTANTIATE(Space, T)                                                                      \
  template SpaceCsr<Space, T> interpolation(const Space&, const CsrView<T>&, const Coarsening<Space>&, int, \
                                            const StopRequest&);                                            \
  template SpaceCsr<Space, T> truncated(const Space&, const CsrView<T>&, int)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
