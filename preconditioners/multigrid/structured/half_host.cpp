// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/half_host.hpp>

namespace ostinato {

#define OSTINATO_FOR_HALF_GRID(...) template void for_grid(const Host&, const Extents&, __VA_ARGS__);
#define OSTINATO_SUM_HALF_GRID(...) template void sum_grid(const Host&, const Extents&, __VA_ARGS__, double*);
OSTINATO_MULTIGRID_HALF_STEPS
#undef OSTINATO_FOR_HALF_GRID
#undef OSTINATO_SUM_HALF_GRID

}  // namespace ostinato
