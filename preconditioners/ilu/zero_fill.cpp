// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/zero_fill_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

OSTINATO_CLASS(ZeroFill);

#define OSTINATO_INSTANTIATE(Space, T, V)                                                                            \
  template Factored<Space, T, V> ZeroFill<Space, T>::sweeps(const SpaceCsr<Space, T>&) const;                        \
  template ZeroFill<Space, T>::Outcome ZeroFill<Space, T>::factor(const SpaceCsr<Space, T>&, Factored<Space, T, V>&, \
                                                                  const StopRequest&) const;                         \
  template std::pair<Factored<Space, T, V>, ZeroFill<Space, T>::Outcome> ZeroFill<Space, T>::make(                   \
      const SpaceCsr<Space, T>&, const StopRequest&) const
OSTINATO_FOR_ALL_MIXED(OSTINATO_INSTANTIATE);

}  // namespace ostinato
