// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

#define OSTINATO_INSTANTIATE_SPACES(Space) template class Cycle<Space>
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T) template void Cycle<Space>::apply_to(Strided<const T>, Strided<T>, double*) const
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
