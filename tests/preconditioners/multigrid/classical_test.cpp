// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "preconditioners/multigrid/multigrid_suite.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

// Multigrid with kind=classical, on matrices without a grid.

namespace ostinato::test {
namespace {

const MultigridOptions classical{.kind = MultigridKind::classical};

template <class Case>
class ClassicalOn : public MultigridSuite<Case> {
 protected:
  SolveResult solve(const Csr<typename Case::T>& a, const std::string& solver,
                    MultigridOptions options = classical) const {
    return MultigridSuite<Case>::solve(a, solver, options);
  }
};

TYPED_TEST_SUITE(ClassicalOn, EverySpace, SpaceNames);

TYPED_TEST(ClassicalOn, IsSymmetricAndPositive) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a :
       {renumbered(generate<T>("poisson3d", {.n = 9})), graph_laplacian<T>(597, 3, 2, 0.1, 1),
        graph_laplacian<T>(400, 3, 1, 0.5, 2, 6), times(renumbered(generate<T>("poisson2d", {.n = 20})), -4)}) {
    this->expect_symmetric_and_positive(Multigrid(this->space(), a, classical), a.rows);
  }
}

TYPED_TEST(ClassicalOn, SolvesInFewIterations) {
  using T = typename TypeParam::T;
  const std::vector<std::pair<Csr<T>, int>> cases = {
      {renumbered(generate<T>("poisson3d", {.n = 20})), 10},
      {renumbered(generate<T>("poisson2d", {.n = 100})), 10},
      {renumbered(generate<T>("variable3d", {.n = 20})), 10},
      {renumbered(generate<T>("anisotropic", {.n = 60})), 12},
      {renumbered(generate<T>("fem27", {.n = 10})), 10},
      {graph_laplacian<T>(3000, 3, 3, 1e-3, 1), 14},
      {times(renumbered(generate<T>("poisson2d", {.n = 50})), -1e-3), 10}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const SolveResult result = this->solve(cases[i].first, "cg");
    EXPECT_TRUE(result) << i << ": " << result.message();
    EXPECT_LE(result.iterations, cases[i].second) << i;
  }
}

/// Eigenvalues of D^-1 A up to 4, in a matrix that finite elements have left symmetric but for rounding.
TYPED_TEST(ClassicalOn, JacobiIsPositiveWhereEigenvaluesAreLarge) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(elasticity<T>({6, 6, 6}, false));
  for (const MultigridKind kind :
       {MultigridKind::classical, MultigridKind::aggregation, MultigridKind::pairwise, MultigridKind::plain}) {
    const SolveResult result = this->solve(a, "cg", {.kind = kind, .smoother = Smoother::jacobi});
    EXPECT_TRUE(result) << static_cast<int>(kind) << ": " << result.message();
    EXPECT_LE(result.iterations, 45) << static_cast<int>(kind);
  }
}

/// Why multigrid refuses a matrix; empty where it takes the matrix.
template <class Space, class T>
std::string why_refused(const Space& space, const Csr<T>& a, const MultigridOptions& options) {
  try {
    const Multigrid m(space, a, options);
    return {};
  } catch (const ArgumentError& e) {
    return e.what();
  }
}

/// Convection along both axes of a grid, by central differences: entries of -1 - speed and -1 + speed beside a 4.
template <class T>
Csr<T> strong_convection(Index n, double speed) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n * n; ++i) {
    const Index x = i % n, y = i / n;
    triplets.push_back({i, i, T{4}});
    if (x > 0) triplets.push_back({i, i - 1, static_cast<T>(-1 - speed)});
    if (x + 1 < n) triplets.push_back({i, i + 1, static_cast<T>(-1 + speed)});
    if (y > 0) triplets.push_back({i, i - n, static_cast<T>(-1 - speed)});
    if (y + 1 < n) triplets.push_back({i, i + n, static_cast<T>(-1 + speed)});
  }
  return from_triplets<T>(n * n, n * n, triplets);
}

TYPED_TEST(ClassicalOn, RefusesACycleThatOverflows) {
  using T = typename TypeParam::T;
  for (const double speed : {500.0, 5e5}) {
    const Csr<T> a = renumbered(strong_convection<T>(60, speed));
    EXPECT_NE(why_refused(this->space(), a, classical).find("doesn't make a random error smaller"), std::string::npos);
  }
}

/// Two hubs, one of which has more neighbours and becomes coarse, so that the other becomes fine; the neighbours of the
/// fine one are joined in pairs, half of them coarse.
template <class T>
Csr<T> two_hubs(Index n) {
  std::vector<Triplet<T>> triplets;
  const Index rows = 3 * n + 2;
  for (Index i = 0; i < rows; ++i) triplets.push_back({i, i, static_cast<T>(1e-3)});
  const auto join = [&](Index i, Index j) {
    triplets.insert(triplets.end(), {{i, j, T{-1}}, {j, i, T{-1}}, {i, i, T{1}}, {j, j, T{1}}});
  };
  join(0, 1);
  for (Index k = 0; k < n; ++k) join(1, 2 + k);
  for (Index k = 0; k + 1 < n; k += 2) join(2 + k, 3 + k);
  for (Index k = n; k < 3 * n; ++k) join(0, 2 + k);
  return from_triplets<T>(rows, rows, triplets);
}

