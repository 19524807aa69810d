// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/minres.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MinresOn : public SpaceTest<Case> {
 protected:
  using Diagonal = UserDiagonal<typename Case::Space, typename Case::T>;

  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Minres>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(MinresOn, EverySpace, SpaceNames);

/// The dense symmetric matrix H D H with the given eigenvalues D. H is a Householder reflection; its column k is the
/// eigenvector of d[k].
struct Rotated {
  explicit Rotated(const std::vector<double>& eigenvalues) : d(eigenvalues), u(random_vector<double>(size(), 21)) {
    double uu = 0;
    for (const double v : u) uu += v * v;
    for (double& v : u) v *= std::sqrt(2 / uu);
  }

  Index size() const { return static_cast<Index>(d.size()); }
  double reflection(std::size_t i, std::size_t j) const { return (i == j ? 1 : 0) - u[i] * u[j]; }

  template <class T>
  Csr<T> matrix() const {
    std::vector<Triplet<T>> triplets;
    for (std::size_t i = 0; i < d.size(); ++i) {
      for (std::size_t j = 0; j < d.size(); ++j) {
        double value = 0;
        for (std::size_t k = 0; k < d.size(); ++k) value += d[k] * (reflection(i, k) * reflection(k, j));
        triplets.push_back({static_cast<Index>(i), static_cast<Index>(j), static_cast<T>(value)});
      }
    }
    return from_triplets<T>(size(), size(), triplets);
  }

  /// The least relative residual that any x can have: the norm of the part of b in the null space, over norm(b).
  template <class T>
  double least_residual(const std::vector<T>& b) const {
    double along = 0, all = 0;
    for (std::size_t k = 0; k < d.size(); ++k) {
      double component = 0;
      for (std::size_t i = 0; i < d.size(); ++i) component += reflection(i, k) * static_cast<double>(b[i]);
      all += component * component;
      if (d[k] == 0) along += component * component;
    }
    return std::sqrt(along / all);
  }

  std::vector<double> d, u;
};

/// The values of `different` in turn, `count` values in all.
std::vector<double> repeated(const std::vector<double>& different, std::size_t count) {
  std::vector<double> d(count);
  for (std::size_t i = 0; i < count; ++i) d[i] = different[i % different.size()];
  return d;
}

/// MINRES in long double, as Elman, Silvester & Wathen write it, with M^-1 = diag(inverse). Returns the relative norms
/// of b - A x, recomputed after each iteration.
template <class T>
std::vector<double> plain_minres(const System<T>& system, const std::vector<T>& inverse, int iterations) {
  using V = std::vector<long double>;
  const std::size_t n = system.b.size();
  const auto product = [&](const V& x) {
    V y(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (auto k = static_cast<std::size_t>(system.a.row_ptr[i]);
           k < static_cast<std::size_t>(system.a.row_ptr[i + 1]); ++k)
        y[i] += static_cast<long double>(system.a.val[k]) * x[static_cast<std::size_t>(system.a.col[k])];
    }
    return y;
  };
  const auto dot = [](const V& x, const V& y) {
    long double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  };
  const auto precondition = [&](const V& r) {
    V z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = inverse[i] * r[i];
    return z;
  };

  V v_old(n), v(system.b.begin(), system.b.end()), w_old(n), w(n), x(n), z = precondition(v);
  const V b = v;
  long double gamma = std::sqrt(dot(z, v)), gamma_old = 1, eta = gamma, c_old = 1, c = 1, s_old = 0, s = 0;
  std::vector<double> history = {1};
  for (int k = 0; k < iterations; ++k) {
    for (long double& value : z) value /= gamma;
    const V az = product(z);
    const long double delta = dot(az, z);
    V v_new(n), w_new(n), r = b;
    for (std::size_t i = 0; i < n; ++i) v_new[i] = az[i] - delta / gamma * v[i] - gamma / gamma_old * v_old[i];
    const V z_new = precondition(v_new);
    const long double gamma_new = std::sqrt(dot(z_new, v_new)), a0 = c * delta - c_old * s * gamma,
                      a1 = std::hypot(a0, gamma_new), a2 = s * delta + c_old * c * gamma, a3 = s_old * gamma;
    c_old = c, s_old = s, c = a0 / a1, s = gamma_new / a1;
    for (std::size_t i = 0; i < n; ++i) {
      w_new[i] = (z[i] - a3 * w_old[i] - a2 * w[i]) / a1;
      x[i] += c * eta * w_new[i];
    }
    eta *= -s;
    const V ax = product(x);
    for (std::size_t i = 0; i < n; ++i) r[i] -= ax[i];
    history.push_back(static_cast<double>(std::sqrt(dot(r, r) / dot(b, b))));
    v_old = v, v = v_new, w_old = w, w = w_new, z = z_new, gamma_old = gamma, gamma = gamma_new;
  }
  return history;
}

