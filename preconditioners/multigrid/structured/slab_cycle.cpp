// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>

#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slab_levels.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::multigrid {

namespace {

/// The number of grids that ranks share.
template <class Local>
std::size_t shared_grids(const std::vector<Level<Local>>& levels, std::size_t most_gathered) {
  std::size_t k = 0;
  while (k + 1 < levels.size() &&
         levels[k].grid.points() > (k == 0 ? std::min(most_gathered, fewest_shared_points) : most_gathered) &&
         (levels[k].axes >> (levels[k].dimensions - 1) & 1) != 0)
    ++k;
  return k;
}

/// What is known of a cycle before it is made.
template <class Local>
struct SlabPlan {
  std::vector<SlabWay> ways;  ///< of the grids that ranks share
  std::vector<Slabs> slabs;   ///< of these, and of the one that is gathered
  std::size_t ends = 0, floats = 0;

  /// rest: the cycle from grid `count` on.
  SlabPlan(const Distributed<Local>& space, const std::vector<Level<Local>>& grids, const Partition& rows, int sweeps,
           std::size_t count, const Cycle<Local>& rest) {
    const Team& team = space.team();
    for (std::size_t k = 0; k < count; ++k)
      ways.emplace_back(sweeps == 1 && has_ascent(space.local(), grids[k]), k == 0);
    const Index whole = whole_planes(grids[0].dimensions == 3 ? grids[0].grid.z : grids[0].grid.y);
    ways[0].deep = std::max(1, whole / 2);
    slabs.push_back(Slabs::nearest(team, grids[0].grid, grids[0].dimensions, rows, whole));
    for (std::size_t k = 0; k < count; ++k) slabs.push_back(slabs[k].halved(team, grids[k].next));
    ends = in_whole_lines(SlabEnds<Local>::floats(team, rows, slabs[0], ways[0].beside_r()));
    floats = ends + GatheredLevel<Local>::floats(slabs[count], rest);
    for (std::size_t k = 0; k < count; ++k) floats += SlabLevel<Local>::floats(grids[k], slabs[k], ways[k]);
  }

  /// Those of the grids with passes.
  std::vector<Transfer<Local>> transfers(const cycle_definition::Shared<Local>& one) const {
    std::vector<cycle_definition::Way> all;
    for (const SlabWay& way : ways)
      all.push_back(way.passes ? cycle_definition::Way::passes : cycle_definition::Way::dense);
    return cycle_definition::transfers_of(one, all);
  }

 private:
  /// Slabs begin at multiples of so many planes: at even ones of all grids with passes, above which some may have none,
  /// and at few places of the finest, so that a pass adds up r . z seldom.
  Index whole_planes(Index planes) const {
    constexpr Index places = 32;
    Index whole = 1;
    for (std::size_t k = 0; k < ways.size(); ++k)
      if (ways[k].passes) whole = Index{2} << k;
    while (ways[0].passes && whole * places < planes) whole *= 2;
    return whole;
  }
};

}  // namespace

template <class Local>
std::optional<Cycle<Distributed<Local>>> make_slab_cycle(const Distributed<Local>& space, const ConstantGrid& found,
                                                         double norm, const Partition& rows, Smoother smoother,
                                                         int sweeps, const MemoryBudget& memory,
                                                         std::size_t most_gathered) {
  const Team& team = space.team();
  const auto hierarchy = team.agreed([&] {
    return std::make_shared<const Hierarchy<Local>>(GridPlan<Local>(space.local(), found.grid, found.table, norm));
  });
  const std::vector<Level<Local>>& grids = hierarchy->levels();
  const std::size_t count = shared_grids(grids, most_gathered);
  if (count == 0) return {};
  auto rest =
      team.agreed([&] { return make_cycle<Local>(space.local(), found.grid, hierarchy, smoother, sweeps, count); });
  const auto plan = team.agreed([&] { return SlabPlan<Local>(space, grids, rows, sweeps, count, rest); });
  team.agreed([&] { memory.announce({plan.floats * sizeof(float), Certainty::at_least}); });
  const auto room = std::make_shared<const SlabMemory<Local>>(space, plan.floats);
  float* next = room->data();
  const auto shared = std::make_shared<const SlabShared<Local>>(
      SlabShared<Local>{space,
                        {space.local(), found.grid, hierarchy, smoother, sweeps},
                        room,
                        {*room, rows, plan.slabs[0], plan.ways[0].beside_r(), next}});
  next += plan.ends;
  auto transfers = team.agreed([&] { return plan.transfers(shared->one); });
  typename Cycle<Distributed<Local>>::Levels levels;
  std::vector<SlabLevel<Local>*> slabs;
  for (std::size_t k = 0; k < count; ++k) {
    const auto add = [&]<class L>(std::unique_ptr<L> level) {
      slabs.push_back(level.get());
      levels.push_back(std::move(level));
    };
    const SlabWay& way = plan.ways[k];
    way.passes ? add(std::make_unique<PassSlab<Local>>(shared, k, plan.slabs[k], way, next, std::move(transfers[k])))
               : add(std::make_unique<StepSlab<Local>>(shared, k, plan.slabs[k], way, next));
    next += SlabLevel<Local>::floats(grids[k], plan.slabs[k], plan.ways[k]);
  }
  levels.push_back(std::make_unique<GatheredLevel<Local>>(shared, plan.slabs[count], std::move(rest), next));
  for (std::size_t k = 0; k < count; ++k) slabs[k]->set_next(levels[k + 1].get());
  return Cycle<Distributed<Local>>(space, std::move(levels), hierarchy->power(), false);
}

#define OSTINATO_INSTANTIATE(Space)                                                                                 \
  template std::optional<Cycle<Distributed<Space>>> make_slab_cycle(const Distributed<Space>&, const ConstantGrid&, \
                                                                    double, const Partition&, Smoother, int,        \
                                                                    const MemoryBudget&, std::size_t)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
