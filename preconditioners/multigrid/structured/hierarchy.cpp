// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

#define OSTINATO_INSTANTIATE_SPACES(Space) \
  template class Field<Space>;             \
  template struct Level<Space>;            \
  template class Hierarchy<Space>
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template Hierarchy<Space>::Hierarchy(const Analysis<Space, T>&, const Grid&, int, const GridPlan<Space>&); \
  template Hierarchy<Space>::Hierarchy(const StencilOperator<Space, T>&, const GridPlan<Space>&);
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::multigrid
