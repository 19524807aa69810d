// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/analysis/structure_steps.hpp>

namespace ostinato {

template <class T>
Structure analyse(const Host& space, const CsrView<T>& a, Look look) {
  return detail::analyse_on(space, a, look);
}

template Structure analyse(const Host&, const CsrView<float>&, Look);
template Structure analyse(const Host&, const CsrView<double>&, Look);

}  // namespace ostinato
