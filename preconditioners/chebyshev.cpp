// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class Chebyshev<Host, float>;
template class Chebyshev<Host, double>;
template class Chebyshev<Cuda, float>;
template class Chebyshev<Cuda, double>;
OSTINATO_DEFINE_PRECONDITIONER(chebyshev, Chebyshev)

}  // namespace ostinato
