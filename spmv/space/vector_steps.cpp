// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/vector_steps_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                \
  template void scale<T, Space>(const Space&, T, In<T>, Out<T>);                      \
  template void dot<T, Space>(const Space&, In<T>, In<T>, double*);                   \
  template void subtract_from<T, Space>(const Space&, In<T>, In<T>, Out<T>, double*); \
  template void multiply<T, Space>(const Space&, In<T>, In<T>, Out<T>);               \
  template void multiply_dot<T, Space>(const Space&, In<T>, In<T>, Out<T>, double*)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
