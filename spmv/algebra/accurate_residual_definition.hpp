// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/accurate_residual.hpp>

#include <ostinato/spmv/algebra/accurate_residual_steps.hpp>

namespace ostinato {

template <class T, class Space>
void accurate_residual(const Space& space, const CsrView<T>& a, double outer, double inner, In<T> x, In<T> b, Out<T> r,
                       Slot<T> rr) {
  sum(space, r.size(),
      detail::AccurateResidual<T>{detail::pattern_of(a), a.val.data(), outer, inner, x.data(), b.data(), r.data()}, rr);
}

}  // namespace ostinato