TYPED_TEST(ClassicalOn, RefusesToTakeTheSquareOfALongRow) {
  using T = typename TypeParam::T;
  for (const bool aggressive : {false, true}) {
    MultigridOptions options = classical;
    options.aggressive = aggressive;
    EXPECT_EQ(why_refused(this->space(), two_hubs<T>(20), options), "");
    EXPECT_NE(why_refused(this->space(), two_hubs<T>(6000), options).find("joins too many others"), std::string::npos);
  }
}

TYPED_TEST(ClassicalOn, SolvesWhatIsntSymmetric) {
  using T = typename TypeParam::T;
  for (const char* solver : {"gmres", "bicgstab"}) {
    const SolveResult result = this->solve(renumbered(generate<T>("convection-diffusion3d", {.n = 16})), solver);
    EXPECT_TRUE(result) << result.message();
    EXPECT_LE(result.iterations, 15) << solver;
  }
}

TYPED_TEST(ClassicalOn, IterationsHardlyGrowWithTheSize) {
  using T = typename TypeParam::T;
  const int small = this->solve(renumbered(generate<T>("poisson3d", {.n = 8})), "cg").iterations;
  const int large = this->solve(renumbered(generate<T>("poisson3d", {.n = 32})), "cg").iterations;
  EXPECT_LE(large, small + 6);
}

/// Finite volumes on n x n x n cells, of which cell i has the coefficient k(i); numbered at random.
template <class T, class F>
Csr<T> diffusion(Index n, F k) {
  std::vector<Triplet<T>> triplets;
  const Index steps[] = {1, n, n * n};
  for (Index i = 0; i < n * n * n; ++i) {
    for (const Index step : steps) {
      const Index at = i / step % n;
      const double own = k(i);
      if (at == 0 || at == n - 1) triplets.push_back({i, i, static_cast<T>(2 * own)});
      if (at == n - 1) continue;
      const double next = k(i + step);
      const T w = static_cast<T>(2 * own * next / (own + next));
      triplets.insert(triplets.end(), {{i, i + step, -w}, {i + step, i, -w}, {i, i, w}, {i + step, i + step, w}});
    }
  }
  return renumbered(from_triplets<T>(n * n * n, n * n * n, triplets));
}

/// Bilinear finite elements on n x n inner points, with 0.01 across a direction at `degrees` to the x axis, along which
/// the coefficient is 1; numbered at random.
template <class T>
Csr<T> rotated_anisotropy(Index n, double degrees) {
  const double angle = degrees * std::acos(-1.0) / 180, c = std::cos(angle), s = std::sin(angle);
  const double xx = c * c + 0.01 * s * s, xy = 0.99 * c * s, yy = s * s + 0.01 * c * c;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n * n; ++i) {
    for (Index dy = -1; dy <= 1; ++dy) {
      for (Index dx = -1; dx <= 1; ++dx) {
        const Index x = i % n + dx, y = i / n + dy;
        if (x < 0 || y < 0 || x == n || y == n) continue;
        // Products of the 1-D matrices of stiffness (2, -1), mass (2/3, 1/6) and first derivative (0, 1/2).
        const double stiff_x = dx == 0 ? 2 : -1, stiff_y = dy == 0 ? 2 : -1;
        const double mass_x = dx == 0 ? 2.0 / 3 : 1.0 / 6, mass_y = dy == 0 ? 2.0 / 3 : 1.0 / 6;
        triplets.push_back(
            {i, x + n * y, static_cast<T>(xx * stiff_x * mass_y + yy * mass_x * stiff_y - xy * dx * dy / 2.0)});
      }
    }
  }
  return renumbered(from_triplets<T>(n * n, n * n, triplets));
}

TYPED_TEST(ClassicalOn, SolvesWithJumpsAndRotatedAnisotropy) {
  using T = typename TypeParam::T;
  constexpr Index n = 24;
  Random random(5);
  std::vector<double> of_block(27), of_cell(n * n * n);
  for (double& k : of_block) k = signed_unit(random) < 0 ? 1 : 1e6;
  for (double& k : of_cell) {  // lognormal with deviation 2: a sum of 12 uniform numbers is nearly normal
    double normal = 0;
    for (int j = 0; j < 12; ++j) normal += signed_unit(random) / 2;
    k = std::exp(2 * normal);
  }
  const auto in_blocks = [&](Index i) {
    return of_block[static_cast<std::size_t>(i % n / 8 + 3 * (i / n % n / 8) + 9 * (i / n / n / 8))];
  };
  const auto lognormal = [&](Index i) { return of_cell[static_cast<std::size_t>(i)]; };
  for (const auto& [what, a] :
       {std::pair("jumps of 1e6", diffusion<T>(n, in_blocks)), std::pair("lognormal", diffusion<T>(n, lognormal)),
        std::pair("30 degrees", rotated_anisotropy<T>(128, 30)),
        std::pair("45 degrees", rotated_anisotropy<T>(128, 45))}) {
    const SolveResult r = this->solve(a, "cg");
    EXPECT_TRUE(r) << what << ": " << r.message();
    EXPECT_LE(r.iterations, 20) << what;
  }
}

