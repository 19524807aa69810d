// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <ostinato/spmv/analysis/structure_steps.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

double Structure::deviation_without_longest_row() const {
  if (rows == 0) return 0;
  const double beyond = longest_row - mean_row;
  return std::sqrt(std::max(0.0, row_deviation * row_deviation - beyond * beyond / rows));
}

template <class T>
Structure analyse(const Host& space, const CsrView<T>& a, AnalysisDepth depth) {
  return detail::analyse_on(space, a, depth);
}

template <class T>
void analyse_values(const Host& space, const CsrView<T>& a, Structure& s) {
  detail::analyse_values_on(space, a, s);
}

template Structure analyse(const Host&, const CsrView<float>&, AnalysisDepth);
template Structure analyse(const Host&, const CsrView<double>&, AnalysisDepth);
template void analyse_values(const Host&, const CsrView<float>&, Structure&);
template void analyse_values(const Host&, const CsrView<double>&, Structure&);

}  // namespace ostinato
