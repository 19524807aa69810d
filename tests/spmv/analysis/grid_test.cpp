// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/grids.hpp"
#include "support/shared_matrices.hpp"
#include "support/spaces.hpp"
#include "support/systems.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GridOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  Grid find(const Csr<Value>& a) const { return Analysis(this->space(), a).grid(); }
  bool may_have_several_unknowns(const Csr<Value>& a) const {
    return ostinato::may_have_several_unknowns(Analysis(this->space(), a).structure());
  }
};

TYPED_TEST_SUITE(GridOf, EverySpace, SpaceNames);

TYPED_TEST(GridOf, IsFoundInTheDiagonals) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{5}, Extents{100}, Extents{4, 4}, Extents{5, 9}, Extents{9, 4}, Extents{64, 33},
                           Extents{4, 4, 4}, Extents{4, 6, 11}, Extents{7, 5, 4}, Extents{12, 4, 5}}) {
    for (const bool star : {true, false}) {
      const Grid grid = this->find(grid_matrix<T>(e, laplacian(e, star)));

      EXPECT_EQ(grid.extents, e) << grid.text();
      EXPECT_EQ(grid.dimensions, (e.z > 1) + (e.y > 1) + 1);
      EXPECT_EQ(grid.star, star || e.y == 1);
      EXPECT_EQ(grid.unknowns, 1);
      EXPECT_EQ(grid.periodic_axes(), "");
    }
  }
}

TYPED_TEST(GridOf, IsTold) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->find(generate<T>("poisson3d", {.n = 8})).text(), "8 x 8 x 8, 7-point");
  EXPECT_EQ(this->find(generate<T>("poisson2d", {.n = 8})).text(), "8 x 8, 5-point");
  EXPECT_EQ(this->find(generate<T>("fem27", {.n = 8})).text(), "8 x 8 x 8, 27-point");
}

TYPED_TEST(GridOf, IsNoneWhereAnEntryRunsOverTheEndOfALine) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 9});
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      triplets.push_back({i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]});
  }
  triplets.push_back({8, 9, T{0}});
  EXPECT_TRUE(this->find(from_triplets<T>(81, 81, triplets))) << "an entry of value 0";
  triplets.push_back({8, 9, T{1}});

  const Grid grid = this->find(from_triplets<T>(81, 81, triplets));

  EXPECT_FALSE(grid);
  EXPECT_EQ(grid.text(), "no grid: entries run over the end of a line of the grid");
}

TYPED_TEST(GridOf, IsNoneForOtherMatrices) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->find(diagonal_matrix<T>({1, 2, 3, 4, 5})).why_not, "the matrix is diagonal");
  EXPECT_EQ(this->find(dense<T>({{1, 2, 3}, {4, 5, 6}})).why_not, "the matrix isn't square");
  EXPECT_EQ(this->find(Csr<T>{}).why_not, "the matrix has fewer than 4 rows");
  EXPECT_NE(this->find(generate<T>("random", {.n = 500, .entries_per_row = 5})).why_not.find("diagonals"),
            std::string::npos);
  for (const char* family : {"maxwell2d", "banded"}) EXPECT_FALSE(this->find(generate<T>(family, {.n = 12}))) << family;
}

TYPED_TEST(GridOf, HasSeveralUnknownsAtAPoint) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{30}, Extents{5, 9}, Extents{9, 4}, Extents{4, 4, 4}, Extents{7, 5, 4}}) {
    for (const int unknowns : {2, 3, 5, 8}) {
      for (const bool star : {true, false}) {
        for (const bool by_field : {true, false}) {
          const Grid grid = this->find(with_unknowns(grid_matrix<T>(e, laplacian(e, star)), unknowns, by_field, 0.25));

          EXPECT_EQ(grid.extents, e) << grid.text();
          EXPECT_EQ(grid.unknowns, unknowns) << grid.text();
          EXPECT_EQ(grid.by_field, by_field) << grid.text();
          EXPECT_EQ(grid.star, star || e.y == 1);
        }
      }
    }
  }
  EXPECT_EQ(this->find(elasticity<T>({8, 6, 5}, false)).text(), "8 x 6 x 5, 27-point, 3 unknowns a point");
  EXPECT_EQ(this->find(elasticity<T>({8, 6}, true)).text(), "8 x 6, 9-point, 2 unknowns a point");
  EXPECT_EQ(this->find(generate<T>("kgs2d", {.n = 12})).text(), "12 x 12, 5-point, 2 unknowns a point");
  const Extents pairs{2, 50};
  EXPECT_EQ(this->find(grid_matrix<T>(pairs, laplacian(pairs, false))).text(), "50, 3-point, 2 unknowns a point");
}

