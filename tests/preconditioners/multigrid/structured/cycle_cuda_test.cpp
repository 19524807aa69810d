// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"

// Every way that a cycle goes on a GPU gives what the steps give, which the host takes.

namespace ostinato::test {
namespace {

template <class Case>
class CyclesOn : public SpaceTest<Case> {
 protected:
  using T = typename Case::T;

  template <class Space>
  static std::vector<T> cycle_of(const Space& space, const Csr<T>& a, int sweeps, const std::vector<T>& r) {
    const Multigrid<Space, T> m(space, a, {.kind = MultigridKind::structured, .sweeps = sweeps});
    const Vector<Space, T> given(space, std::span<const T>(r));
    Vector<Space, T> z(space, r.size());
    m.apply(given, z);
    return z.download();
  }

  void expect_steps(const Csr<T>& a) const {
    const std::vector<T> r = random_vector<T>(a.rows, 5);
    for (const int sweeps : {1, 2}) {
      const std::vector<T> expected = cycle_of(Host(), a, sweeps, r), found = cycle_of(this->space(), a, sweeps, r);
      double error = 0, largest = 0;
      for (std::size_t i = 0; i < r.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
        error = std::isfinite(difference) ? std::max(error, difference) : HUGE_VAL;
        largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      }
      EXPECT_LE(error, 1e-5 * largest) << sweeps << " sweeps";
    }
  }
};
using OnGpu = testing::Types<On<Cuda, float>, On<Cuda, double>>;
TYPED_TEST_SUITE(CyclesOn, OnGpu, SpaceNames);

// Passes in two dimensions and down in three, cells on a million points, one kernel for small grids, steps elsewhere.
TYPED_TEST(CyclesOn, GiveWhatTheStepsGive) {
  using T = typename TypeParam::T;
  for (const Extents& e :
       {Extents{300, 1, 1}, {300, 257, 1}, {33, 65, 97}, {90, 90, 90}, {136, 64, 140}, {8, 720, 30}}) {
    for (const bool star : {true, false}) {
      if (!star && e.points() > std::size_t{1} << 20) continue;
      SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z << (star ? "" : ", full"));
      this->expect_steps(grid_matrix<T>(e, laplacian(e, star)));
      this->expect_steps(grid_matrix<T>(e, varied(e, star, 0.5)));
    }
  }
}

TYPED_TEST(CyclesOn, GiveWhatTheStepsGiveAroundPeriodicAxes) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{130, 100, 1}, {40, 33, 30}}) {
    SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z);
    this->expect_steps(grid_matrix<T>(e, symmetric_around(e, 3, varied(e, true, 1)), 0.01, 3));
  }
}

}  // namespace
}  // namespace ostinato::test
