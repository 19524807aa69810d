// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/zero_fill_definition.hpp>

#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class ZeroFill<Host, float>;
template class ZeroFill<Host, double>;
template class ZeroFill<Cuda, float>;
template class ZeroFill<Cuda, double>;

#define OSTINATO_INSTANTIATE(Space, T, V)                                                                            \
  template Factored<Space, T, V> ZeroFill<Space, T>::sweeps(const SpaceCsr<Space, T>&) const;                        \
  template ZeroFill<Space, T>::Outcome ZeroFill<Space, T>::factor(const SpaceCsr<Space, T>&, Factored<Space, T, V>&, \
                                                                  const StopRequest&) const;                         \
  template std::pair<Factored<Space, T, V>, ZeroFill<Space, T>::Outcome> ZeroFill<Space, T>::make(                   \
      const SpaceCsr<Space, T>&, const StopRequest&) const
OSTINATO_INSTANTIATE(Host, float, float);
OSTINATO_INSTANTIATE(Host, double, double);
OSTINATO_INSTANTIATE(Host, double, float);
OSTINATO_INSTANTIATE(Cuda, float, float);
OSTINATO_INSTANTIATE(Cuda, double, double);
OSTINATO_INSTANTIATE(Cuda, double, float);

}  // namespace ostinato