// A chain of unknowns looks like an axis, whose ends are beside each other in few points only.
template <class T>
Csr<T> chains(Index points, int unknowns, bool by_field, Index closed) {
  std::vector<Triplet<T>> triplets;
  const auto row = [&](Index point, int u) { return by_field ? u * points + point : point * unknowns + u; };
  const auto couple = [&](Index i, Index j) {
    triplets.push_back({i, j, T{-1}});
    triplets.push_back({j, i, T{-1}});
  };
  for (Index p = 0; p < points; ++p) {
    for (int u = 0; u < unknowns; ++u) {
      triplets.push_back({row(p, u), row(p, u), T{5}});
      if (u + 1 < unknowns) couple(row(p, u), row(p, u + 1));
      if (p + 1 < points) couple(row(p, u), row(p + 1, u));
    }
    if (p < closed) couple(row(p, 0), row(p, unknowns - 1));
  }
  return from_triplets<T>(points * unknowns, points * unknowns, triplets);
}

TYPED_TEST(GridOf, MayHaveSeveralUnknownsUnlessOffsetsShowLongAxes) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{30}, Extents{100, 90}, Extents{10, 11, 12}, Extents{32, 32, 32}}) {
    const Csr<T> a = grid_matrix<T>(e, laplacian(e, true));
    EXPECT_FALSE(this->may_have_several_unknowns(a));
    for (const bool by_field : {true, false})
      EXPECT_TRUE(this->may_have_several_unknowns(with_unknowns(a, 2, by_field, 0.25)));
  }
  EXPECT_FALSE(this->may_have_several_unknowns(periodic_laplacian<T>({18, 16, 15}, 5, true)));
  EXPECT_TRUE(this->may_have_several_unknowns(periodic_laplacian<T>({4, 6}, 1, true)));
  for (int unknowns = 2; unknowns <= 8; ++unknowns) {
    for (const bool by_field : {true, false}) {
      for (const Index closed : {0, 3, 60}) {
        const Csr<T> a = chains<T>(60, unknowns, by_field, closed);
        const bool has_several = this->find(a).unknowns > 1;
        EXPECT_TRUE(!has_several || this->may_have_several_unknowns(a)) << unknowns << ' ' << closed;
      }
    }
  }
  EXPECT_TRUE(this->may_have_several_unknowns(elasticity<T>({18, 16, 15}, false)));
  EXPECT_FALSE(this->may_have_several_unknowns(from_triplets<T>(0, 0, {})));
}

TYPED_TEST(GridOf, IsNoneForNarrowBands) {
  using T = typename TypeParam::T;
  for (const Index far : {2, 3, 4, 6, 8, 15}) {
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < 240; ++i) {
      for (Index j = std::max<Index>(0, i - far); j <= std::min<Index>(239, i + far); ++j)
        triplets.push_back({i, j, T{1}});
    }
    const Grid grid = this->find(from_triplets<T>(240, 240, triplets));
    EXPECT_FALSE(grid) << far << ": " << grid.text();
  }
}

TYPED_TEST(GridOf, IsPeriodicAlongAnyAxes) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{30}, Extents{5, 9}, Extents{9, 5}, Extents{5, 6, 7}, Extents{12, 7, 5},
                           Extents{9, 4}, Extents{12, 4, 5}, Extents{12, 7, 4}}) {
    for (int around = 1; around < (e.y == 1 ? 2 : e.z == 1 ? 4 : 8); ++around) {
      for (const bool star : {true, false}) {
        for (const int unknowns : {1, 2}) {
          for (const bool by_field : {true, false}) {
            const Csr<T> a = periodic_laplacian<T>(e, around, star);
            const Grid grid = this->find(with_unknowns(a, unknowns, by_field, 0.25));

            EXPECT_EQ(grid.extents, e) << grid.text();
            EXPECT_EQ(grid.unknowns, unknowns) << grid.text();
            for (int k = 0; k < 3; ++k) EXPECT_EQ(grid.periodic[static_cast<std::size_t>(k)], (around >> k & 1) != 0);
          }
        }
      }
    }
  }
  EXPECT_EQ(this->find(periodic_laplacian<T>({8, 6, 5}, 1, true)).text(), "8 x 6 x 5, 7-point, periodic along x");
  EXPECT_EQ(this->find(periodic_laplacian<T>({8, 6, 5}, 5, true)).text(), "8 x 6 x 5, 7-point, periodic along x and z");
  EXPECT_EQ(this->find(periodic_laplacian<T>({8, 6, 5}, 7, true)).text(),
            "8 x 6 x 5, 7-point, periodic along x, y and z");
  EXPECT_EQ(this->find(periodic_laplacian<T>({4, 6}, 1, true)).text(), "4 x 6, 5-point, periodic along x");
  EXPECT_EQ(this->find(periodic_laplacian<T>({8, 4}, 2, true)).text(), "8 x 4, 5-point, periodic along y");
  EXPECT_EQ(this->find(periodic_laplacian<T>({4, 4, 4}, 7, true)).text(),
            "4 x 4 x 4, 7-point, periodic along x, y and z");
}

