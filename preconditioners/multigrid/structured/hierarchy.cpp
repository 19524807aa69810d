// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

#define OSTINATO_INSTANTIATE_SPACES(Space)                                                           \
  template class Field<Space>;                                                                       \
  template struct Level<Space>;                                                                      \
  template bool GridPlan<Space>::measure();                                                          \
  template GridPlan<Space>::GridPlan(const Space&, const Grid&, const std::vector<double>&, double); \
  template class Hierarchy<Space>
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T)                                             \
  template GridPlan<Space>::GridPlan(const Analysis<Space, T>&, const Grid&, int); \
  template GridPlan<Space>::GridPlan(const StencilOperator<Space, T>&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::multigrid
