// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a cycle with coefficients in half precision on Host, which half_host.cpp compiles, so that cycle.cpp
// doesn't.

#include <ostinato/preconditioners/multigrid/structured/half_steps.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_FOR_HALF_GRID(...) extern template void for_grid(const Host&, const Extents&, __VA_ARGS__);
#define OSTINATO_SUM_HALF_GRID(...) extern template void sum_grid(const Host&, const Extents&, __VA_ARGS__, double*);
OSTINATO_MULTIGRID_HALF_STEPS
#undef OSTINATO_FOR_HALF_GRID
#undef OSTINATO_SUM_HALF_GRID

}  // namespace ostinato