TYPED_TEST(MinresOn, MinimisesByHand) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{2, 1}, {1, -1}}), {1, 0}};

  const auto one = this->solve(system, {.rtol = 1e-5, .max_iterations = 1});
  const auto two = this->solve(system, {.rtol = 1e-5});

  // x = y b with the y that minimises |b - y A b|. A b = (2, 1), so y = 2 / 5.
  EXPECT_NEAR(one.x[0], 0.4, 1e-6);
  EXPECT_EQ(one.x[1], 0);
  EXPECT_NEAR(one.result.history[1], std::sqrt(0.2), 1e-6);
  EXPECT_EQ(two.result.status, Status::converged);
  EXPECT_EQ(two.result.iterations, 2);
  EXPECT_NEAR(two.x[0], 1 / 3.0, 1e-5);
  EXPECT_NEAR(two.x[1], 1 / 3.0, 1e-5);
}

TYPED_TEST(MinresOn, MinimisesInTheNormOfThePreconditionerByHand) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{2, 1}, {1, -1}}), {1, 0}};
  const typename TestFixture::Diagonal m(this->space(), {T(0.25), T(1)});

  const auto one = this->solve(system, {.rtol = 1e-5, .max_iterations = 1}, m);
  const auto two = this->solve(system, {.rtol = 1e-5}, m);

  // x = y z with z = M^-1 b = (1/4, 0). A z = (1/2, 1/4), so y = 1 minimises (1 - y / 2)^2 / 4 + (y / 4)^2, the square
  // of the residual in the norm of M^-1. The reported residual is the 2-norm |(1/2, -1/4)|.
  EXPECT_NEAR(one.x[0], 0.25, 1e-6);
  EXPECT_EQ(one.x[1], 0);
  EXPECT_NEAR(one.result.history[1], std::sqrt(5.0) / 4, 1e-6);
  EXPECT_EQ(two.result.status, Status::converged);
  EXPECT_EQ(two.result.iterations, 2);
}

TYPED_TEST(MinresOn, EndsWhereTheSpaceIsComplete) {
  using T = typename TypeParam::T;
  const System<T> one{dense<T>({{-4}}), {8}};
  const System<T> identity{diagonal_matrix(std::vector<T>(33, T{-2})), std::vector<T>(33, T{3})};

  const auto first = this->solve(one, {.rtol = 1e-6}), second = this->solve(identity, {.rtol = 1e-6});

  EXPECT_EQ(first.result.status, Status::converged);
  EXPECT_EQ(first.result.iterations, 1);
  EXPECT_EQ(first.x[0], -2);
  EXPECT_EQ(second.result.status, Status::converged);
  EXPECT_EQ(second.result.iterations, 1);
  for (const T value : second.x) EXPECT_NEAR(value, -1.5, 1e-6);
}

TYPED_TEST(MinresOn, GetsOverAStepThatGainsNothing) {
  using T = typename TypeParam::T;
  const System<T> system{dense<T>({{2, 0}, {0, -2}}), {1, 1}};  // b . A b = 0: the first step can't lower the residual

  const auto [result, x] = this->solve(system, {.rtol = 1e-5});

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_NEAR(result.history[1], 1, 1e-6);
  EXPECT_NEAR(x[0], 0.5, 1e-6);
  EXPECT_NEAR(x[1], -0.5, 1e-6);
}

TYPED_TEST(MinresOn, NeedsAsManyStepsAsThereAreEigenvalues) {
  using T = typename TypeParam::T;
  for (const auto& different : {std::vector<double>{5}, {1, -1}, {1, 2, -3}, {-4, -2, 1, 3}, {-3, -2, -1, 1, 2, 4}}) {
    const auto d = repeated(different, 60);
    const auto plain = with_known_solution(diagonal_matrix(std::vector<T>(d.begin(), d.end())));
    const auto rotated = with_known_solution(Rotated(d).matrix<T>());
    for (const auto& system : {plain, rotated}) {
      const auto result = this->solve(system, {.rtol = 1e-5}).result;

      EXPECT_EQ(result.status, Status::converged);
      EXPECT_EQ(result.iterations, static_cast<int>(different.size()));
    }
  }
}

