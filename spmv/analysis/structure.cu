// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/structure_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato {

template <class T>
Structure analyse(const Cuda& space, const CsrView<T>& a, AnalysisDepth depth) {
  return detail::analyse_on(space, a, depth);
}

template <class T>
void analyse_values(const Cuda& space, const CsrView<T>& a, Structure& s) {
  detail::analyse_values_on(space, a, s);
}

template Structure analyse(const Cuda&, const CsrView<float>&, AnalysisDepth);
template Structure analyse(const Cuda&, const CsrView<double>&, AnalysisDepth);
template void analyse_values(const Cuda&, const CsrView<float>&, Structure&);
template void analyse_values(const Cuda&, const CsrView<double>&, Structure&);

}  // namespace ostinato
