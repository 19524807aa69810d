// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/vector_steps_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                \
  template void scale<T, Space>(const Space&, T, In<T>, Out<T>);                      \
  template void dot<T, Space>(const Space&, In<T>, In<T>, Slot<T>);                   \
  template void subtract_from<T, Space>(const Space&, In<T>, In<T>, Out<T>, Slot<T>); \
  template void multiply<T, Space>(const Space&, In<T>, In<T>, Out<T>);               \
  template void multiply_dot<T, Space>(const Space&, In<T>, In<T>, Out<T>, Slot<T>)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX(OSTINATO_INSTANTIATE);

}  // namespace ostinato
