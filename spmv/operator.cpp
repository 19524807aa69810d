// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/operator_definition.hpp>

namespace ostinato {

template class Operator<Host, float>;
template class Operator<Host, double>;
template class Operator<Cuda, float>;
template class Operator<Cuda, double>;

}  // namespace ostinato
