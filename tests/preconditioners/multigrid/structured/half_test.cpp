// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/half.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>
#include <ostinato/preconditioners/multigrid/structured/half_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/grids.hpp"
#include "support/preconditioning.hpp"
#include "support/solving.hpp"
#include "support/stencils.hpp"
#include "support/systems.hpp"

// Operators in half precision: the numbers, the cycle against one whose operators in float are rounded, and solves.

namespace ostinato::test {
namespace {

using multigrid::Half;

double value_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

TEST(HalfNumbers, AreThoseOfIeee) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    if ((bits >> 10 & 31) == 31) continue;  // infinite, or not a number
    ASSERT_EQ(static_cast<double>(static_cast<float>(half)), value_of(half.bits));
    ASSERT_EQ(std::signbit(static_cast<float>(half)), bits >> 15 != 0);
    ASSERT_EQ(Half::nearest(half).bits, bits);
  }
}

TEST(HalfNumbers, AreTheNearest) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const auto middle = static_cast<float>((value_of(bits) + value_of(next)) / 2);
    ASSERT_EQ(Half::nearest(middle).bits, bits % 2 == 0 ? bits : next);
    ASSERT_EQ(Half::nearest(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(Half::nearest(-std::nextafter(middle, 1e6f)).bits, next | 0x8000);
  }
}

