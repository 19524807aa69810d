// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/cycle_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template class AlgebraicCycle<Host, float>;
template class AlgebraicCycle<Host, double>;
template class AlgebraicCycle<Cuda, float>;
template class AlgebraicCycle<Cuda, double>;

}  // namespace ostinato::algebraic