TYPED_TEST(MinresOn, SolvesShiftedLaplacians) {
  using T = typename TypeParam::T;
  for (const double shift : {0.3, 1.0, 3.3, 4.3, 9.0}) {
    SCOPED_TRACE(shift);
    const auto system = with_known_solution(shifted_laplacian<T>(20, shift));
    std::vector<T> definite(400);
    for (std::size_t i = 0; i < definite.size(); ++i)
      definite[i] = static_cast<T>(0.25 + 0.05 * static_cast<double>(i % 3));
    const typename TestFixture::Diagonal m(this->space(), definite);

    // Eigenvalues of 4.3 less lie so near to 0 that rounding in float leaves a residual of about 1e-5.
    const SolveOptions options{.rtol = shift == 4.3 && is_single<T> ? 1e-4 : attainable<T>()};

    const auto plain = this->solve(system, options), with = this->solve(system, options, m);

    EXPECT_EQ(plain.result.status, Status::converged) << plain.result.message();
    EXPECT_EQ(with.result.status, Status::converged) << with.result.message();
  }
}

TYPED_TEST(MinresOn, SolvesSaddlePointSystems) {
  using T = typename TypeParam::T;
  for (const Index m : {1, 40, 150}) {
    const auto system = with_known_solution(saddle_point<T>(200, m));
    std::vector<T> blocks(200 + static_cast<std::size_t>(m), T(0.1));  // 0.1: roughly the inverse of B A^-1 B'
    for (std::size_t i = 0; i < 200; ++i)
      blocks[i] = T{1} / system.a.val[static_cast<std::size_t>(system.a.row_ptr[i])];  // a row begins at its diagonal
    const typename TestFixture::Diagonal block_diagonal(this->space(), blocks);

    const auto plain = this->solve(system, {.rtol = attainable<T>()});
    const auto with = this->solve(system, {.rtol = attainable<T>()}, block_diagonal);

    EXPECT_EQ(plain.result.status, Status::converged) << plain.result.message();
    EXPECT_EQ(with.result.status, Status::converged) << with.result.message();
    EXPECT_LT(with.result.iterations, plain.result.iterations);
  }
}

TYPED_TEST(MinresOn, NeverRaisesTheResidual) {
  using T = typename TypeParam::T;
  for (const double shift : {0.0, 1.0, 4.3}) {
    const auto result = this->solve(with_known_solution(shifted_laplacian<T>(20, shift)), {.rtol = 1e-4}).result;

    EXPECT_EQ(result.status, Status::converged);
    for (std::size_t k = 1; k < result.history.size(); ++k)
      EXPECT_LE(result.history[k], result.history[k - 1] * 1.0001) << shift << " " << k;
  }
}

// Once the first eigenvalues have converged, rounding makes the Lanczos vectors lose their orthogonality. MINRES then
// needs more iterations than GMRES, which orthogonalises against all vectors. The first 30 residuals are not affected.

TYPED_TEST(MinresOn, HasTheResidualsOfGmres) {
  using T = typename TypeParam::T;
  const double tolerance = 1e4 * std::numeric_limits<T>::epsilon();
  for (const double shift : {0.0, 1.0, 4.3}) {
    SCOPED_TRACE(shift);
    const auto system = with_known_solution(shifted_laplacian<T>(12, shift));
    const SolveOptions options{.rtol = 1e-3, .restart = 144};
    const typename TestFixture::Diagonal multiple(this->space(), std::vector<T>(144, T(0.125)));

    const auto full = solve_honestly<Gmres>(this->space(), system, options).result;
    const auto plain = this->solve(system, options).result, with = this->solve(system, options, multiple).result;

    ASSERT_EQ(full.status, Status::converged);
    for (const SolveResult& result : {plain, with}) {
      EXPECT_EQ(result.status, Status::converged);
      EXPECT_GE(result.iterations, full.iterations);
      EXPECT_LE(result.iterations, full.iterations * 6 / 5);
      for (std::size_t k = 0; k < std::min<std::size_t>(30, full.history.size()); ++k)
        EXPECT_NEAR(result.history[k], full.history[k], tolerance) << k;
    }
  }
}

