// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/select_format_definition.hpp>
#include <ostinato/spmv/space/list.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                        \
  template struct Selection<Space, T>;                                                        \
  template Choice choose_format(const Analysis<Space, T>&);                                   \
  template Choice choose_csr(const Analysis<Space, T>&);                                      \
  template Selection<Space, T> select_format(const Analysis<Space, T>&, const FormatOptions&, \
                                             const FormatList<Space, T>&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
