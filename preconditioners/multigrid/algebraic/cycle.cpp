// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/cycle_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

#define OSTINATO_INSTANTIATE(Space)                                                                    \
  template multigrid::Cycle<Space> make_cycle(const Space&, const std::vector<AlgebraicLevel<Space>>&, \
                                              const LinearMap<Space, float>*, double, Smoother, int,   \
                                              std::optional<InnerLevels>);                             \
  template InnerLevels choose_inner_levels<Space>(const std::vector<Offset>&, bool, bool);             \
  template void renew_smoothers(const multigrid::Cycle<Space>&, Smoother)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