TYPED_TEST(MinresOn, HasTheResidualsOfPlainMinres) {
  using T = typename TypeParam::T;
  const double tolerance = 1e4 * std::numeric_limits<T>::epsilon();
  for (const double shift : {0.0, 1.0, 4.3}) {
    SCOPED_TRACE(shift);
    const auto system = with_known_solution(shifted_laplacian<T>(12, shift));
    std::vector<T> inverse(144);
    for (std::size_t i = 0; i < inverse.size(); ++i)
      inverse[i] = static_cast<T>(0.125 * static_cast<double>(1 + i % 4));
    const typename TestFixture::Diagonal m(this->space(), inverse);

    const auto result = this->solve(system, {.rtol = 1e-3}, m).result;

    EXPECT_EQ(result.status, Status::converged);
    const auto want = plain_minres(system, inverse, result.iterations);
    for (std::size_t k = 0; k < std::min<std::size_t>(30, want.size()); ++k)
      EXPECT_NEAR(result.history[k], want[k], tolerance) << k;
  }
}

TYPED_TEST(MinresOn, SizeOfTheMatrixMakesNoDifference) {
  using T = typename TypeParam::T;
  const auto plain = with_known_solution(shifted_laplacian<T>(12, 1));
  const auto expected = this->solve(plain, {.rtol = 1e-5});
  const int large = is_single<T> ? 110 : 500;
  for (const int exponent : {-large, large}) {
    auto system = plain;
    for (T& value : system.a.val) value = std::ldexp(value, exponent);
    for (T& value : system.b) value = std::ldexp(value, exponent / 2);

    const auto scaled = this->solve(system, {.rtol = 1e-5});

    EXPECT_EQ(scaled.result.status, Status::converged);
    const double x7 = std::ldexp(expected.x[7], exponent / 2 - exponent);
    if (TypeParam::Space::has_streams) {  // a scaled operator adds its dot products in a pass, in another order
      EXPECT_NEAR(scaled.result.iterations, expected.result.iterations, 1);
      EXPECT_NEAR(scaled.x[7] / x7, 1, 1e-4);
    } else {
      EXPECT_TRUE(same_bits(scaled.result.history, expected.result.history));
      EXPECT_EQ(scaled.x[7], x7);
    }
  }
}

// Singular matrices.

TYPED_TEST(MinresOn, SolvesSingularSystemsThatHaveASolution) {
  using T = typename TypeParam::T;
  for (const auto& different : {std::vector<double>{0, 1, -2}, {-3, 0, 0, 1, 2, 7}}) {
    const auto system = with_known_solution(Rotated(repeated(different, 60)).matrix<T>());

    const auto [result, x] = this->solve(system, {.rtol = 1e-5});

    EXPECT_EQ(result.status, Status::converged) << result.message();
    EXPECT_LE(*std::max_element(x.begin(), x.end()), 10);
  }
}

TYPED_TEST(MinresOn, EndsAtTheLeastResidualThatThereIs) {
  using T = typename TypeParam::T;
  for (const auto& different : {std::vector<double>{0, 1, -2}, {-3, 0, 0, 1, 2, 7}, {0, 0, 0, 5}, {0, 1e-3, -1, 1}}) {
    const Rotated a(repeated(different, 60));
    const System<T> system{a.matrix<T>(), random_vector<T>(60, 5)};
    const double least = a.least_residual(system.b);

    const auto [result, x] = this->solve(system, {.rtol = 1e-5});

    // The rounding of an x with parts of 1e3 may hide that nothing smaller is left.
    EXPECT_TRUE(result.status == Status::least_squares || result.status == Status::breakdown) << result.message();
    EXPECT_LE(result.iterations, 30);
    EXPECT_TRUE(all_finite(x));
    EXPECT_GE(result.relative_residual, 0.99 * least);
    EXPECT_LE(result.relative_residual, 1.1 * least) << least;
  }
}

