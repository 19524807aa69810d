// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include <ostinato/spmv/team/halo.hpp>

#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

/// One rank of very many, which are not there. A rank that is asked for elements asks for as many, the first ones of
/// this rank; what it would send is zeros.
class OneOfMany final : public detail::Channel {
 public:
  struct Traffic {
    std::size_t messages = 0, bytes = 0, gathers = 0;
  };

  OneOfMany(int rank, const Partition& parts) : rank_(rank), parts_(parts) {}

  int rank() const override { return rank_; }
  int size() const override { return parts_.ranks(); }
  void start_gather(const void*, std::size_t, void*) override { ++traffic_.gathers; }
  bool is_gathered() override { return true; }
  void start_announcing(std::span<const detail::Message> to) override {
    arrivals_.clear();
    for (const detail::Message& message : to) arrivals_.push_back({message.rank, message.bytes});
  }
  bool is_announced() override { return true; }
  std::span<const detail::Arrival> arrivals() const override { return arrivals_; }
  void start_exchange(std::span<const detail::Message> to, std::span<const detail::Message> from) override {
    for (const detail::Message& message : to) {
      ++traffic_.messages;
      traffic_.bytes += message.bytes;
    }
    for (const detail::Message& message : from) {
      std::vector<Index> asked(message.bytes / sizeof(Index));
      std::iota(asked.begin(), asked.end(), parts_.offset(rank_));
      std::memcpy(message.data, asked.data(), message.bytes);
    }
  }
  bool is_exchanged() override { return true; }
  void tell(const detail::Notice&) override {}
  detail::Notice heard() override { return {}; }

  const Traffic& traffic() const { return traffic_; }

 private:
  int rank_;
  const Partition& parts_;
  Traffic traffic_;
  std::vector<detail::Arrival> arrivals_;
};

struct Prepared {
  std::size_t plan, partition;
  OneOfMany::Traffic traffic;
  int neighbours;
};

/// The set-up of a rank in the middle of so many, with `blocks` blocks of rows each, in a grid of `plane` points a
/// plane: the ghosts are the planes above and below.
Prepared set_up(int ranks, Index blocks, Index plane) {
  std::vector<Index> offsets;
  for (int r = 0; r <= ranks; ++r) offsets.push_back(static_cast<Index>(r) * blocks * Partition::block);
  const Partition parts(std::move(offsets));
  const int me = ranks / 2;
  const auto channel = std::make_shared<OneOfMany>(me, parts);
  std::vector<Index> ghosts;
  for (Index k = 0; k < plane; ++k) ghosts.push_back(parts.offset(me) - plane + k);
  for (Index k = 0; k < plane; ++k) ghosts.push_back(parts.offset(me + 1) + k);
  const HaloPlan plan(Team::over(channel), parts, ghosts);
  EXPECT_EQ(plan.ghosts(), ghosts.size());
  return {plan.bytes(), parts.bytes(), channel->traffic(), plan.neighbours()};
}

TEST(HaloPlan, OfOneOfTenThousandRanksIsThatOfOneOfAHundred) {
  constexpr Index blocks = 50, plane = 4096;  // 102,400 rows a rank, 1.02e9 in all
  const Prepared few = set_up(100, blocks, plane), many = set_up(10000, blocks, plane);
  EXPECT_EQ(many.plan, few.plan);
  EXPECT_EQ(many.traffic.messages, few.traffic.messages);
  EXPECT_EQ(many.traffic.bytes, few.traffic.bytes);
  EXPECT_EQ(many.traffic.gathers, 0U) << "of all ranks";
  EXPECT_EQ(many.traffic.messages, 2U);
  EXPECT_EQ(many.traffic.bytes, 2 * plane * sizeof(Index));
  EXPECT_EQ(many.neighbours, 2);
  EXPECT_LT(many.plan, 8 * plane + 1000) << "4 bytes for each element that is given, and little for a neighbour";
  EXPECT_LT(many.partition, 2 * 10001 * sizeof(Index));
}

TEST(HaloPlan, BringsTheElementsOfOtherRanks) {
  on_ranks({1, 2, 3, 5}, [](const Team& team) {
    const Partition parts = Partition::by_rows(team, 30000);
    std::vector<Index> ghosts;
    for (Index k = 0; k < parts.rows(); k += 997)
      if (k < parts.begin(team) || k >= parts.end(team)) ghosts.push_back(k);
    HaloPlan plan(team, parts, ghosts);
    std::vector<double> given, found(ghosts.size());
    for (const Index k : plan.given()) given.push_back(0.5 * (parts.begin(team) + k));
    plan.start(team, given.data(), found.data(), found.data() + plan.below());
    team.finish_exchange();
    for (std::size_t k = 0; k < ghosts.size(); ++k) EXPECT_EQ(found[k], 0.5 * ghosts[k]);
  });
}

}  // namespace
}  // namespace ostinato::test
