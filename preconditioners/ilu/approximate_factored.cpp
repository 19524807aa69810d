// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/approximate_factored_definition.hpp>

#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class ApproximateFactored<Host, float>;
template class ApproximateFactored<Host, double>;
template class ApproximateFactored<Cuda, float>;
template class ApproximateFactored<Cuda, double>;
template class ApproximateFactored<Host, double, float>;
template class ApproximateFactored<Cuda, double, float>;

}  // namespace ostinato
