// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarsening_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

#define OSTINATO_INSTANTIATE_SPACES(Space)                                             \
  template Coarsening<Space> coarsen(const Space&, const detail::CsrPattern&, Offset); \
  template void number_coarse(const Space&, Coarsening<Space>&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T) \
  template Coarsening<Space> coarsen(const Space&, const CsrView<T>&, const CoarseningOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
