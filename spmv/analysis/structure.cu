// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/structure_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

template <class T>
Structure analyse(const Cuda& space, const CsrView<T>& a, AnalysisDepth depth) {
  return detail::analyse_on(space, a, depth);
}

template <class T>
void analyse_values(const Cuda& space, const CsrView<T>& a, Structure& s) {
  using namespace detail;
  if (a.rows == 0 || a.cols == 0) return;
  Vector<Cuda, Findings> found(space, 1);
  space.zero(found.data(), found.bytes());
  inspect_entries<Cuda, T>(space, {pattern_of(a), a.val.data(), s.nonzeros, s.pattern_symmetric, found.data(), nullptr},
                           [&] { return s.longest_row; });
  take_new_values<T>(found.download()[0], s);
}

#define OSTINATO_INSTANTIATE(T)                                              \
  template Structure analyse(const Cuda&, const CsrView<T>&, AnalysisDepth); \
  template void analyse_values(const Cuda&, const CsrView<T>&, Structure&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
