// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "preconditioners/multigrid/coordinates.hpp"
#include "preconditioners/multigrid/multigrid_suite.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

// Multigrid with kind=aggregation.

namespace ostinato::test {
namespace {

MultigridOptions aggregation(int unknowns = 1, PointCoordinates coordinates = {}) {
  MultigridOptions options{.kind = MultigridKind::aggregation};
  options.unknowns = unknowns;
  options.coordinates = std::move(coordinates);
  return options;
}

template <class Case>
class MultigridByAggregationOn : public MultigridSuite<Case> {
 protected:
  /// The iterations of CG.
  int solve(const Csr<typename Case::T>& a, const MultigridOptions& options) const {
    return this->iterations(a, "cg", options);
  }
};

TYPED_TEST_SUITE(MultigridByAggregationOn, EverySpace, SpaceNames);

TYPED_TEST(MultigridByAggregationOn, IsSymmetricAndPositive) {
  using T = typename TypeParam::T;
  const Extents e{6, 7, 8};
  const std::vector<std::pair<Csr<T>, MultigridOptions>> cases = {
      {elasticity<T>(e, false), aggregation(3, coordinates_of(e, 3))},
      {elasticity<T>(e, false), aggregation(3)},
      {graph_laplacian<T>(597, 3, 2, 0.1, 1), aggregation()},
      {times(graph_laplacian<T>(597, 3, 1, 0.1, 1), -3), aggregation()}};
  for (const auto& [a, options] : cases) {
    this->expect_symmetric_and_positive(Multigrid(this->space(), a, options), a.rows);
  }
}

TYPED_TEST(MultigridByAggregationOn, SolvesElasticityWithRigidBodyModes) {
  using T = typename TypeParam::T;
  const auto solid = [&](Index n, bool modes) {
    const Extents e{n, n, n};
    return this->solve(elasticity<T>(e, false), modes ? aggregation(0, coordinates_of(e, 3)) : aggregation(3));
  };
  const int small = solid(8, true), large = solid(16, true);
  EXPECT_LE(large, 16);
  EXPECT_LE(large, small + 5);
  EXPECT_LT(large, solid(16, false));
  const Extents plate{60, 60, 1};
  EXPECT_LE(this->solve(elasticity<T>(plate, false), aggregation(2, coordinates_of(plate, 2))), 18);
}

TYPED_TEST(MultigridByAggregationOn, SolvesElasticityOfThinBodies) {
  using T = typename TypeParam::T;
  for (const auto& [e, most] : {std::pair{Extents{40, 2, 2}, 35}, {Extents{100, 4, 4}, 45}, {Extents{24, 24, 2}, 50}})
    EXPECT_LE(this->solve(elasticity<T>(e, false), aggregation(3, coordinates_of(e, 3))), most) << e.x;
}

TYPED_TEST(MultigridByAggregationOn, RefusesWhatIsntDefinite) {
  using T = typename TypeParam::T;
  for (const double shift : {0.5, 3.9}) {
    Csr<T> a = renumbered(generate<T>("poisson2d", {.n = 60}));
    for (Index i = 0; i < a.rows; ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        if (a.col[k] == i) a.val[k] -= static_cast<T>(shift);
    EXPECT_THROW((Multigrid<typename TypeParam::Space, T>(this->space(), a, aggregation())), ArgumentError) << shift;
  }
}

/// A hub with spokes of four points each: the hub is beside as many aggregates as there are spokes.
template <class T>
Csr<T> spokes(Index count) {
  std::vector<Triplet<T>> triplets;
  const Index rows = 4 * count + 1;
  for (Index i = 0; i < rows; ++i) triplets.push_back({i, i, static_cast<T>(1e-2)});
  for (Index i = 1; i < rows; ++i) {
    const Index j = i % 4 == 1 ? 0 : i - 1;
    triplets.insert(triplets.end(), {{i, j, T{-1}}, {j, i, T{-1}}, {i, i, T{1}}, {j, j, T{1}}});
  }
  return from_triplets<T>(rows, rows, triplets);
}

TYPED_TEST(MultigridByAggregationOn, RefusesToTakeTheSquareOfALongRow) {
  using T = typename TypeParam::T;
  EXPECT_NO_THROW((Multigrid<typename TypeParam::Space, T>(this->space(), spokes<T>(60), aggregation())));
  try {
    const Multigrid<typename TypeParam::Space, T> m(this->space(), spokes<T>(4000), aggregation());
    FAIL();
  } catch (const ArgumentError& e) {
    EXPECT_NE(std::string(e.what()).find("joins too many others"), std::string::npos) << e.what();
  }
}

TYPED_TEST(MultigridByAggregationOn, TakesNearNullVectorsOfAnySize) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("poisson2d", {.n = 40}));
  const int expected = this->solve(a, aggregation());
  for (const double size : {1e-300, 1e-170, 1e170, 1e300}) {
    MultigridOptions options = aggregation();
    options.near_null.assign(static_cast<std::size_t>(a.rows), size);
    EXPECT_LE(this->solve(a, options), expected + 1) << size;
  }
}

TYPED_TEST(MultigridByAggregationOn, SolvesWithConstants) {
  using T = typename TypeParam::T;
  EXPECT_LE(this->solve(renumbered(generate<T>("poisson3d", {.n = 24})), aggregation()), 12);
  EXPECT_LE(this->solve(renumbered(generate<T>("poisson2d", {.n = 100})), aggregation()), 14);
  EXPECT_LE(this->solve(renumbered(generate<T>("anisotropic", {.n = 60})), aggregation()), 16);
  EXPECT_LE(this->solve(generate<T>("fem27", {.n = 12}), aggregation(0)), 12);
  EXPECT_LE(this->solve(generate<T>("fem27", {.n = 12, .unknowns = 3}), aggregation(3)), 12);
}

TYPED_TEST(MultigridByAggregationOn, TakesSystemsOfAllSizes) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 149, 151, 597}) {
    const int iterations = this->solve(graph_laplacian<T>(n, 2, 1, 0.1, 1), aggregation());
    EXPECT_LE(iterations, n <= 150 ? 3 : 20) << n;
    this->solve(with_unknowns(graph_laplacian<T>(n, 2, 1, 0.1, 1), 3, false, 0.1), aggregation(3));
  }
}

