// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/equal_rows_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                            \
  template EqualRows equal_rows(const Space&, const CsrView<T>&); \
  template bool may_have_equal_rows(const Space&, const CsrView<T>&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
