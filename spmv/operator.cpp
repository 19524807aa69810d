// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/operator.hpp>

namespace ostinato {

template class BasicOperator<Host, float, Formats<Host, float>>;
template class BasicOperator<Host, double, Formats<Host, double>>;
template class BasicOperator<Cuda, float, Formats<Cuda, float>>;
template class BasicOperator<Cuda, double, Formats<Cuda, double>>;

}  // namespace ostinato
