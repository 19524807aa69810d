// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

#include "support/matrices.hpp"

namespace ostinato::test {
namespace {
namespace structured {

using namespace multigrid;

// The GPU takes cells on grids of a million points, the host never does: here they run on the host, on small grids.
TEST(CycleSteps, InterpolateByCellsWhatIsInterpolatedByPairs) {
  for (const Extents& fine : {Extents{2, 2, 2}, Extents{3, 2, 5}, Extents{8, 8, 8}, Extents{9, 7, 11},
                              Extents{16, 3, 2}, Extents{5, 12, 7}, Extents{2, 9, 30}}) {
    const Extents coarse{fine.x / 2, fine.y / 2, fine.z / 2};
    for (const bool by_class : {true, false}) {
      SCOPED_TRACE(testing::Message() << fine.x << " x " << fine.y << " x " << fine.z << (by_class ? " by class" : ""));
      const std::size_t weights = neighbours * (by_class ? std::size_t{scaled_classes} : coarse.points());
      const auto p = random_vector<float>(static_cast<Index>(weights), 1);
      const auto x = random_vector<float>(static_cast<Index>(fine.points()), 2),
                 of_coarse = random_vector<float>(static_cast<Index>(coarse.points()), 3);
      const Coefficients view{coarse, p.data(), by_class};
      std::vector<float> pairs(fine.points(), std::numeric_limits<float>::quiet_NaN()), cells = pairs;

      const Interpolate<7> by_pairs{view, fine, x.data(), 0.8f, of_coarse.data(), pairs.data()};
      for_points(by_pairs.cells(), by_pairs);
      const InterpolateCells by_cells{view, fine, x.data(), 0.8f, of_coarse.data(), cells.data()};
      for_points(by_cells.cells(), by_cells);

      for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_FLOAT_EQ(cells[i], pairs[i]) << i;
    }
  }
}

}  // namespace structured
}  // namespace
}  // namespace ostinato::test