TEST(HalfNumbers, StayInTheRange) {
  for (const float value : {65505.0f, 65520.0f, 1e30f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(static_cast<float>(Half::nearest(value)), 65504);
    EXPECT_EQ(static_cast<float>(Half::nearest(-value)), -65504);
  }
  EXPECT_EQ(static_cast<float>(Half::nearest(1e-9f)), 0);
  EXPECT_EQ(static_cast<float>(Half::nearest(std::numeric_limits<float>::denorm_min())), 0);
}

/// Couplings between points whose coefficients are e^(size times a normal number): their harmonic means; symmetric.
Coupling lognormal(const Extents& e, double size) {
  std::vector<double> k(e.points());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (double& v : k) v = std::exp(size * normal(random));
  return [=, star = laplacian(e, true)](Index x, Index y, Index z, int dx, int dy, int dz) {
    const double own = k[e.number(x, y, z)];
    const double beside = e.contains(x + dx, y + dy, z + dz) ? k[e.number(x + dx, y + dy, z + dz)] : own;
    return star(x, y, z, dx, dy, dz) * 2 * own * beside / (own + beside);
  };
}

constexpr MultigridOptions in_half(int sweeps = 0) {
  return {.kind = MultigridKind::structured, .sweeps = sweeps, .precision = MultigridPrecision::half};
}

template <class Case>
class HalfPrecisionOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  using Precond = Multigrid<Home, Value>;
  using Cycle = multigrid::Cycle<Home>;
  using Hierarchy = multigrid::Hierarchy<Home>;

  template <class Op>
  SolveResult solve(const Op& op, const Precond& m, const Csr<Value>& a, const std::string& solver) const {
    const std::vector<Value> b = random_vector<Value>(a.rows, 7);
    const auto db = this->put(b);
    auto x = this->put(std::vector<Value>(b.size()));
    const double rtol = sizeof(Value) == 4 ? 1e-4 : 1e-8;
    const SolveResult result =
        ostinato::solve(this->space(), op, db, x, m, solver, {.rtol = rtol, .max_iterations = 100});
    EXPECT_EQ(result.status, Status::converged) << result.message();
    const ReferenceResidual end = reference_residual(a.view(), x.download(), b);
    EXPECT_LE(end.norm, rtol * end.b_norm * 1.0001);
    return result;
  }

  /// Expects as many iterations as in single precision, or one more.
  void expect_same_iterations(const Csr<Value>& a, const std::string& solver = "cg", int sweeps = 0) const {
    const Analysis<Home, Value> analysis(this->space(), a);
    const Operator<Home, Value> op(analysis);
    const Precond single(analysis, {.kind = MultigridKind::structured, .sweeps = sweeps}),
        half(analysis, in_half(sweeps));
    EXPECT_NE(half.remarks().find("operators in half precision"), std::string::npos) << half.remarks();
    EXPECT_EQ(single.remarks().find("half"), std::string::npos);
    EXPECT_LT(half.bytes(), single.bytes());
    EXPECT_NEAR(half.rate(), single.rate(), 0.02);
    const int iterations = solve(op, single, a, solver).iterations;
    EXPECT_LE(solve(op, half, a, solver).iterations, iterations + 1) << analysis.grid().text();
  }

  std::vector<Value> applied(const Precond& m, const std::vector<Value>& r) const {
    const auto dr = this->put(r);
    auto z = this->put(std::vector<Value>(r.size()));
    m.apply(dr, z);
    return z.download();
  }

  std::vector<Value> applied(const Cycle& cycle, const std::vector<Value>& r) const {
    const auto dr = this->put(r);
    auto z = this->put(std::vector<Value>(r.size()));
    auto slot = this->template put<double>({0});
    cycle.apply(multigrid::Strided<const Value>{dr.data()}, multigrid::Strided<Value>{z.data()}, slot.data());
    return z.download();
  }

  /// Rounds the coefficients that a hierarchy keeps in float, on the levels that `like` keeps in half precision.
  void round(const Hierarchy& hierarchy, const Hierarchy& like) const {
    for (std::size_t k = 0; k < hierarchy.levels().size(); ++k) {
      if (!like.levels()[k].is_half()) continue;
      const auto& a = hierarchy.levels()[k].a;
      std::vector<float> values = a.download();
      for (float& v : values) v = Half::nearest(v);
      this->space().upload(const_cast<float*>(a.data()), values.data(), a.bytes());
    }
    this->space().wait();
  }

  /// 1 / the square root of the diagonals of the next level, from that of a level.
  std::vector<float> root_of_next(const multigrid::Level<Home>& level, const std::vector<float>& root) const {
    const auto w = level.weights();
    const std::vector<float> values = level.p.download();
    const float* const own = values.data() + (&w.at(multigrid::centre, 0) - level.p.data());
    std::vector<float> of_next;
    multigrid::for_points(level.next, [&](Index x, Index y, Index z) {
      const auto fine = [](bool halved, Index at) { return multigrid::Halving::fine(halved, at); };
      const std::size_t i = level.grid.number(fine(w.halved.x, x), fine(w.halved.y, y), fine(w.halved.z, z));
      of_next.push_back(own[of_next.size()] * root[i]);
    });
    return of_next;
  }

  /// The largest element of (A - rounded A) v * root, where v is 1 / root.
  double error_of_product(const multigrid::Level<Home>& level, const multigrid::Level<Home>& rounded,
                          const std::vector<float>& root) const {
    const multigrid::Field<Home> v(this->space(), level.grid, level.dimensions);
    const Vector<Home, float> zero(this->space(), root.size(), 0.0f);
    std::vector<float> inverse(root);
    for (float& value : inverse) value = 1 / value;
    this->space().upload(v.data(), inverse.data(), inverse.size() * sizeof(float));
    Vector<Home, float> expected(this->space(), root.size()), found(this->space(), root.size());
    multigrid::with_shape(level.dimensions, level.star, [&]<class S>(S) {
      using Of = multigrid::Residual<S>;
      using OfHalf = multigrid::Residual<S, float*, multigrid::HalfCoefficients>;
      for_grid(this->space(), level.grid, Of{level.operator_view(), zero.data(), v.data(), 1, expected.data()});
      for_grid(this->space(), level.grid, OfHalf{rounded.half_operator(), zero.data(), v.data(), 1, found.data()});
    });
    const std::vector<float> x = expected.download(), y = found.download();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, static_cast<double>(std::abs(x[i] - y[i]) * root[i]));
    return worst;
  }

  /// Leaves out what the centres are more than 1.
  void clear_centres(const Hierarchy& hierarchy) const {
    for (const auto& level : hierarchy.levels()) {
      const std::size_t points = level.grid.points();
      if (level.is_half())
        this->space().zero(const_cast<Half*>(level.half_a.data()) + level.half_a.size() - points,
                           points * sizeof(Half));
    }
    this->space().wait();
  }
};

TYPED_TEST_SUITE(HalfPrecisionOn, EverySpace, SpaceNames);

