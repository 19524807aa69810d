// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/factored_definition.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE_COPY(Space, T) template Csr<double> host_copy(const Space&, const SpaceCsr<Space, T>&)
#define OSTINATO_INSTANTIATE(Space, T, V) template class Factored<Space, T, V>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE_COPY);
OSTINATO_FOR_ALL_MIXED(OSTINATO_INSTANTIATE);

}  // namespace ostinato
