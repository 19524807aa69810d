// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/rearrangement_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class Rearrangement<Host, float>;
template class Rearrangement<Host, double>;
template class Rearrangement<Cuda, float>;
template class Rearrangement<Cuda, double>;

}  // namespace ostinato
