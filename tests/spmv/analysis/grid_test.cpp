// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/grid.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/grids.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GridOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  Grid find(const Csr<Value>& a) const { return Analysis(this->space(), a).grid(); }
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
  for (const char* family : {"kgs2d", "maxwell2d", "banded"})
    EXPECT_FALSE(this->find(generate<T>(family, {.n = 12}))) << family;
  // Two unknowns at each point of a line.
  const Extents pairs{2, 50};
  EXPECT_FALSE(this->find(grid_matrix<T>(pairs, laplacian(pairs, false))));
}

TYPED_TEST(GridOf, KnowsHowManyRowsAreDominant) {
  using T = typename TypeParam::T;
  const Extents e{10, 10};
  EXPECT_DOUBLE_EQ(this->find(grid_matrix<T>(e, laplacian(e, true))).dominant, 0.36);
  EXPECT_DOUBLE_EQ(this->find(grid_matrix<T>(e, laplacian(e, true), 1)).dominant, 1);
}

}  // namespace
}  // namespace ostinato::test
