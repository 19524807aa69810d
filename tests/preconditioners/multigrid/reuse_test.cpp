// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "preconditioners/multigrid/coordinates.hpp"
#include "preconditioners/multigrid/multigrid_suite.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

// New values for multigrid that keeps its interpolations.

namespace ostinato::test {
namespace {

MultigridOptions keeping(MultigridKind kind) {
  MultigridOptions options{.kind = kind};
  options.reuse = MultigridReuse::interpolation;
  return options;
}

const std::vector<MultigridOptions> both = {keeping(MultigridKind::classical), keeping(MultigridKind::aggregation)};

MultigridOptions anew(MultigridOptions options) {
  options.reuse = MultigridReuse::none;
  return options;
}

template <class Case>
class MultigridReuseOn : public MultigridSuite<Case> {
 protected:
  using typename MultigridSuite<Case>::Home, typename MultigridSuite<Case>::Value;
  using Made = Multigrid<Home, Value>;

  Analysis<Home, Value> analysed(const Csr<Value>& a) const { return Analysis<Home, Value>(this->space(), a); }

  /// The iterations of a solve.
  int solve(const Csr<Value>& a, const Made& m, const std::string& solver = "cg") const {
    const SolveResult result = this->solve_with(Operator<Home, Value>(this->space(), a), m, a, solver);
    EXPECT_TRUE(result) << result.message();
    return result.iterations;
  }

  /// What a hierarchy makes of a fixed random vector.
  std::vector<Value> sample(const Made& m, const Csr<Value>& a) const {
    return this->apply(m, random_vector<Value>(a.rows, 2));
  }
};

TYPED_TEST_SUITE(MultigridReuseOn, EverySpace, SpaceNames);

/// Finite volumes on a square of n x n cells in a random order. k(axis, x, y) is the coefficient between two cells.
template <class T, class F>
Csr<T> diffusion(Index n, F k) {
  std::vector<Triplet<T>> triplets;
  const auto face = [&](Index i, Index j, int axis, double x, double y, bool inside) {
    const auto w = static_cast<T>(k(axis, x / static_cast<double>(n), y / static_cast<double>(n)));
    triplets.push_back({i, i, w});
    if (inside) triplets.push_back({i, j, -w});
  };
  for (Index y = 0; y < n; ++y) {
    for (Index x = 0; x < n; ++x) {
      const Index i = y * n + x;
      face(i, i - 1, 0, x, y + 0.5, x > 0);
      face(i, i + 1, 0, x + 1, y + 0.5, x + 1 < n);
      face(i, i - n, 1, x + 0.5, y, y > 0);
      face(i, i + n, 1, x + 0.5, y + 1, y + 1 < n);
    }
  }
  return renumbered(from_triplets<T>(n * n, n * n, triplets));
}

/// The coefficient of a substance that has moved on by `time`.
auto moving(double time) {
  return [time](int, double x, double y) { return std::exp(2 * std::sin(6 * x + time) * std::cos(5 * y - time)); };
}

/// The same with a coefficient that is nearly 1.
auto mild(double time) {
  return [k = moving(time)](int axis, double x, double y) { return std::pow(k(axis, x, y), 0.1); };
}

/// The coefficient where one axis is coupled more strongly.
auto along(int strong) {
  return [strong](int axis, double, double) { return axis == strong ? 1000.0 : 1.0; };
}

/// The matrix with `v` added to its diagonal, in all rows or in row `only`.
template <class T>
Csr<T> shifted(Csr<T> a, double v, Index only = -1) {
  for (Index i = 0; i < a.rows; ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      if (a.col[k] == i && (only < 0 || only == i)) a.val[k] += static_cast<T>(v);
  return a;
}

/// mild() with eigenvalues of both signs, but a positive diagonal.
template <class T>
Csr<T> indefinite(const Csr<T>& a) {
  return shifted(a, -2);
}

/// A ring with chords over `chord` points: the same number of entries, whatever the chord.
template <class T>
Csr<T> ring(Index n, Index chord) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, static_cast<T>(0.01)});
    for (const Index j : {(i + 1) % n, (i + chord) % n})
      triplets.insert(triplets.end(), {{i, j, T{-1}}, {j, i, T{-1}}, {i, i, T{1}}, {j, j, T{1}}});
  }
  return from_triplets<T>(n, n, triplets);
}

