// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/scaled_system_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template double norm_of<T, Space>(const Space&, In<T>, Out<T>, Slot<T>);                                   \
  template void require_system(const std::string&, const Space&, const OperatorRef<Space, T>&, In<T>, In<T>, \
                               const PreconditionerRef<Space, T>&, Shape);                                   \
  template class ScaledSystem<Space, T>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX(OSTINATO_INSTANTIATE);

}  // namespace ostinato