// The end of a line leads to the beginning of the next one.
TYPED_TEST(GridOf, IsNoneForAScrew) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 100; ++i) {
    for (const Index step : {-10, -1, 0, 1, 10}) triplets.push_back({i, (i + step + 100) % 100, T{1}});
  }
  EXPECT_FALSE(this->find(from_triplets<T>(100, 100, triplets)));
}

TYPED_TEST(GridOf, KnowsHowManyRowsAreDominant) {
  using T = typename TypeParam::T;
  const Extents e{10, 10};
  EXPECT_DOUBLE_EQ(this->find(grid_matrix<T>(e, laplacian(e, true))).dominant, 0.36);
  EXPECT_DOUBLE_EQ(this->find(grid_matrix<T>(e, laplacian(e, true), 1)).dominant, 1);
}

TYPED_TEST(GridOf, KnowsHowManyRowsAreDominantAmongTheEntriesOfTheirUnknown) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->find(generate<T>("poisson2d", {.n = 10})).dominant_alone, 0) << "a single unknown";
  const Grid blocks = this->find(generate<T>("fem27", {.n = 6, .unknowns = 3}));
  EXPECT_EQ(blocks.unknowns, 3);
  EXPECT_EQ(blocks.dominant_alone, 1);
  const Csr<T> l = generate<T>("poisson2d", {.n = 10});
  for (const bool by_field : {true, false}) {
    std::vector<Triplet<T>> t;
    const auto number = [&](Index point, Index unknown) {
      return by_field ? unknown * l.rows + point : 2 * point + unknown;
    };
    for (const Index u : {0, 1}) {
      for (Index i = 0; i < l.rows; ++i) {
        for (Offset k = l.row_ptr[i]; k < l.row_ptr[i + 1]; ++k)
          t.push_back({number(i, u), number(l.col[k], u), l.val[k] + (u == 0 && l.col[k] == i ? T{4} : T{0})});
        t.push_back({number(i, u), number(i, 1 - u), T{-3}});
      }
    }
    const Grid grid = this->find(from_triplets<T>(2 * l.rows, 2 * l.rows, t));
    EXPECT_EQ(grid.unknowns, 2) << grid.text();
    EXPECT_DOUBLE_EQ(grid.dominant_alone, 0.52) << "those of the first unknown, and the corners of the second";
  }
}

TEST(Grid, IsFoundInSharedMatricesThatHaveOne) {
  if (const std::string reason = why_no_shared_matrices(); !reason.empty()) GTEST_SKIP() << reason;
  const std::map<std::string, std::string> on_a_grid = {{"Laplace3D10", "10 x 10 x 10, 7-point"},
                                                        {"BentPipe2D100", "100 x 100, 5-point"},
                                                        {"bcsstk03", "28, 3-point, 4 unknowns a point"},
                                                        {"bcsstk21", "20 x 30, 5-point, 6 unknowns a point"},
                                                        {"dwb512", "16 x 16, 5-point, 2 unknowns a point"},
                                                        {"gr_30_30", "30 x 30, 9-point"},
                                                        {"lap3d_40", "40 x 40 x 40, 7-point"},
                                                        {"nos1", "79, 3-point, 3 unknowns a point"},
                                                        {"nos3", "20 x 24, 9-point, 2 unknowns a point"},
                                                        {"nos7", "9 x 9 x 9, 7-point"},
                                                        {"olm1000", "500, 3-point, 2 unknowns a point"},
                                                        {"olm500", "250, 3-point, 2 unknowns a point"},
                                                        {"orsreg_1", "21 x 21 x 5, 7-point"},
                                                        {"sherman3", "35 x 11 x 13, 7-point"},
                                                        {"watt_1", "8 x 8 x 29, 7-point"}};
  for (const auto& entry : shared_matrices()) {
    const Grid grid = Analysis(Host{}, read_matrix_market<double>(entry.path())).grid();
    const auto known = on_a_grid.find(entry.name);
    EXPECT_EQ(grid ? grid.text() : "", known == on_a_grid.end() ? "" : known->second) << entry.name;
  }
}

}  // namespace
}  // namespace ostinato::test
