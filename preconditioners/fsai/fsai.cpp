// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/fsai_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_CLASS(Fsai);
OSTINATO_DEFINE_PRECONDITIONER(fsai, Fsai)

}  // namespace ostinato
