// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ssor_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_CLASS(Ssor);

OSTINATO_DEFINE_PRECONDITIONER(ssor, Ssor)

}  // namespace ostinato
