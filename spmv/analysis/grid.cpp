// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/grid_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

/// An unknown is coupled to itself in the next point, at most most_unknowns rows away, or the unknowns come field by
/// field. In a grid with one unknown a point, they would be an axis as short as that, or a point longer.
bool may_have_several_unknowns(const Structure& s) {
  if (!grid_definition::reason_against(s).empty()) return false;
  const auto is_short = [](Index points) { return points > 1 && points <= grid_definition::most_unknowns + 1; };
  for (const bool periodic : {false, true}) {
    for (const Extents& e : grid_definition::candidates(grid_definition::Offsets{s, 1, false}, periodic))
      if (!is_short(e.x) && !is_short(e.y) && !is_short(e.z)) return false;
  }
  return true;
}

#define OSTINATO_INSTANTIATE(Space, T) template Grid find_grid(const Space&, const CsrView<T>&, const Structure&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
