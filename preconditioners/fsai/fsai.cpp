// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/fsai_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>

namespace ostinato {

template class Fsai<Host, float>;
template class Fsai<Host, double>;
template class Fsai<Cuda, float>;
template class Fsai<Cuda, double>;
OSTINATO_DEFINE_PRECONDITIONER(fsai, Fsai)

}  // namespace ostinato
