// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Methods on the ranks of a team.

#include <ostinato/solvers/definitions.hpp>
#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>

namespace ostinato {

OSTINATO_INSTANTIATE_ON_RANKS(Cg);
OSTINATO_INSTANTIATE_ON_RANKS(Minres);

}  // namespace ostinato
