// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/gpu_of_rank.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/team/nodes.hpp>

#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

using detail::gpus_of, detail::RankOnGpus, detail::require_own_gpus;
using Numbers = std::vector<int>;

TEST(GpuOfRank, IsTakenInTurnOnEachMachine) {
  const std::vector<RankOnGpus> ranks = {{0, {"a", "b"}}, {1, {"c", "d"}}, {0, {"a", "b"}}, {1, {"c", "d"}}};
  EXPECT_EQ(gpus_of(ranks), (Numbers{0, 0, 1, 1}));
  EXPECT_NO_THROW(require_own_gpus(ranks));
}

TEST(GpuOfRank, IsTheOneThatTheLauncherLetsItSee) {
  const std::vector<RankOnGpus> ranks = {{0, {"a"}}, {0, {"b"}}, {0, {"c"}}};
  EXPECT_EQ(gpus_of(ranks), (Numbers{0, 0, 0}));
  EXPECT_NO_THROW(require_own_gpus(ranks));
}

TEST(GpuOfRank, IsSharedWhereRanksAreMore) {
  const std::vector<RankOnGpus> ranks = {{0, {"a", "b"}}, {0, {"a", "b"}}, {0, {"a", "b"}}};
  EXPECT_EQ(gpus_of(ranks), (Numbers{0, 1, 0}));
  try {
    require_own_gpus(ranks);
    ADD_FAILURE();
  } catch (const ArgumentError& e) {
    EXPECT_NE(std::string(e.what()).find("3 ranks are on a machine where they see 2"), std::string::npos) << e.what();
  }
  EXPECT_THROW(require_own_gpus({{0, {"a"}}, {0, {"a"}}}), ArgumentError);
}

TEST(GpuOfRank, IsTheFirstWhereThereIsNone) {
  EXPECT_EQ(gpus_of({{0, {}}, {0, {}}}), (Numbers{0, 0}));
  EXPECT_NO_THROW(require_own_gpus({{0, {}}, {0, {}}}));
}

TEST(Nodes, AreOneForRanksOfOneMachine) {
  on_ranks({1, 3},
           [](const Team& team) { EXPECT_EQ(nodes_of(team), Numbers(static_cast<std::size_t>(team.size()), 0)); });
}

}  // namespace
}  // namespace ostinato::test
