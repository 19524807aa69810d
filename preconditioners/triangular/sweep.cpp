// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/sweep_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

void detail::throw_out_of_range() {
  throw ArgumentError(
      "the triangular factors leave the range of the numbers; scale the matrix, or use preconditioner none");
}

Substitution detail::in_groups(const Substitution& s, SweepGroups& groups, std::vector<unsigned>& group) {
  std::vector<Index> own = sweep_definition::levels_of(s);
  groups.levels = sweep_definition::count_of(own);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = groups.group(own[i], s.row_ptr[i + 1] - s.row_ptr[i]);
  Substitution ordered = sweep_definition::in_order(s, sweep_definition::by_group(own, groups.count()).row);
  group.assign(own.begin(), own.end());
  std::sort(group.begin(), group.end());
  return ordered;
}

OSTINATO_CLASS(Sweep);

#define OSTINATO_INSTANTIATE_RUN(Space, T, In, Copy) \
  template void Sweep<Space, T>::run(std::span<const In>, std::span<T>, std::span<Copy>) const;
#define OSTINATO_INSTANTIATE_RUNS(Space) OSTINATO_FOR_EACH_SWEEP(OSTINATO_INSTANTIATE_RUN, Space)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_RUNS)
#undef OSTINATO_INSTANTIATE_RUNS
#undef OSTINATO_INSTANTIATE_RUN

}  // namespace ostinato
