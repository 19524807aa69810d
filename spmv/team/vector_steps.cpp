// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                   \
  template void scale(const Distributed<Space>&, T, In<T>, Out<T>);                      \
  template void dot<T>(const Distributed<Space>&, In<T>, In<T>, Slot<T>);                \
  template void subtract_from(const Distributed<Space>&, In<T>, In<T>, Out<T>, Slot<T>); \
  template void multiply(const Distributed<Space>&, In<T>, In<T>, Out<T>);               \
  template void multiply_dot(const Distributed<Space>&, In<T>, In<T>, Out<T>, Slot<T>)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
