// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "support/grids.hpp"
#include "support/solving.hpp"
#include "support/stencils.hpp"

namespace ostinato::test {
namespace {

/// Multigrid of a stencil, without a matrix, beside multigrid of its matrix.
template <class Case>
class MultigridOfStencilOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  template <class A, class M>
  int iterations(const A& a, const M& m, const Csr<Value>& matrix) const {
    const auto b = random_vector<Value>(matrix.rows, 7);
    const auto db = this->put(b);
    auto x = this->put(std::vector<Value>(b.size()));
    const double rtol = sizeof(Value) == 4 ? 1e-4 : 1e-9;
    const SolveResult result =
        ostinato::solve(this->space(), a, db, x, m, "auto", {.rtol = rtol, .max_iterations = 60});
    EXPECT_EQ(result.status, Status::converged) << result.message();
    const ReferenceResidual end = reference_residual(matrix.view(), x.download(), b);
    EXPECT_LE(end.norm, rtol * end.b_norm * 1.0001);
    return result.iterations;
  }

  /// Expects as many iterations as with the matrix.
  void expect_same_cycle(const Stencil& stencil) const {
    SCOPED_TRACE(testing::Message() << stencil.extents.x << " x " << stencil.extents.y << " x " << stencil.extents.z);
    const Csr<Value> matrix = stencil_matrix<Value>(stencil);
    const StencilOperator<Home, Value> a(this->space(), stencil);
    const Multigrid<Home, Value> m(a);
    const Analysis<Home, Value> analysis(this->space(), matrix);
    const Operator<Home, Value> op(analysis);
    const Multigrid<Home, Value> of_matrix(analysis);
    EXPECT_EQ(a.grid().text(), analysis.grid().text());
    EXPECT_NEAR(a.grid().dominant, analysis.grid().dominant, 1e-12);
    EXPECT_EQ(m.levels().size(), of_matrix.levels().size());
    EXPECT_EQ(m.levels().front().storage, of_matrix.levels().front().storage);
    EXPECT_NEAR(m.rate(), of_matrix.rate(), 1e-4);
    EXPECT_NEAR(iterations(a, m, matrix), iterations(op, of_matrix, matrix), 1);
  }
};

TYPED_TEST_SUITE(MultigridOfStencilOn, EverySpace, SpaceNames);

TYPED_TEST(MultigridOfStencilOn, IsTheCycleOfTheMatrix) {
  for (const Extents& e : {Extents{100}, Extents{63, 63}, Extents{50, 77}, Extents{21, 32, 17}}) {
    this->expect_same_cycle(laplacian_stencil(e, true));
    this->expect_same_cycle(laplacian_stencil(e, false));
    this->expect_same_cycle(with_neumann(laplacian_stencil(e, true), 1));
  }
}

TYPED_TEST(MultigridOfStencilOn, IsTheCycleOfTheMatrixWithVaryingCoefficients) {
  for (const Extents& e : {Extents{300}, Extents{60, 41}, Extents{20, 17, 24}}) {
    for (const bool star : {true, false}) {
      Stencil stencil = laplacian_stencil(e, star);
      const Coupling coupling = varied(e, star, 1);
      stencil.coefficient = [=](Index x, Index y, Index z, int dx, int dy, int dz) {
        if (dx != 0 || dy != 0 || dz != 0) return -coupling(x, y, z, dx, dy, dz);
        double sum = 0;
        for (int k = 0; k < 27; ++k) sum += k == 13 ? 0 : coupling(x, y, z, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        return sum;
      };
      this->expect_same_cycle(stencil);
    }
  }
}

// A grid that a matrix doesn't show: its entries could be those of a grid of fewer dimensions.
TYPED_TEST(MultigridOfStencilOn, TakesThinGrids) {
  for (const Extents& e :
       {Extents{1, 40, 30}, Extents{40, 1, 30}, Extents{2, 50}, Extents{100, 3}, Extents{3, 30, 2}}) {
    const Stencil stencil = laplacian_stencil(e, true);
    const StencilOperator<typename TypeParam::Space, typename TypeParam::T> a(this->space(), stencil);
    const Multigrid m(a);
    EXPECT_LT(m.rate(), 0.4) << e.x << " x " << e.y << " x " << e.z;
    EXPECT_LT(this->iterations(a, m, stencil_matrix<typename TypeParam::T>(stencil)), 20);
  }
}

TYPED_TEST(MultigridOfStencilOn, IsTheCycleOfTheMatrixWithPeriodicAxes) {
  for (const Extents& e : {Extents{64, 63}, Extents{50, 77}, Extents{21, 32, 17}}) {
    for (const int axes : {1, 2}) {
      this->expect_same_cycle(with_periodic(laplacian_stencil(e, true), axes));
      this->expect_same_cycle(with_periodic(laplacian_stencil(e, false), axes));
      this->expect_same_cycle(with_periodic(with_neumann(laplacian_stencil(e, true), axes == 1 ? 4 : 1), axes));
      Stencil varying = with_periodic(laplacian_stencil(e, true), axes);
      varying.coefficient = [count = varying.terms.size() - 1](Index x, Index y, Index, int dx, int dy, int dz) {
        const bool own = dx == 0 && dy == 0 && dz == 0;
        return own ? static_cast<double>(count) + 0.1 * ((x + y) % 3) : -1.0;
      };
      this->expect_same_cycle(varying);
    }
  }
}

TYPED_TEST(MultigridOfStencilOn, SolvesOnThinPeriodicGrids) {
  for (const Extents& e : {Extents{60, 3}, Extents{3, 40, 20}, Extents{40, 4, 3}}) {
    const Stencil stencil = with_periodic(laplacian_stencil(e, true), e.z > 1 ? 6 : 2);
    const StencilOperator<typename TypeParam::Space, typename TypeParam::T> a(this->space(), stencil);
    const Multigrid m(a);
    EXPECT_LT(m.rate(), 0.4) << e.x << " x " << e.y << " x " << e.z;
    EXPECT_LT(this->iterations(a, m, stencil_matrix<typename TypeParam::T>(stencil)), 20);
  }
}

TYPED_TEST(MultigridOfStencilOn, SolvesWhereConstantsSolveTheHomogeneousSystem) {
  using T = typename TypeParam::T;
  for (const int periodic : {0, 1, 3}) {
    const Stencil stencil = with_periodic(with_neumann(laplacian_stencil({40, 33}, true), 63), periodic);
    const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
    const Csr<T> matrix = stencil_matrix<T>(stencil);
    std::vector<T> b;  // in the range of A
    for (const ReferenceRow& row : reference_product(matrix.view(), T{1}, random_vector<T>(matrix.rows, 3), T{0}, {}))
      b.push_back(static_cast<T>(row.value));
    const auto db = this->put(b);
    auto x = this->put(std::vector<T>(b.size()));
    const SolveResult result = cg(this->space(), a, db, x, Multigrid(a), {.rtol = 1e-4, .max_iterations = 20});
    EXPECT_EQ(result.status, Status::converged) << result.message();
  }
}

// Such a grid of 3 x 3 x 3 points isn't halved once more: the one point left would have a row of 0, or of rounding.
TYPED_TEST(MultigridOfStencilOn, SolvesOnGridsThatHalveToThreePointsASide) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{7, 7, 7}, Extents{4, 6, 7}, Extents{15, 14, 13}, Extents{27, 27, 27}}) {
    for (const double shift : {0.0, 1e-14, 1e-8}) {
      SCOPED_TRACE(testing::Message() << e.x << " x " << e.y << " x " << e.z << ", shift " << shift);
      Stencil stencil = with_neumann(laplacian_stencil(e, true), 63);
      for (StencilTerm& t : stencil.terms) t.coefficient += t.dx == 0 && t.dy == 0 && t.dz == 0 ? shift : 0;
      const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
      const Multigrid m(a);
      EXPECT_LT(m.rate(), 0.4);
      EXPECT_GT(m.levels().back().rows, 1);
    }
  }
}

