// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template struct AlgebraicLevel<Host>;
template struct AlgebraicLevel<Cuda>;
template class AlgebraicHierarchy<Host, float>;
template class AlgebraicHierarchy<Host, double>;
template class AlgebraicHierarchy<Cuda, float>;
template class AlgebraicHierarchy<Cuda, double>;

}  // namespace ostinato::algebraic
