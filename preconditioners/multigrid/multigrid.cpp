// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class Multigrid<Host, float>;
template class Multigrid<Host, double>;
template class Multigrid<Cuda, float>;
template class Multigrid<Cuda, double>;
OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
