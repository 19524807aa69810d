// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include <ostinato/spmv/team/one_process.hpp>

#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

TEST(OneProcess, IsThatOfThreadsAlone) {
  on_ranks({1, 2, 3}, [](const Team& team) { EXPECT_EQ(are_in_one_process(team), Team::launched() <= 1); });
}

TEST(OneProcess, ShowsTheStopOfOneRankToAll) {
  for (const int asked : {0, 2}) {
    Team::run(3, [&](const Team& team) {
      const auto is_made = std::make_shared<bool>(false);
      struct Flag {
        std::shared_ptr<bool> is_made;
        bool stop_requested() const { return *is_made; }
      };
      const StopRequest any = stop_of_any(team, team.rank() == asked ? StopRequest(Flag{is_made}) : StopRequest());
      EXPECT_FALSE(any.is_made());
      team.agree();
      *is_made = true;  // that of the other ranks isn't looked at
      team.agree();
      EXPECT_TRUE(any.is_made()) << team.rank();
      team.agree();
    });
  }
}

TEST(OneProcess, NeedsNoRequest) {
  on_ranks({1, 3}, [](const Team& team) { EXPECT_FALSE(stop_of_any(team, {})); });
}

}  // namespace
}  // namespace ostinato::test
