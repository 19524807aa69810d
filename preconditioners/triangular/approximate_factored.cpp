// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/approximate_factored_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T, V) template class ApproximateFactored<Space, T, V>
OSTINATO_FOR_ALL_MIXED(OSTINATO_INSTANTIATE);

}  // namespace ostinato
