// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/stencil/stencil_operator_definition.hpp>

#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class StencilOperator<Host, float>;
template class StencilOperator<Host, double>;
template class StencilOperator<Cuda, float>;
template class StencilOperator<Cuda, double>;

}  // namespace ostinato