TYPED_TEST(HalfPrecisionOn, IsTheCycleOfRoundedCoefficients) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const Extents& e : {Extents{300}, Extents{9001}, Extents{70, 41}, Extents{200, 129}, Extents{5, 3000},
                           Extents{20, 19, 18}, Extents{66, 18, 9}, Extents{40, 33, 30}}) {
    for (const bool star : {true, false}) {
      for (const int sweeps : {1, 2}) {
        const Analysis analysis(this->space(), grid_matrix<T>(e, varied(e, star, 1)));
        const auto made = [&] { return multigrid::Hierarchy<Space>(analysis, analysis.grid()); };
        const typename TestFixture::Cycle half(this->space(), made(), Smoother::jacobi, sweeps, true);
        auto rounded = made();
        this->round(rounded, half.hierarchy());
        this->clear_centres(half.hierarchy());
        const typename TestFixture::Cycle expected(this->space(), std::move(rounded), Smoother::jacobi, sweeps, false);

        const auto r = random_vector<T>(static_cast<Index>(e.points()), 5);
        const auto z = this->applied(half, r), z_expected = this->applied(expected, r);
        double largest = 0, error = 0;
        for (std::size_t i = 0; i < r.size(); ++i) {
          largest = std::max(largest, static_cast<double>(std::abs(z_expected[i])));
          error = std::max(error, static_cast<double>(std::abs(z[i] - z_expected[i])));
        }
        EXPECT_LE(error, 1e-5 * largest) << e.x << " x " << e.y << " x " << e.z << " star " << star;
      }
    }
  }
}

// What was constant before the operators were scaled, on all levels.
TYPED_TEST(HalfPrecisionOn, KeepsTheProductWithTheSmoothestVector) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const Extents& e : {Extents{300}, Extents{50, 41}, Extents{20, 19, 18}}) {
    for (const bool star : {true, false}) {
      const Analysis analysis(this->space(), grid_matrix<T>(e, varied(e, star, 1)));
      multigrid::Hierarchy<Space> single(analysis, analysis.grid()), rounded(analysis, analysis.grid());
      rounded.round_to_half(rounded.levels().size());
      std::vector<float> root(e.points());
      this->space().download(root.data(), single.inverse_root().a, root.size() * sizeof(float));
      for (std::size_t k = 0; k < single.levels().size(); ++k) {
        EXPECT_LE(this->error_of_product(single.levels()[k], rounded.levels()[k], root), 4e-6)
            << e.x << " x " << e.y << " x " << e.z << " star " << star << " level " << k;
        if (single.levels()[k].axes != 0) root = this->root_of_next(single.levels()[k], root);
      }
    }
  }
}

// The centre stays positive, whatever is lost.
TEST(RoundOperator, BoundsTheCentre) {
  const float value = 3e-5f + 1e-8f;
  const std::vector<float> a = {0, value, -value, 0, 1, 1}, root = {1, 1e-9f};
  for (const float sign : {1.0f, -1.0f}) {
    std::vector<float> signed_a = a;
    for (float& v : signed_a) v *= sign;
    std::vector<Half> rounded(a.size());
    multigrid::RoundOperator round{{2}, {}, signed_a.data(), root.data(), rounded.data()};
    multigrid::number_slots(round.slot, 1, true);
    for (Index x = 0; x < 2; ++x) EXPECT_EQ(round(x, 0, 0).v[0], 0);
    const float least = 0x1p-24f;
    EXPECT_NEAR(rounded[2], sign * -value, least);
    EXPECT_EQ(std::abs(static_cast<float>(rounded[4])), 1.0f / 64);
    EXPECT_LE(std::abs(static_cast<float>(rounded[5])), least);
  }
}

TYPED_TEST(HalfPrecisionOn, TakesAsManyIterationsAsSingleSlow) {
  using T = typename TypeParam::T;
  const Extents even{100, 96}, odd{131, 97}, thin{400, 33}, cube{24, 24, 24}, brick{41, 17, 23};
  this->expect_same_iterations(generate<T>("variable2d", {.n = 100}));
  this->expect_same_iterations(generate<T>("variable2d", {.n = 131}));
  this->expect_same_iterations(generate<T>("variable3d", {.n = 24}));
  this->expect_same_iterations(generate<T>("variable3d", {.n = 25}), "cg", 2);
  this->expect_same_iterations(generate<T>("variable3d", {.n = 32}));
  for (const Extents& e : {even, odd, thin, cube, brick}) {
    for (const bool star : {true, false}) this->expect_same_iterations(grid_matrix<T>(e, varied(e, star, 2)));
    this->expect_same_iterations(grid_matrix<T>(e, lognormal(e, 1.5)));
    const Coupling weak_along_y = [varied = varied(e, true, 0.5)](Index x, Index y, Index z, int dx, int dy, int dz) {
      return varied(x, y, z, dx, dy, dz) * (dy != 0 ? 1e-3 : 1);
    };
    this->expect_same_iterations(grid_matrix<T>(e, weak_along_y));
  }
}