// The operators are in float: of each row the rounding stays, and a coarse point stands for many of them.
TYPED_TEST(MultigridOfStencilOn, FindsThatConstantsSolveTheHomogeneousSystemOnLongLines) {
  using T = typename TypeParam::T;
  const auto between = [](Index x, Index of) { return std::exp(2 * std::sin(0.3 * static_cast<double>(x % of))); };
  for (const Index n : {4096, 5001}) {
    for (const Boundary side : {Boundary::neumann, Boundary::periodic}) {
      Stencil stencil{.extents = {n}, .terms = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, .x = {side, side}};
      stencil.coefficient = [=](Index x, Index, Index, int dx, int, int) {
        const double before = between(x, n), after = between(x + 1, n);
        return dx < 0 ? -before : dx > 0 ? -after : before + after;
      };
      const Multigrid m(StencilOperator<typename TypeParam::Space, T>(this->space(), stencil));
      const Multigrid of_matrix(this->space(), stencil_matrix<T>(stencil));
      EXPECT_LT(m.rate(), 0.4) << n;
      EXPECT_LT(of_matrix.rate(), 0.4) << n;
    }
  }
}

// Each line couples so weakly with the next that the rounding of its rows to float makes the coarsest operator
// indefinite.
TYPED_TEST(MultigridOfStencilOn, IsPositiveWhereLinesHardlyCouple) {
  using T = typename TypeParam::T;
  for (const Index n : {64, 256}) {
    Stencil stencil = with_periodic(laplacian_stencil({n, n}, true), 3);
    for (StencilTerm& t : stencil.terms) t.coefficient = t.dy != 0 ? -1e-6 : t.dx != 0 ? -1 : 2 + 2e-6;
    const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
    const Multigrid m(a);
    auto z = this->put(std::vector<T>(stencil.extents.points()));
    for (Index line = 0; line < n / 2; ++line) {  // b is 1 on a line, -1 on another one
      std::vector<T> b(z.size());
      for (Index x = 0; x < n; ++x) {
        b[stencil.extents.number(x, line, 0)] = 1;
        b[stencil.extents.number(x, line + n / 2, 0)] = -1;
      }
      m.apply(this->put(b), z);
      const std::vector<T> values = z.download();
      double dot = 0;
      for (std::size_t i = 0; i < b.size(); ++i) dot += static_cast<double>(b[i]) * static_cast<double>(values[i]);
      EXPECT_GT(dot, 0) << "line " << line << " of " << n;
    }
  }
}

