// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template class PairwiseAggregation<Host, float>;
template class PairwiseAggregation<Host, double>;
template class PairwiseAggregation<Cuda, float>;
template class PairwiseAggregation<Cuda, double>;

}  // namespace ostinato::algebraic
