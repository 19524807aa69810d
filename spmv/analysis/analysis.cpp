// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/analysis_definition.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

bool takes_census(const Structure& s, AnalysisDepth depth) {
  if (depth != AnalysisDepth::full && depth != AnalysisDepth::quick) return false;
  const bool quick = depth == AnalysisDepth::quick;
  constexpr Offset cached_entries = 2000000;  // about 24 MB, half of the L2 cache of an H200
  if (quick && s.diagonals > Structure::many_diagonals && s.nonzeros < cached_entries) return false;
  const Offset pieces = (static_cast<Offset>(s.rows) + piece_rows - 1) / piece_rows;
  if (quick && pieces <= 1 && s.diagonals * s.rows > 2 * s.nonzeros) return false;
  return s.diagonals <= static_cast<Offset>(DiagonalCensus::max_diagonals) &&
         s.diagonals * pieces <= 2 * s.nonzeros + 65536;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                        \
  template std::shared_ptr<const DiagonalCensus> census_of(const Space&, const CsrView<T>&, const Structure&, \
                                                           AnalysisDepth);                                    \
  template class Analysis<Space, T>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
