// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/restarts.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

/// A space of which block_length() asks no more than this.
struct FakeGpu {
  static constexpr bool has_streams = true;
  double bandwidth() const { return 4e12; }
};

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
