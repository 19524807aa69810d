// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/accurate_residual.hpp>

#include <ostinato/spmv/matrix/accurate_residual_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template <class T, class Space>
void accurate_residual(const Space& space, const CsrView<T>& a, double outer, double inner, In<T> x, In<T> b, Out<T> r,
                       double* rr) {
  sum(space, r.size(),
      detail::AccurateResidual<T>{detail::pattern_of(a), a.val.data(), outer, inner, x.data(), b.data(), r.data()}, rr);
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                             \
  template void accurate_residual<T, Space>(const Space&, const CsrView<T>&, double, double, In<T>, In<T>, Out<T>, \
                                            double*)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
