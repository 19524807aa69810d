// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/restarts.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include <ostinato/spmv/space/shared_space.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// A space of which block_length() asks no more than this.
struct FakeGpu {
  static constexpr bool has_streams = true;
  double bandwidth() const { return 4e12; }
};

/// One of some ranks with such a space, of which the slowest takes so many times as long for an iteration.
struct FakeRank : FakeGpu {
  struct BlockSums {};
  double slowest = 1;

  const FakeGpu& local() const { return *this; }
  template <class>
  BlockSums block_sums(std::size_t) const {
    return {};
  }
  Part part(std::size_t n) const { return {0, n}; }
  double most(double value) const { return slowest * value; }
  void say(Ending) const {}
};
static_assert(SharedSpace<FakeRank>);

TEST(BlockLength, OfRanksIsOneIterationWhereFewTakeLong) {
  const Host host;
  const Operator<Host, double> op(host, generate<double>("poisson2d", {.n = 100}));
  const auto length = [&](double slowest, bool few_iterations) {
    FakeRank rank;
    rank.slowest = slowest;
    return block_length(rank, op, {}, 1, 0, few_iterations);
  };
  EXPECT_EQ(length(1, false), 8);
  EXPECT_EQ(length(1000, false), 8);
  EXPECT_EQ(length(1, true), 2);
  EXPECT_EQ(length(1000, true), 1);
}

TEST(BlockLength, IsPositiveAndAMultipleOfThePeriodForEveryCheckEvery) {
  const Host host;
  const Operator<Host, double> op(host, generate<double>("poisson2d", {.n = 4}));
  for (const int period : {1, 2, 3, 5}) {
    for (const int every :
         {0, 1, 2, 3, 63, 64, 65, 1000, std::numeric_limits<int>::max() - 1, std::numeric_limits<int>::max()}) {
      const int length = block_length(FakeGpu(), op, {.check_every = every}, period);

      EXPECT_GT(length, 0) << every << " " << period;
      EXPECT_LE(length, ConvergenceState::ring / 4);
      EXPECT_EQ(length % period, 0) << every << " " << period;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
