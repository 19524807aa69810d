// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/damping.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ostinato::multigrid {
namespace {

double residual(Smoother smoother, int sweeps, double largest, double t) {
  double p = 1;
  for (int sweep = 0; sweep < sweeps; ++sweep) p *= 1 - t * damping_of(smoother, sweep, sweeps, 0.5, largest);
  return p;
}

TEST(Damping, OfJacobiIsTheSameInEachSweep) {
  for (int sweep = 0; sweep < 3; ++sweep) EXPECT_EQ(damping_of(Smoother::jacobi, sweep, 3, 0.25, 2), 0.25);
}

// W of degree k: W(cos a) = sin((k + 1/2) a) / sin(a / 2), so W(1) = 2 k + 1.
TEST(Damping, OfChebyshevMakesThePolynomialOfTheFourthKind) {
  for (int sweeps = 1; sweeps <= 8; ++sweeps) {
    for (const double largest : {1.0, 1.9}) {
      for (double angle = 0.1; angle < std::numbers::pi; angle += 0.1) {
        const double t = largest * (1 - std::cos(angle)) / 2;
        const double w = std::sin((sweeps + 0.5) * angle) / std::sin(angle / 2) / (2 * sweeps + 1);
        EXPECT_NEAR(residual(Smoother::chebyshev, sweeps, largest, t), w, 1e-12) << sweeps;
      }
    }
  }
}

TEST(Damping, OfChebyshevGrowsFromSweepToSweep) {
  for (int sweep = 1; sweep < 5; ++sweep)
    EXPECT_GT(damping_of(Smoother::chebyshev, sweep, 5, 0, 2), damping_of(Smoother::chebyshev, sweep - 1, 5, 0, 2));
}

}  // namespace
}  // namespace ostinato::multigrid
