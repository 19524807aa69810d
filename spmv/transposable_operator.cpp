// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/transposable_operator_definition.hpp>

namespace ostinato {

template class TransposableOperator<Host, float>;
template class TransposableOperator<Host, double>;
template class TransposableOperator<Cuda, float>;
template class TransposableOperator<Cuda, double>;

}  // namespace ostinato
