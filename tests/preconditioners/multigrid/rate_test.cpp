// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/rate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

// What rate() says of hierarchies without a coarse grid, and that it says of others what it said.

namespace ostinato::test {
namespace {

template <class Case>
class RateOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(RateOn, EverySpace, SpaceNames);

TYPED_TEST(RateOn, OfASmootherAloneIsPoorOnAGrid) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const char* family : {"poisson2d", "mesh2d"}) {
    const auto a = generate<T>(family, {.n = 60});
    const auto n = static_cast<std::size_t>(a.rows);
    const Multigrid<Space, T> whole(this->space(), a, {.kind = MultigridKind::aggregation});
    ASSERT_GT(whole.levels().size(), 1u);
    EXPECT_LT(whole.rate(), 0.3);
    EXPECT_EQ(whole.remarks().find("smoother alone"), std::string::npos);
    std::vector<double> one(n, 0.0);
    one[7] = 1;
    for (const MultigridOptions& options :
         {MultigridOptions{.kind = MultigridKind::aggregation, .threshold = 1},
          MultigridOptions{.kind = MultigridKind::aggregation, .near_null = std::vector<double>(n, 0.0)},
          MultigridOptions{.kind = MultigridKind::aggregation, .near_null = one}}) {
      const Multigrid<Space, T> alone(this->space(), a, options);
      EXPECT_GT(alone.rate(), 0.7) << family << ", " << alone.levels().size() << " levels";
      if (alone.levels().size() == 1) {
        EXPECT_NE(alone.remarks().find("no coarse grid: the smoother alone"), std::string::npos) << alone.remarks();
      }
    }
  }
}

/// Rows that their diagonal dominates by far need no coarse grid.
TYPED_TEST(RateOn, OfASmootherAloneIsGoodWhereRowsAreDominant) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  auto a = generate<T>("poisson2d", {.n = 40});
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      if (a.col[k] == i) a.val[k] = 40;
    }
  }
  for (const MultigridKind kind : {MultigridKind::classical, MultigridKind::aggregation}) {
    const Multigrid<Space, T> m(this->space(), a, {.kind = kind});
    EXPECT_LT(m.rate(), 0.1) << m.remarks();
  }
}

/// A smoother by hand: it shrinks element i by 1 - i / n, so that the last elements stay for many cycles.
/// A ring, of which constants are left, is no worse for that.
TEST(MultigridRate, AllowsASmootherAloneOnASingularMatrix) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < 600; ++i) t.insert(t.end(), {{i, i, 2}, {i, (i + 1) % 600, -1}, {i, (i + 599) % 600, -1}});
  const Multigrid<Host, double> m(Host(), from_triplets(600, 600, t),
                                  {.kind = MultigridKind::aggregation, .threshold = 1});
  EXPECT_GT(m.rate(), 0.7);
  EXPECT_LT(m.rate(), 1);
}

TEST(RateOfRepeated, IsThatOfWhatIsLeft) {
  const Host space;
  const std::size_t n = 1000;
  const auto product = [](const auto& x, auto& y) { std::copy(x.data(), x.data() + x.size(), y.data()); };
  const auto cycle_by = [n](double slowest) {
    return [n, slowest](const auto& r, auto& z) {
      for (std::size_t i = 0; i < n; ++i)
        z.data()[i] = static_cast<float>(r.data()[i] * (1 - (i % 10 == 0 ? slowest : 0.1)));
    };
  };
  for (const bool energy : {false, true}) {
    const auto rate = [&](double slowest) {
      return multigrid::rate_of_repeated(space, n, energy, product, cycle_by(slowest));
    };
    EXPECT_NEAR(rate(0.95), 0.95, 1e-3);
    EXPECT_NEAR(rate(0.6), 0.6, 1e-3);
    EXPECT_EQ(rate(0.1), 0) << "nothing is left";
    EXPECT_EQ(rate(1), 0.999) << "1 but for rounding";
    EXPECT_GT(rate(1.5), 1.4);
  }
}

}  // namespace
}  // namespace ostinato::test