// Once the strong axis is halved to one point, the weak one is all that couples points.
TYPED_TEST(MultigridOfStencilOn, SolvesWhereAPeriodicAxisIsTheStrongOne) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "the rounding of x alone leaves a larger residual";
  for (const auto& [e, axes, weak] : {std::tuple{Extents{9, 100}, 1, 0.01}, std::tuple{Extents{80, 12}, 2, 1e-3},
                                      std::tuple{Extents{16, 30, 14}, 5, 0.01}}) {
    Stencil stencil = with_periodic(laplacian_stencil(e, true), axes);
    double sum = 0;
    for (StencilTerm& t : stencil.terms) {
      if (((axes & 1) != 0 ? t.dy : t.dx) != 0) t.coefficient = -weak;
      if (t.dx != 0 || t.dy != 0 || t.dz != 0) sum -= t.coefficient;
    }
    for (StencilTerm& t : stencil.terms) t.coefficient = t.dx == 0 && t.dy == 0 && t.dz == 0 ? sum : t.coefficient;
    const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
    const Multigrid m(a);
    const Csr<T> matrix = stencil_matrix<T>(stencil);
    EXPECT_LT(this->iterations(a, m, matrix), 15) << e.x << " x " << e.y << " x " << e.z;
    const Operator<typename TypeParam::Space, T> op(this->space(), matrix);
    EXPECT_LT(this->iterations(op, Multigrid(this->space(), matrix), matrix), 15);
  }
}

TEST(MultigridOfStencil, RefusesADiagonalThatIsNotPositive) {
  Stencil stencil = laplacian_stencil({20, 20}, true);
  for (StencilTerm& t : stencil.terms) t.coefficient = -t.coefficient;
  EXPECT_THROW(Multigrid(StencilOperator<Host, double>(Host(), stencil)), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