TYPED_TEST(MultigridReuseOn, SameValuesGiveTheSameBits) {
  using T = typename TypeParam::T;
  const Extents e{9, 9, 9};
  MultigridOptions aggressive = both[0], elastic = both[1], vectors = both[1];
  aggressive.aggressive = true;
  elastic.coordinates = coordinates_of(e, 3);
  vectors.near_null.assign(3 * 900, 1.0);
  const std::vector<std::pair<Csr<T>, MultigridOptions>> cases = {
      {renumbered(generate<T>("poisson3d", {.n = 14})), both[0]},
      {renumbered(generate<T>("poisson3d", {.n = 14})), both[1]},
      {renumbered(generate<T>("variable3d", {.n = 14})), aggressive},
      {generate<T>("variable3d", {.n = 12}), both[0]},  // a grid, whose diagonals the finest level may store
      {renumbered(generate<T>("convection-diffusion2d", {.n = 40})), both[0]},
      {times(graph_laplacian<T>(2000, 3, 1, 0.01, 1), -3), both[0]},
      {graph_laplacian<T>(2700, 3, 1, 0.01, 1), vectors},
      {elasticity<T>(e, false), elastic}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [a, options] = cases[i];
    Multigrid m(this->space(), a, options);
    const auto expected = this->sample(Multigrid(this->space(), a, anew(options)), a);
    EXPECT_TRUE(same_bits(this->sample(m, a), expected)) << i;
    EXPECT_FALSE(m.reused());
    const double rate = m.rate();
    for (int update = 0; update < 2; ++update) {
      m.update_values(this->analysed(a));
      EXPECT_TRUE(m.reused()) << i;
      EXPECT_TRUE(same_bits(this->sample(m, a), expected)) << i;
      EXPECT_EQ(m.rate(), rate) << i;
    }
  }
}

TYPED_TEST(MultigridReuseOn, ScaledValuesTakeTheSameIterations) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = diffusion<T>(50, moving(0));
    Multigrid m(this->space(), a, options);
    const int iterations = this->solve(a, m);
    const auto z = this->sample(m, a);
    for (const double factor : {4.0, 3.0, 1e-9, -0.125, -7e8}) {
      const Csr<T> c = times(a, factor);
      m.update_values(this->analysed(c));
      EXPECT_TRUE(m.reused()) << factor;
      EXPECT_EQ(this->solve(c, m), iterations) << factor;
      if (std::abs(factor) != std::ldexp(1.0, std::ilogb(factor))) continue;
      const auto scaled = this->sample(m, c);
      for (std::size_t i = 0; i < z.size(); ++i)  // M is that of -A where A is negative definite
        ASSERT_EQ(static_cast<double>(scaled[i]) * std::abs(factor), static_cast<double>(z[i])) << factor;
    }
  }
}

TYPED_TEST(MultigridReuseOn, OldValuesGiveTheOldBits) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = diffusion<T>(50, moving(0)), c = diffusion<T>(50, moving(0.5));
    Multigrid m(this->space(), a, options);
    const auto before = this->sample(m, a);
    m.update_values(this->analysed(c));
    EXPECT_TRUE(m.reused());
    EXPECT_FALSE(same_bits(this->sample(m, a), before));
    m.update_values(this->analysed(a));
    EXPECT_TRUE(m.reused());
    EXPECT_TRUE(same_bits(this->sample(m, a), before));
  }
}

TYPED_TEST(MultigridReuseOn, SlowlyChangingValuesTakeAboutTheSameIterations) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    Multigrid m(this->space(), diffusion<T>(60, moving(0)), options);
    for (int step = 1; step <= 5; ++step) {
      const Csr<T> c = diffusion<T>(60, moving(0.2 * step));
      m.update_values(this->analysed(c));
      EXPECT_TRUE(m.reused()) << step;
      EXPECT_LE(this->solve(c, m), this->solve(c, Multigrid(this->space(), c, anew(options))) + 2) << step;
    }
  }
}