TYPED_TEST(HalfPrecisionOn, TakesAsManyIterationsOnALine) {
  using T = typename TypeParam::T;
  // In float a long line is at the limit of precision; in half precision that of 10,000 points is, too. Two sweeps keep
  // all levels in half precision on a GPU.
  const double shift = is_single<T> ? 0.01 : 0;
  for (const Extents& e : {Extents{1000}, Extents{3000}})
    this->expect_same_iterations(grid_matrix<T>(e, varied(e, true, 1), shift), "cg", 2);
}

// Of which the solution is held at no side.
TYPED_TEST(HalfPrecisionOn, TakesAsManyIterationsOnGridsThatAreHardlyHeldSlow) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{1500, 20}, Extents{200, 190}, Extents{16, 17, 300}}) {
    const Coupling inside = [e, varied = varied(e, true, 1)](Index x, Index y, Index z, int dx, int dy, int dz) {
      return e.contains(x + dx, y + dy, z + dz) ? varied(x, y, z, dx, dy, dz) : 0.0;
    };
    this->expect_same_iterations(grid_matrix<T>(e, inside, is_single<T> ? 0.01 : 1e-6));
  }
}

TYPED_TEST(HalfPrecisionOn, SolvesConvectionAndDiffusion) {
  using T = typename TypeParam::T;
  for (const double peclet : {1.0, 100.0}) {
    for (const char* solver : {"bicgstab", "gmres"})
      this->expect_same_iterations(generate<T>("convection-diffusion3d", {.n = 24, .peclet = peclet, .rotating = true}),
                                   solver);
  }
}

TYPED_TEST(HalfPrecisionOn, SolvesWithSeveralUnknownsAndHeldPoints) {
  using T = typename TypeParam::T;
  const Extents e{110, 90};
  const Csr<T> a = grid_matrix<T>(e, varied(e, true, 1));
  for (const bool by_field : {false, true}) this->expect_same_iterations(with_unknowns(a, 3, by_field, 0.1));
  const auto inside = [&](Index row) { return row % e.x > 20 && row % e.x < 40 && row / e.x > 30 && row / e.x < 50; };
  for (const bool columns : {false, true})
    this->expect_same_iterations(hold(a, columns, inside), columns ? "cg" : "bicgstab");
}

TYPED_TEST(HalfPrecisionOn, IsSymmetric) {
  using T = typename TypeParam::T;
  for (const Extents& e : {Extents{97}, Extents{130, 113}, Extents{24, 25, 26}}) {
    const Csr<T> a = grid_matrix<T>(e, varied(e, true, 2));
    const Multigrid m(this->space(), a, in_half(e.y == 1 ? 2 : 1));
    const auto u = random_vector<T>(a.rows, 1), v = random_vector<T>(a.rows, 2);
    SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z));
    expect_symmetric_and_positive(u, this->applied(m, u), v, this->applied(m, v));
  }
}

TYPED_TEST(HalfPrecisionOn, TakesHalfOfTheMemoryForOperators) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const Extents& e : {Extents{150, 140}, Extents{32, 31, 30}}) {
    const Analysis analysis(this->space(), grid_matrix<T>(e, varied(e, true, 1)));
    const auto made = [&](bool half) {
      multigrid::Hierarchy<Space> hierarchy(analysis, analysis.grid());
      if (half) hierarchy.round_to_half(hierarchy.levels().size());
      return hierarchy;
    };
    const auto single = made(false), half = made(true);
    for (std::size_t k = 0; k < single.levels().size(); ++k) {
      const auto& level = single.levels()[k];
      EXPECT_EQ(half.levels()[k].bytes(), level.predicted_bytes(true));
      EXPECT_EQ(half.levels()[k].bytes(), level.a.bytes() / 2 + level.p.bytes());
    }
  }
}

TYPED_TEST(HalfPrecisionOn, ChangesNothingByClassAndAroundAxes) {
  using T = typename TypeParam::T;
  const Extents e{130, 100};
  for (const Csr<T>& a : {generate<T>("poisson3d", {.n = 24}), generate<T>("poisson2d", {.n = 100}),
                          grid_matrix<T>(e, symmetric_around(e, 3, varied(e, true, 1)), 0.01, 3)}) {
    const Multigrid single(this->space(), a), half(this->space(), a, in_half());
    const auto r = random_vector<T>(a.rows, 5);
    EXPECT_TRUE(same_bits(this->applied(single, r), this->applied(half, r)));
    EXPECT_EQ(half.bytes(), single.bytes());
    EXPECT_EQ(half.remarks(), single.remarks());
  }
}

