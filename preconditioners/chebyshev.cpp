// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

OSTINATO_CLASS(Chebyshev);
OSTINATO_DEFINE_PRECONDITIONER(chebyshev, Chebyshev)

}  // namespace ostinato
