// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation_definition.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato::algebraic {

OSTINATO_CLASS(PlainAggregation);

}  // namespace ostinato::algebraic
