// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

OSTINATO_CLASS(SmoothedAggregation);

}  // namespace ostinato::algebraic
