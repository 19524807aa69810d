// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ssor_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>

namespace ostinato {

template class Ssor<Host, float>;
template class Ssor<Host, double>;
template class Ssor<Cuda, float>;
template class Ssor<Cuda, double>;
OSTINATO_DEFINE_PRECONDITIONER(ssor, Ssor)

}  // namespace ostinato
