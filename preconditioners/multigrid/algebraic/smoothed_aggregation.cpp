// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template class SmoothedAggregation<Host, float>;
template class SmoothedAggregation<Host, double>;
template class SmoothedAggregation<Cuda, float>;
template class SmoothedAggregation<Cuda, double>;

}  // namespace ostinato::algebraic