TYPED_TEST(MultigridReuseOn, IsMadeAnewWhereTheInterpolationsNoLongerDo) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = diffusion<T>(50, along(0)), c = diffusion<T>(50, along(1));
    Multigrid m(this->space(), a, options);
    m.update_values(this->analysed(c));
    EXPECT_FALSE(m.reused());
    const Multigrid fresh(this->space(), c, anew(options));
    EXPECT_TRUE(same_bits(this->sample(m, c), this->sample(fresh, c)));
    EXPECT_EQ(this->solve(c, m), this->solve(c, fresh));
    m.update_values(this->analysed(times(c, 2)));  // the new interpolations are those that are kept from now on
    EXPECT_TRUE(m.reused());
  }
}

TYPED_TEST(MultigridReuseOn, IsMadeAnewForAnotherPattern) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = ring<T>(1001, 7), c = ring<T>(1001, 60);
    ASSERT_EQ(a.nonzeros(), c.nonzeros());
    Multigrid m(this->space(), a, options);
    m.update_values(this->analysed(c));
    EXPECT_FALSE(m.reused());
    EXPECT_TRUE(same_bits(this->sample(m, c), this->sample(Multigrid(this->space(), c, anew(options)), c)));
  }
}

TYPED_TEST(MultigridReuseOn, TakesACallersWordForThePattern) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = diffusion<T>(40, mild(0)), next = diffusion<T>(40, mild(0.3));
    Multigrid known(this->space(), a, options), read(this->space(), a, options);
    known.update_values(this->analysed(next), same_pattern);
    read.update_values(this->analysed(next));
    EXPECT_EQ(known.reused(), read.reused());
    EXPECT_TRUE(same_bits(this->sample(known, next), this->sample(read, next)));
    const Csr<T> other = ring<T>(a.rows, 7);  // of another size
    known.update_values(this->analysed(other), same_pattern);
    EXPECT_FALSE(known.reused());
    EXPECT_TRUE(
        same_bits(this->sample(known, other), this->sample(Multigrid(this->space(), other, anew(options)), other)));
  }
}

TYPED_TEST(MultigridReuseOn, StaysAsItWasWhenValuesAreRefused) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = diffusion<T>(40, mild(0)), next = diffusion<T>(40, mild(0.3));
    Multigrid m(this->space(), a, options);
    m.update_values(this->analysed(next));
    const auto before = this->sample(m, a);
    const double rate = m.rate();
    Csr<T> not_finite = next, zero = next;
    not_finite.val[0] = std::numeric_limits<T>::quiet_NaN();
    for (auto k = static_cast<std::size_t>(a.row_ptr[7]); k < static_cast<std::size_t>(a.row_ptr[8]); ++k)
      if (a.col[k] == 7) zero.val[k] = 0;
    for (const Csr<T>& bad : {not_finite, zero, indefinite(next)}) {
      EXPECT_THROW(m.update_values(this->analysed(bad)), ArgumentError);
      EXPECT_TRUE(same_bits(this->sample(m, a), before));
      EXPECT_EQ(m.rate(), rate);
    }
    EXPECT_THROW(m.update_values(this->analysed(graph_laplacian<T>(31, 3, 1, 0.1, 1))), DimensionError);
    EXPECT_TRUE(same_bits(this->sample(m, a), before));
    m.update_values(this->analysed(a));  // and takes the values that come next
    EXPECT_TRUE(m.reused());
    EXPECT_TRUE(same_bits(this->sample(m, a), this->sample(Multigrid(this->space(), a, anew(options)), a)));
  }
}

/// As in a time loop, which writes new values over the old ones before anybody looks at them.
TYPED_TEST(MultigridReuseOn, NeedsTheOldValuesNoLonger) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> good = diffusion<T>(40, mild(0));
    Csr<T> a = good;
    Multigrid m(this->space(), a, options);
    const auto before = this->sample(m, good);
    a.val = indefinite(good).val;
    EXPECT_TRUE(same_bits(this->sample(m, good), before));
    EXPECT_THROW(m.update_values(this->analysed(a)), ArgumentError);
    a.val.assign(a.val.size(), T{0});
    EXPECT_TRUE(same_bits(this->sample(m, good), before));
    EXPECT_THROW(m.update_values(this->analysed(a)), ArgumentError);
    EXPECT_TRUE(same_bits(this->sample(m, good), before));
  }
}

