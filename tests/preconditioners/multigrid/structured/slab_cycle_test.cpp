// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>

#include <gtest/gtest.h>

#include <initializer_list>

#include "preconditioners/multigrid/structured/slab_cycles.hpp"
#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

using slabs::Case;

template <class T>
void expect_bits_of_one_rank(const Case& c, std::initializer_list<int> sizes = {1, 2, 3, 5}) {
  SCOPED_TRACE(c.text());
  const auto alone = slabs::of_one_rank<T>(Host(1), c);
  on_ranks(sizes, [&](const Team& team) {
    for (const Partition& rows : slabs::partitions(team, c.grid)) {
      const auto found = slabs::of_slabs<T>(team, Host(1), c, rows);
      ASSERT_EQ(found.z.size(), alone.z.size());
      for (std::size_t k = 0; k < alone.z.size(); ++k) EXPECT_TRUE(same_bits(found.z[k], alone.z[k]));
      slabs::expect_dots(found);
    }
  });
}

TEST(SlabCycle, HasTheBitsOfOneRank) {
  for (const Case& c : {Case{{30, 30, 30}, true, 1, 500},
                        {{27, 20, 37}, true, 2, 300},
                        {{20, 21, 40}, false, 1, 1000},
                        {{131, 150, 1}, true, 1, 500},
                        {{90, 101, 1}, false, 2, 500}}) {
    expect_bits_of_one_rank<double>(c);
    expect_bits_of_one_rank<float>(c);
  }
}

// Slabs of one plane, or two: some ranks have none of the next grid, and interpolate from planes of others.
TEST(SlabCycle, HasTheBitsOfOneRankWhereSlabsAreThin) {
  for (const Case& c : {Case{{30, 30, 30}, true, 2, 500},
                        {{27, 20, 37}, false, 1, 100},
                        {{60, 25, 1}, true, 1, 50},
                        {{60, 101, 1}, true, 1, 500, 16}})
    expect_bits_of_one_rank<double>(c, {8, 17});
}

TEST(SlabCycle, TakesGridsOfFewerPlanesThanRanks) { expect_bits_of_one_rank<double>({{40, 60, 3}, true, 1, 100}); }

TEST(SlabCycle, IsNotThereWhereTheFinestGridIsSmall) {
  on_ranks({1, 2}, [](const Team& team) {
    const Case c{{20, 20, 20}, true, 1, 8000};
    EXPECT_TRUE(slabs::of_slabs<double>(team, Host(1), c, Partition::by_rows(team, 8000)).z.empty());
  });
}

}  // namespace
}  // namespace ostinato::test
