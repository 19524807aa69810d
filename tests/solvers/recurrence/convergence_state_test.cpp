// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/convergence_state.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace ostinato::test {
namespace {

TEST(StateOfARecurrence, KeepsTheLastResidualsInARing) {
  ConvergenceState p;
  for (int k = 1; k <= ConvergenceState::ring + 3; ++k) p.record(static_cast<double>(k) * k);

  EXPECT_EQ(p.iteration, ConvergenceState::ring + 3);
  EXPECT_EQ(p.norms[0], ConvergenceState::ring + 1);
  EXPECT_EQ(p.norms[3], 4);
  EXPECT_TRUE(p.running());
}

TEST(StateOfARecurrence, EndsForOneReason) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  struct {
    double squared_norm, goal, limit;
    int last, state;
  } const cases[] = {
      {4, 1, 10, 5, ConvergenceState::going},         {4, 2, 10, 5, ConvergenceState::reached_goal},
      {0, 0, 10, 5, ConvergenceState::reached_goal},  {4, 2, 1, 1, ConvergenceState::reached_goal},
      {4, 1, 1.9, 5, ConvergenceState::grew},         {4, 1, 1.9, 1, ConvergenceState::grew},
      {4, 1, 2, 5, ConvergenceState::going},          {1e300, 1, 0, 5, ConvergenceState::going},
      {4, 1, 10, 1, ConvergenceState::spent},         {nan, 1, 10, 1, ConvergenceState::not_a_number},
      {-1, 1, 10, 5, ConvergenceState::not_a_number}, {infinity, infinity, 10, 1, ConvergenceState::not_a_number}};
  for (const auto& c : cases) {
    ConvergenceState s;
    s.goal = c.goal;
    s.limit = c.limit;
    s.last = c.last;

    s.record(c.squared_norm);

    EXPECT_EQ(s.state, c.state) << c.squared_norm << " " << c.goal << " " << c.limit << " " << c.last;
    EXPECT_EQ(s.iteration, 1);
    EXPECT_EQ(s.running(), c.state == ConvergenceState::going);
  }
}

}  // namespace
}  // namespace ostinato::test
