// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/scale_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                                                 \
  template void scale(const Space&, const CsrView<T>&, std::span<const T>, std::span<const T>, std::span<T>);          \
  template SpaceCsr<Space, T> scaled(const Space&, const SpaceCsr<Space, T>&, std::span<const T>, std::span<const T>); \
  template void diagonal(const Space&, const CsrView<T>&, std::span<T>)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
