// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/factored_definition.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T) \
  template class Factored<Space, T>;   \
  template Csr<double> host_copy(const Space&, const SpaceCsr<Space, T>&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);
template class Factored<Host, double, float>;
template class Factored<Cuda, double, float>;

}  // namespace ostinato
