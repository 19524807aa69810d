// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::algebraic {

template class PlainAggregation<Host, float>;
template class PlainAggregation<Host, double>;
template class PlainAggregation<Cuda, float>;
template class PlainAggregation<Cuda, double>;

}  // namespace ostinato::algebraic