/// Constant coefficients on a grid are stored in less than a value an entry; other values need another format.
TYPED_TEST(MultigridReuseOn, TakesValuesThatAFormatCantStore) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = generate<T>("poisson3d", {.n = 16});
    Csr<T> c = generate<T>("variable3d", {.n = 16});
    ASSERT_EQ(a.col, c.col);
    Multigrid m(this->space(), a, options);
    const int at_first = this->solve(a, m);
    const auto before = this->sample(m, a);
    EXPECT_THROW(m.update_values(this->analysed(shifted(c, -3))), ArgumentError);
    EXPECT_TRUE(same_bits(this->sample(m, a), before));
    m.update_values(this->analysed(c));
    EXPECT_LE(this->solve(c, m), this->solve(c, Multigrid(this->space(), c, anew(options))) + 3);
    EXPECT_THROW(m.update_values(this->analysed(shifted(c, -3))), ArgumentError);
    m.update_values(this->analysed(a));
    EXPECT_EQ(this->solve(a, m), at_first);
  }
}

TYPED_TEST(MultigridReuseOn, TakesValuesThatArentSymmetric) {
  using T = typename TypeParam::T;
  const Csr<T> a = renumbered(generate<T>("convection-diffusion3d", {.n = 14}));
  Csr<T> c = a;
  for (std::size_t k = 0; k < c.val.size(); ++k) c.val[k] *= k % 3 == 0 ? T(1.05) : T(1);
  const MultigridOptions& options = both[0];
  Multigrid m(this->space(), a, options);
  for (const Csr<T>& values : {c, a}) {
    m.update_values(this->analysed(values));
    EXPECT_TRUE(m.reused());
    for (const char* solver : {"gmres", "bicgstab"}) {
      const int fresh = this->solve(values, Multigrid(this->space(), values, anew(options)), solver);
      EXPECT_LE(this->solve(values, m, solver), fresh + 2) << solver;
    }
  }
}

/// The smoother of a matrix that isn't symmetric is another one.
TYPED_TEST(MultigridReuseOn, ChangesTheSmootherWithTheSymmetry) {
  using T = typename TypeParam::T;
  const Csr<T> a = diffusion<T>(40, moving(0));
  Csr<T> c = a;
  for (std::size_t k = 0; k < c.val.size(); ++k) c.val[k] *= k % 3 == 0 ? T(1.01) : T(1);
  Multigrid m(this->space(), a, both[0]);
  const auto before = this->sample(m, a);
  m.update_values(this->analysed(c));
  MultigridOptions jacobi = anew(both[0]), chebyshev = jacobi;
  jacobi.smoother = Smoother::jacobi;
  chebyshev.smoother = Smoother::chebyshev;
  const auto z = this->sample(m, a);
  const auto distance = [&](const MultigridOptions& options) {
    const auto other = this->sample(Multigrid(this->space(), c, options), a);
    double total = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
      total += std::pow(static_cast<double>(z[i]) - static_cast<double>(other[i]), 2);
    return total;
  };
  EXPECT_LT(10 * distance(jacobi), distance(chebyshev));
  m.update_values(this->analysed(a));
  EXPECT_TRUE(same_bits(this->sample(m, a), before));
}

TYPED_TEST(MultigridReuseOn, TakesSingularValues) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    const Csr<T> a = graph_laplacian<T>(2000, 3, 1, 0, 1);
    Multigrid m(this->space(), a, options);
    const int iterations = this->solve(a, m);
    const Csr<T> c = times(a, 3);
    m.update_values(this->analysed(c));
    EXPECT_TRUE(m.reused());
    EXPECT_LE(this->solve(c, m), iterations + 1);
    const Csr<T> regular = graph_laplacian<T>(2000, 3, 1, 0.1, 1);
    m.update_values(this->analysed(regular));
    EXPECT_TRUE(m.reused());
    EXPECT_LE(this->solve(regular, m), iterations + 3);
    m.update_values(this->analysed(a));
    EXPECT_EQ(this->solve(a, m), iterations);
  }
}

