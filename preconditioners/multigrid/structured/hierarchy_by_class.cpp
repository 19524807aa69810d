// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy_by_class_definition.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato::multigrid {

#define OSTINATO_INSTANTIATE(Space)                                                                       \
  template bool GridPlan<Space>::plan_by_class(const std::vector<double>&, const std::function<bool()>&); \
  template void Hierarchy<Space>::take_classes(GridPlan<Space>&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::multigrid