TYPED_TEST(HalfPrecisionOn, IsForMatricesOnAGrid) {
  using T = typename TypeParam::T;
  const Analysis analysis(this->space(), generate<T>("variable2d", {.n = 20, .renumbered = true}));
  const auto complaint = [&](const std::string& text) {
    return message_of<ArgumentError>([&] { AnyPreconditioner(analysis, text); });
  };
  for (const std::string kind : {"classical", "aggregation", "pairwise", "plain"})
    EXPECT_EQ(complaint("multigrid:precision=half,kind=" + kind), "multigrid: precision=half is for kind=structured");
  EXPECT_EQ(complaint("multigrid:precision=half"),
            "multigrid: precision=half is for grids, and " + analysis.grid().why_not + "; try precision=single");
  EXPECT_NO_THROW(check_preconditioner("multigrid:kind=classical,precision=single"));

  Csr<T> negative = generate<T>("variable2d", {.n = 20});
  for (T& v : negative.val) v = -v;
  const Analysis of_negative(this->space(), negative);
  EXPECT_EQ(message_of<ArgumentError>([&] { Multigrid(of_negative, {.precision = MultigridPrecision::half}); }),
            "multigrid: precision=half is for grids, and the diagonal isn't positive; try precision=single");
}

TEST(HalfPrecision, IsRefusedWhereTheCycleDiverges) {
  const Extents e{30000};
  const Csr<double> line = grid_matrix<double>(e, varied(e, true, 1));
  EXPECT_NO_THROW(Multigrid(Host(), line, {.kind = MultigridKind::structured, .sweeps = 1}));
  EXPECT_EQ(message_of<ArgumentError>([&] { Multigrid(Host(), line, in_half(1)); }),
            "multigrid: a cycle doesn't make a random error smaller in half precision; try precision=single");
}

TYPED_TEST(HalfPrecisionOn, RefusesCoefficientsBeyondItsRange) {
  using T = typename TypeParam::T;
  const Extents e{8, 8};
  Csr<T> a = grid_matrix<T>(e, varied(e, true, 1));
  a.val[1] = static_cast<T>(-1e6);
  const std::string message = message_of<ArgumentError>([&] { Multigrid(this->space(), a, in_half()); });
  EXPECT_EQ(message,
            "multigrid: precision=half holds numbers up to 65504, and coefficients of a grid are larger; use "
            "precision=single");
}

TYPED_TEST(HalfPrecisionOn, IsKeptByUpdates) {
  using T = typename TypeParam::T;
  const Extents e{120, 90};
  const Csr<T> a = grid_matrix<T>(e, varied(e, true, 1)), b = grid_matrix<T>(e, varied(e, true, 1.5));
  Multigrid m(this->space(), a, in_half());
  m.update_values(Analysis(this->space(), b));
  const Multigrid anew(this->space(), b, in_half());
  const auto r = random_vector<T>(a.rows, 5);
  EXPECT_TRUE(same_bits(this->applied(m, r), this->applied(anew, r)));
  EXPECT_EQ(m.remarks(), anew.remarks());
  EXPECT_EQ(m.bytes(), anew.bytes());
}

TYPED_TEST(HalfPrecisionOn, TakesStencilsThatAreFunctions) {
  using T = typename TypeParam::T;
  const Extents e{96, 101};
  Stencil stencil = laplacian_stencil(e, true);
  stencil.coefficient = [coupling = varied(e, true, 1)](Index x, Index y, Index z, int dx, int dy, int dz) {
    if (dx != 0 || dy != 0 || dz != 0) return -coupling(x, y, z, dx, dy, dz);
    return coupling(x, y, z, -1, 0, 0) + coupling(x, y, z, 1, 0, 0) + coupling(x, y, z, 0, -1, 0) +
           coupling(x, y, z, 0, 1, 0);
  };
  const StencilOperator<typename TypeParam::Space, T> a(this->space(), stencil);
  const Multigrid single(a), half(a, in_half());
  const Csr<T> matrix = stencil_matrix<T>(stencil);
  EXPECT_NE(half.remarks().find("operators in half precision"), std::string::npos);
  EXPECT_LE(this->solve(a, half, matrix, "cg").iterations, this->solve(a, single, matrix, "cg").iterations + 1);
}

}  // namespace
}  // namespace ostinato::test
