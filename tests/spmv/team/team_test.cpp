// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/team/team.hpp>

#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

/// `length` bytes that say who sends them to whom.
Team::Bytes letter(int from, int to, std::size_t length) {
  Team::Bytes bytes(length);
  for (std::size_t k = 0; k < length; ++k) bytes[k] = static_cast<std::byte>(from * 31 + to * 7 + static_cast<int>(k));
  return bytes;
}

TEST(Team, GathersValuesInTheOrderOfTheRanks) {
  on_ranks({1, 2, 3, 5}, [](const Team& team) {
    for (int round = 0; round < 50; ++round) {
      const std::vector<int> all = team.all_gather(100 * round + team.rank());
      ASSERT_EQ(all.size(), static_cast<std::size_t>(team.size()));
      for (int r = 0; r < team.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 100 * round + r);
    }
    EXPECT_EQ(team.sum(team.rank()), team.size() * (team.size() - 1) / 2);
    EXPECT_EQ(team.most(team.rank()), team.size() - 1);
    EXPECT_EQ(team.least(team.rank()), 0);
  });
}

TEST(Team, GathersAndExchangesArraysOfAnyLength) {
  on_ranks({1, 2, 3, 5}, [](const Team& team) {
    const int me = team.rank();
    const std::vector<Team::Bytes> all = team.all_gather_v(letter(me, 0, static_cast<std::size_t>(me) * 1000));
    for (int r = 0; r < team.size(); ++r)
      EXPECT_EQ(all[static_cast<std::size_t>(r)], letter(r, 0, static_cast<std::size_t>(r) * 1000));
    std::vector<Team::Bytes> to;
    for (int r = 0; r < team.size(); ++r) to.push_back(letter(me, r, static_cast<std::size_t>((me + r) % 3) * 100000));
    const std::vector<Team::Bytes> from = team.exchange_v(to);
    for (int r = 0; r < team.size(); ++r)
      EXPECT_EQ(from[static_cast<std::size_t>(r)], letter(r, me, static_cast<std::size_t>((me + r) % 3) * 100000));
  });
}

TEST(Team, WaitsForAllWhereNothingIsGathered) {
  on_ranks({2, 3, 5}, [](const Team& team) {
    using Clock = std::chrono::steady_clock;  // the processes of a machine have one
    for (int late = 0; late < 2; ++late) {
      if (team.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto come = Clock::now().time_since_epoch().count();
      team.all_gather(nullptr, 0, nullptr);
      const auto gone = Clock::now().time_since_epoch().count();
      EXPECT_LE(team.most(come), team.least(gone));
    }
  });
}

TEST(Team, AgreesOnTheFirstFailureAndStaysWhole) {
  on_ranks({2, 3, 5}, [](const Team& team) {
    const int last = team.size() - 1;
    try {
      team.agreed([&] {
        if (team.rank() == last) throw std::runtime_error("no such file");
      });
      ADD_FAILURE() << "agreed() returned on rank " << team.rank();
    } catch (const RankError& e) {
      EXPECT_NE(team.rank(), last);
      EXPECT_EQ(e.rank(), last);
      EXPECT_NE(std::string(e.what()).find("no such file"), std::string::npos);
    } catch (const std::runtime_error&) {
      EXPECT_EQ(team.rank(), last);
    }
    EXPECT_EQ(team.sum(1), team.size());
  });
}

TEST(Team, MadeOfThreadsLeavesTogetherWhereOneRankThrows) {
  for (const bool waits_in_exchange : {false, true}) {
    std::vector<int> told(3, -1);
    const Stopwatch watch;
    EXPECT_THROW(Team::run(3,
                           [&](const Team& team) {
                             if (team.rank() == 1) throw std::bad_alloc();
                             try {
                               int value = 0;
                               const detail::Message from{1, &value, sizeof value};
                               if (waits_in_exchange) {
                                 team.start_exchange({}, {&from, 1});
                                 team.finish_exchange();
                               } else {
                                 team.sum(1);
                               }
                             } catch (const RankError& e) {
                               told[static_cast<std::size_t>(team.rank())] = e.rank();
                               throw;
                             }
                           }),
                 std::bad_alloc);
    EXPECT_EQ(told, (std::vector<int>{1, -1, 1}));
    EXPECT_LT(watch.seconds(), 20);
  }
}

TEST(Team, MadeOfThreadsNamesTheRankThatDoesNotCome) {
  const std::vector<Team> ranks = Team::threads(2);
  ranks[0].set_patience(0.2);
  try {
    ranks[0].sum(1);
    ADD_FAILURE() << "a sum without rank 1";
  } catch (const RankError& e) {
    EXPECT_EQ(e.rank(), 1);
  }
  ranks[1].set_patience(100);  // rank 0 has said that it left
  const Stopwatch watch;
  EXPECT_THROW(ranks[1].sum(1), RankError) << "the gather of rank 0 isn't one to go on from";
  EXPECT_LT(watch.seconds(), 20);
}

TEST(Team, AloneNeedsNobody) {
  const Team team = Team::alone();
  EXPECT_EQ(team.size(), 1);
  EXPECT_EQ(team.sum(3), 3);
  EXPECT_EQ(team.exchange_v({letter(0, 0, 10)})[0], letter(0, 0, 10));
  EXPECT_THROW(team.agreed([] { throw std::runtime_error("mine"); }), std::runtime_error);
}

}  // namespace
}  // namespace ostinato::test