TYPED_TEST(MinresOn, EndsAtTheLeastResidualOfALongRing) {
  using T = typename TypeParam::T;
  const Index n = is_single<T> ? 64 : 1000;
  const System<T> system{ring<T>(n), random_vector<T>(n, 5)};
  double sum = 0, squares = 0;
  for (const T value : system.b) sum += static_cast<double>(value), squares += static_cast<double>(value) * value;
  const double least = std::abs(sum) / std::sqrt(n * squares);

  const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 5 * n});

  // The rounding of an x with parts of 1e6 may hide that nothing smaller is left.
  EXPECT_TRUE(result.status == Status::least_squares || result.status == Status::breakdown) << result.message();
  EXPECT_LE(result.iterations, n + n / 10);
  EXPECT_TRUE(all_finite(x));
  EXPECT_LE(result.relative_residual, 1.2 * least) << least;
}

// The smallest residual isn't reached to the last digit here, but x must not grow worse by rounding.

TYPED_TEST(MinresOn, NeverEndsWorseThanItBegan) {
  using T = typename TypeParam::T;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index n = static_cast<Index>(20 * seed + 1);  // odd: the adjacency matrix of a path has a null vector
    std::vector<Triplet<T>> path;
    for (Index i = 0; i + 1 < n; ++i) {
      path.push_back({i, i + 1, 1});
      path.push_back({i + 1, i, 1});
    }
    std::vector<double> spread(40);
    Random random(seed);
    for (double& d : spread) d = signed_unit(random) * std::pow(10.0, 3 * signed_unit(random));
    spread[3] = spread[7] = 0;
    for (const Csr<T>& a : {from_triplets<T>(n, n, path), Rotated(spread).matrix<T>()}) {
      const System<T> system{a, random_vector<T>(a.rows, seed)};

      const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 5 * a.rows});

      EXPECT_LE(result.relative_residual, 1 + 1e-12) << result.message();
      EXPECT_TRUE(all_finite(x));
    }
  }
}

// Systems that MINRES isn't meant for.

TYPED_TEST(MinresOn, SeesAnIndefinitePreconditioner) {
  using T = typename TypeParam::T;
  const auto poisson = with_known_solution(generate<T>("poisson2d", {.n = 10}));
  const System<T> system{dense<T>({{1, 2}, {2, 1}}), {1, 0}};
  const typename TestFixture::Diagonal negative(this->space(), std::vector<T>(100, T{-1}));
  const typename TestFixture::Diagonal both_signs(this->space(), {T{1}, T{-1}});

  const auto at_once = this->solve(poisson, {}, negative), later = this->solve(system, {}, both_signs);

  EXPECT_EQ(at_once.result.status, Status::breakdown);
  EXPECT_EQ(at_once.result.iterations, 0);
  EXPECT_EQ(at_once.x, poisson.x0);
  EXPECT_EQ(later.result.status, Status::breakdown) << "v . M^-1 v is 1, then -4";
  EXPECT_EQ(later.result.iterations, 0);
  EXPECT_EQ(later.x, system.x0);
}

TYPED_TEST(MinresOn, ClaimsNothingWithARandomPreconditioner) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(shifted_laplacian<T>(12, 1));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const typename TestFixture::Diagonal random(this->space(), random_vector<T>(144, seed));

    const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 500}, random);

    EXPECT_EQ(result.status, Status::breakdown) << result.message();
    EXPECT_TRUE(all_finite(x));
  }
}

TYPED_TEST(MinresOn, ClaimsNothingOfMatricesThatAreNotSymmetric) {
  using T = typename TypeParam::T;
  const auto upwind = with_known_solution(generate<T>("convection-diffusion2d", {.n = 20}));
  const auto elliptic = with_known_solution(generate<T>("pde2d", {.n = 20}));
  const System<T> skew{dense<T>({{0, 1}, {-1, 0}}), {1, 0}}, spiral{dense<T>({{0.125, 1}, {-1, 0.125}}), {1, 0}},
      shift{dense<T>({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}), {1, 0, 0}};
  for (const auto& system : {upwind, elliptic, skew, spiral, shift}) {
    const auto [result, x] = this->solve(system, {.rtol = 1e-5, .max_iterations = 400});

    EXPECT_TRUE(all_finite(x)) << result.message();
  }
  EXPECT_NE(this->solve(upwind, {.rtol = 1e-5, .max_iterations = 400}).result.status, Status::converged);
  EXPECT_NE(this->solve(skew, {.rtol = 1e-5, .max_iterations = 400}).result.status, Status::converged);
}

}  // namespace
}  // namespace ostinato::test
