// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

OSTINATO_CLASS(Multigrid);

OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
