// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

#define OSTINATO_INSTANTIATE(Space, T)                                                                             \
  template Aggregation<Space, T> aggregate(const Space&, const SpaceCsr<Space, T>&, const Points&, double, double, \
                                           Coupling)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