TYPED_TEST(MultigridReuseOn, KeepsTheMotionsOfARigidBody) {
  using T = typename TypeParam::T;
  const Extents e{12, 10, 8};
  MultigridOptions options = both[1];
  options.coordinates = coordinates_of(e, 3);
  const Csr<T> a = elasticity<T>(e, false, 0.3), c = elasticity<T>(e, false, 0.2);
  Multigrid m(this->space(), a, options);
  m.update_values(this->analysed(c));
  EXPECT_TRUE(m.reused());
  EXPECT_LE(this->solve(c, m), this->solve(c, Multigrid(this->space(), c, anew(options))) + 2);
}

TYPED_TEST(MultigridReuseOn, TakesSystemsOfAllSizes) {
  using T = typename TypeParam::T;
  for (const MultigridOptions& options : both) {
    for (const Index n : {0, 1, 2, 31, 33, 149, 150, 151, 597}) {
      const Csr<T> a = graph_laplacian<T>(n, 2, 1, 0.1, 1), c = graph_laplacian<T>(n, 2, 1, 0.2, 1);
      Multigrid m(this->space(), a, options);
      m.update_values(this->analysed(c));
      EXPECT_TRUE(m.reused()) << n;
      EXPECT_LE(this->solve(c, m), n <= 150 ? 3 : 20) << n;
    }
  }
}

TYPED_TEST(MultigridReuseOn, LooksForAGridWhereNoKindIsAsked) {
  using T = typename TypeParam::T;
  const Csr<T> hidden = diffusion<T>(40, moving(0)), on_grid = generate<T>("poisson2d", {.n = 40});
  Multigrid m(this->space(), hidden, keeping(MultigridKind::automatic));
  EXPECT_EQ(m.levels().front().grid, "1600 rows");
  m.update_values(this->analysed(times(hidden, 3)));
  EXPECT_TRUE(m.reused());
  m.update_values(this->analysed(on_grid));
  EXPECT_FALSE(m.reused());
  EXPECT_NE(m.levels().front().grid, "1600 rows");
  m.update_values(this->analysed(times(on_grid, 3)));  // a structured hierarchy is made anew
  EXPECT_FALSE(m.reused());
}

TYPED_TEST(MultigridReuseOn, SaysTheMemoryThatItTakes) {
  using T = typename TypeParam::T;
  const Csr<T> a = diffusion<T>(50, moving(0));
  for (const MultigridOptions& options : both) {
    Multigrid m(this->space(), a, options);
    const Multigrid without(this->space(), a, anew(options));
    const std::size_t bytes = m.bytes();
    EXPECT_GT(bytes, without.bytes() + a.val.size() * sizeof(T));
    EXPECT_LT(bytes, 8 * without.bytes());
    m.update_values(this->analysed(times(a, 2)));
    EXPECT_EQ(m.bytes(), bytes);
    EXPECT_EQ(m.remarks(), without.remarks());
  }
}

TYPED_TEST(MultigridReuseOn, IsAnOptionOfAnyPreconditioner) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const Csr<T> a = diffusion<T>(40, along(0)), c = diffusion<T>(40, [](int axis, double x, double) {
                                                 return axis == 0 ? 1000 + 300 * std::sin(9 * x) : 1.0;
                                               });
  const auto sample = [&](const Any& m) {
    const auto r = this->put(random_vector<T>(a.rows, 2));
    auto z = this->put(std::vector<T>(static_cast<std::size_t>(a.rows)));
    m.apply(r, z);
    return z.download();
  };
  for (const std::string kind : {"classical", "aggregation"}) {
    const std::string name = "multigrid:kind=" + kind;
    Any m(this->analysed(a), name + ",reuse=interpolation");
    Multigrid by_hand(this->space(), a, both[kind == "aggregation"]);
    m.update_values(this->analysed(c));
    by_hand.update_values(this->analysed(c));
    EXPECT_TRUE(by_hand.reused());
    const auto z = sample(m);
    EXPECT_TRUE(same_bits(z, this->sample(by_hand, a)));
    EXPECT_FALSE(same_bits(z, sample(Any(this->analysed(c), name))));
    EXPECT_THROW(m.update_values(this->analysed(shifted(c, -500))), ArgumentError);
    EXPECT_TRUE(same_bits(sample(m), z));
  }
  EXPECT_THROW(check_preconditioner("multigrid:reuse=interpolations"), ArgumentError);
  EXPECT_NO_THROW(check_preconditioner("multigrid:reuse=none"));
}

}  // namespace
}  // namespace ostinato::test