/// The constants of the user are those that are taken without any.
TYPED_TEST(MultigridByAggregationOn, TakesVectors) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(2000, 3, 1, 0.01, 1);
  MultigridOptions given = aggregation();
  given.near_null.assign(static_cast<std::size_t>(a.rows), 1.0);
  const auto r = random_vector<T>(a.rows, 2);
  EXPECT_TRUE(same_bits(this->apply(Multigrid(this->space(), a, given), r),
                        this->apply(Multigrid(this->space(), a, aggregation()), r)));
}

TYPED_TEST(MultigridByAggregationOn, IsTheSameOnEveryRun) {
  using T = typename TypeParam::T;
  const Extents e{9, 10, 11};
  const Csr<T> a = elasticity<T>(e, false);
  const auto r = random_vector<T>(a.rows, 2);
  const Multigrid m(this->space(), a, aggregation(3, coordinates_of(e, 3)));
  const auto first = this->apply(m, r);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(same_bits(this->apply(Multigrid(this->space(), a, aggregation(3, coordinates_of(e, 3))), r), first));
}

TYPED_TEST(MultigridByAggregationOn, TakesNewValuesWithTheSameOptions) {
  using T = typename TypeParam::T;
  const Extents e{9, 9, 9};
  const Csr<T> a = elasticity<T>(e, false), c = elasticity<T>(e, false, 0.2);
  Multigrid m(this->space(), a, aggregation(3, coordinates_of(e, 3)));
  m.update_values(Analysis(this->space(), c));
  const auto r = random_vector<T>(a.rows, 2);
  EXPECT_TRUE(
      same_bits(this->apply(m, r), this->apply(Multigrid(this->space(), c, aggregation(3, coordinates_of(e, 3))), r)));
}

TYPED_TEST(MultigridByAggregationOn, SaysWhatIsWrong) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(30, 3, 1, 0.1, 1);
  const auto why = [&](const MultigridOptions& options) {
    return message_of<ArgumentError>([&] { Multigrid(this->space(), a, options); });
  };
  EXPECT_EQ(why(aggregation(7)),
            "multigrid: 30 rows can't have 7 unknowns a point; give unknowns=K that divides the number of rows");
  EXPECT_EQ(why(aggregation(3, {3, {1, 2, 3}})),
            "multigrid: coordinates of 1 points, but the matrix has 10 points with 3 unknowns each");
  EXPECT_EQ(why(aggregation(1, {3, {1, 2, 3}})),
            "multigrid: coordinates in 3 dimensions are for as many unknowns a point, not 1; give near-null vectors "
            "instead");
  EXPECT_EQ(why(aggregation(1, {1, {1, 2, 3}})), "multigrid: coordinates.dimensions is 1; it has to be 2 to 3");
  EXPECT_EQ(why(aggregation(0, {4, std::vector<double>(28)})),
            "multigrid: coordinates.dimensions is 4; it has to be 2 to 3");
  EXPECT_EQ(why(aggregation(2, {2, std::vector<double>(30, HUGE_VAL)})), "multigrid: not all coordinates are finite");
  MultigridOptions wrong = aggregation();
  wrong.near_null = {1, 2};
  EXPECT_EQ(why(wrong), "multigrid: near-null vectors of 2 elements in all, which isn't a multiple of 30 rows");
  wrong.kind = MultigridKind::classical;
  EXPECT_EQ(why(wrong), "multigrid: coordinates and near-null vectors are for kind=aggregation");
}

}  // namespace
}  // namespace ostinato::test
