// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

#define OSTINATO_INSTANTIATE(Space)                                                                                   \
  template Cycle<Space> make_cycle(const Space&, const Grid&, std::shared_ptr<const Hierarchy<Space>>, Smoother, int, \
                                   std::size_t);                                                                      \
  template std::size_t predicted_bytes(const Space&, const std::vector<Level<Space>>&, int);                          \
  template double rate_on_grid(const Space&, const Hierarchy<Space>&, const Cycle<Space>&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
