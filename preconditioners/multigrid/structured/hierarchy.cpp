// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_definition.hpp>

#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

template class Field<Host>;
template class Field<Cuda>;
template struct Level<Host>;
template struct Level<Cuda>;
template class Hierarchy<Host>;
template class Hierarchy<Cuda>;

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template Hierarchy<Space>::Hierarchy(const Analysis<Space, T>&, const Grid&, int, const GridPlan<Space>&); \
  template Hierarchy<Space>::Hierarchy(const StencilOperator<Space, T>&, const GridPlan<Space>&);
OSTINATO_INSTANTIATE(Host, float)
OSTINATO_INSTANTIATE(Host, double)
OSTINATO_INSTANTIATE(Cuda, float)
OSTINATO_INSTANTIATE(Cuda, double)

#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::multigrid