TYPED_TEST(ClassicalOn, SolvesSingularSystems) {
  using T = typename TypeParam::T;
  const SolveResult result = this->solve(graph_laplacian<T>(2000, 3, 1, 0, 1), "cg");
  EXPECT_TRUE(result) << result.message();
  EXPECT_LE(result.iterations, 15);
}

TYPED_TEST(ClassicalOn, TakesSystemsOfAllSizes) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 33, 149, 150, 151, 597}) {
    const Csr<T> a = graph_laplacian<T>(n, 2, 1, 0.1, 1);
    const SolveResult result = this->solve(a, "cg");
    EXPECT_TRUE(result) << n << ": " << result.message();
    EXPECT_TRUE(n > 150 || result.iterations <= 3) << n;
  }
}

TYPED_TEST(ClassicalOn, TakesDominantRowsAndDenseOnes) {
  using T = typename TypeParam::T;
  Csr<T> star = graph_laplacian<T>(500, 1, 0, 0.1, 2);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < star.rows; ++i) {
    for (auto k = star.row_ptr[static_cast<std::size_t>(i)]; k < star.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      triplets.push_back({i, star.col[static_cast<std::size_t>(k)], star.val[static_cast<std::size_t>(k)]});
    if (i > 0) triplets.insert(triplets.end(), {{0, i, -1}, {i, 0, -1}, {i, i, 1}, {0, 0, 1}});
  }
  star = from_triplets<T>(star.rows, star.cols, triplets);
  for (const Csr<T>& a :
       {star, graph_laplacian<T>(1000, 2, 0, 1000, 1), hold(star, true, [](Index i) { return i % 3 == 0; })}) {
    const SolveResult result = this->solve(a, "cg");
    EXPECT_TRUE(result) << result.message();
    EXPECT_LE(result.iterations, 20);
  }
}

TYPED_TEST(ClassicalOn, TakesOptions) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("poisson3d", {.n = 12}));
  const int one = this->solve(a, "cg", {.kind = MultigridKind::classical, .sweeps = 1}).iterations;
  const int three = this->solve(a, "cg", {.kind = MultigridKind::classical, .sweeps = 3}).iterations;
  const int jacobi = this->solve(a, "cg", {.kind = MultigridKind::classical, .smoother = Smoother::jacobi}).iterations;
  const int chebyshev =
      this->solve(a, "cg", {.kind = MultigridKind::classical, .smoother = Smoother::chebyshev}).iterations;
  EXPECT_LT(three, one);
  EXPECT_LE(chebyshev, 10);
  EXPECT_LE(jacobi, 10);
}

TYPED_TEST(ClassicalOn, IsTakenWhereThereIsNoGrid) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(500, 3, 1, 0.1, 1);
  const auto found = Multigrid(this->space(), a).levels();
  EXPECT_EQ(found.front().grid, "500 rows");
  EXPECT_EQ(found.size(), Multigrid(this->space(), a, classical).levels().size());
  const std::string why =
      message_of<ArgumentError>([&] { Multigrid(this->space(), a, {.kind = MultigridKind::structured}); });
  EXPECT_NE(why.find("multigrid: "), std::string::npos) << why;
}

TYPED_TEST(ClassicalOn, NewValuesGiveWhatANewObjectGives) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(597, 3, 1, 0.1, 1), c = times(graph_laplacian<T>(597, 3, 1, 0.3, 1), 2);
  Multigrid m(this->space(), a, classical);
  m.update_values(Analysis(this->space(), c));
  const Multigrid fresh(this->space(), c, classical);
  const auto r = random_vector<T>(a.rows, 2);
  EXPECT_TRUE(same_bits(this->apply(m, r), this->apply(fresh, r)));
  EXPECT_THROW(m.update_values(Analysis(this->space(), graph_laplacian<T>(31, 3, 1, 0.1, 1))), DimensionError);
}

TYPED_TEST(ClassicalOn, IsTheSameOnEveryRun) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("variable3d", {.n = 16}));
  const auto r = random_vector<T>(a.rows, 2);
  const auto first = this->apply(Multigrid(this->space(), a, classical), r);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(same_bits(this->apply(Multigrid(this->space(), a, classical), r), first));
}

TYPED_TEST(ClassicalOn, RefusesWhatItCantDo) {
  using T = typename TypeParam::T;
  EXPECT_THROW(Multigrid(this->space(), dense<T>({{1, 2}, {3, 0}}), classical), ArgumentError);
  EXPECT_THROW(Multigrid(this->space(), dense<T>({{1, 2, 3}, {3, 1, 0}}), classical), ArgumentError);
  EXPECT_THROW(Multigrid(this->space(), dense<T>({{1, 0}, {0, HUGE_VAL}}), classical), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
