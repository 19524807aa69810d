// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <ostinato/preconditioners/largest_eigenvalue.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/preconditioning.hpp"

namespace ostinato::test {
namespace {

/// T_k(x) by its definition.
long double first_kind(int k, long double x) {
  const long double sign = x < 0 && k % 2 == 1 ? -1 : 1, size = std::abs(x);
  return sign * (size <= 1 ? std::cos(k * std::acos(size)) : std::cosh(k * std::acosh(size)));
}

/// W_k(x) by its definition, for |x| < 1.
long double fourth_kind(int k, long double x) {
  const long double angle = std::acos(x);
  return std::sin((k + 0.5L) * angle) / std::sin(angle / 2);
}

/// What is left of an error that belongs to the eigenvalue t of D^-1 A.
long double left_of_error(const ChebyshevOptions& o, long double largest, long double t) {
  if (o.kind == ChebyshevKind::fourth) return fourth_kind(o.degree, 1 - 2 * t / largest) / (2 * o.degree + 1);
  const long double smallest = largest / o.ratio, centre = (largest + smallest) / 2, radius = (largest - smallest) / 2;
  return first_kind(o.degree, (centre - t) / radius) / first_kind(o.degree, centre / radius);
}

TEST(ChebyshevCoefficients, GiveThePolynomialOfTheSmoother) {
  for (const int degree : {1, 2, 5, 8}) {
    for (const double t : {0.01, 0.4, 1.3, 1.9}) {
      double z = 0, direction = 0, product = 1;
      for (const auto& c : chebyshev_coefficients(ChebyshevKind::fourth, degree, 0, 1.9)) {
        direction = c.keep * direction + c.add * (1 - t * z);
        z += direction;
      }
      for (int k = 0; k < degree; ++k) product *= 1 - t * multigrid::damping_of(Smoother::chebyshev, k, degree, 1, 1.9);
      EXPECT_NEAR(1 - t * z, product, 1e-13) << degree << " " << t;
    }
  }
}

TEST(RitzBound, IsTheLargestEigenvalueOfAWholeMatrix) {
  for (const int n : {1, 2, 9, 40}) {
    const Tridiagonal t{std::vector<double>(static_cast<std::size_t>(n), 2), [&] {
                          std::vector<double> beside(static_cast<std::size_t>(n), 1);
                          beside.back() = 0;
                          return beside;
                        }()};
    EXPECT_NEAR(ritz_bound(t), 2 + 2 * std::cos(std::numbers::pi / (n + 1)), 1e-12) << n;
  }
  EXPECT_EQ(ritz_bound({}), 0);
}

template <class Case>
class ChebyshevOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;

  /// (-1, 2, -1) times 3
  static Csr<Value> chain(Index n) {
    std::vector<Triplet<Value>> t;
    for (Index i = 0; i < n; ++i) {
      t.push_back({i, i, 6});
      if (i > 0) t.push_back({i, i - 1, -3});
      if (i + 1 < n) t.push_back({i, i + 1, -3});
    }
    return from_triplets<Value>(n, n, t);
  }
};

TYPED_TEST_SUITE(ChebyshevOn, EverySpace, SpaceNames);

/// The eigenvectors of a chain are sines, and those of D^-1 A as well.
TYPED_TEST(ChebyshevOn, IsThePolynomialInEachEigenvector) {
  using T = typename TypeParam::T;
  using M = Chebyshev<typename TypeParam::Space, T>;
  for (const Index n : {1, 31, 33, 597}) {
    const auto a = this->chain(n);
    for (const int degree : {1, 2, 3, 8, 25}) {
      for (const ChebyshevKind kind : {ChebyshevKind::first, ChebyshevKind::fourth}) {
        const ChebyshevOptions options{.degree = degree, .kind = kind, .ratio = 20};
        const M m(this->space(), a, options);
        for (const Index mode : {Index{1}, n / 2, n}) {
          if (mode == 0) continue;
          const long double angle = mode * std::numbers::pi_v<long double> / (n + 1);
          const long double half = std::sin(angle / 2), t = 2 * half * half;
          std::vector<T> r(static_cast<std::size_t>(n));
          for (std::size_t i = 0; i < r.size(); ++i)
            r[i] = static_cast<T>(std::sin(angle * static_cast<long double>(i + 1)));

          const auto z = this->apply(m, r);

          const auto factor = static_cast<double>((1 - left_of_error(options, m.largest(), t)) / t / 6);
          for (std::size_t i = 0; i < r.size(); ++i)
            EXPECT_NEAR(z[i], factor * r[i], 30 * degree * degree * this->epsilon) << n << " " << degree << " " << mode;
        }
      }
    }
  }
}

TYPED_TEST(ChebyshevOn, FindsTheLargestEigenvalue) {
  using T = typename TypeParam::T;
  using M = Chebyshev<typename TypeParam::Space, T>;
  for (const char* family : {"poisson2d", "poisson3d"}) {
    for (const Index n : {2, 12, 30}) {
      const double exact = 1 + std::cos(std::numbers::pi / (n + 1));  // of D^-1 A
      const double found = M(this->space(), generate<T>(family, {.n = n})).largest();
      EXPECT_GE(found, exact) << family << " " << n;
      EXPECT_LE(found, 1.1 * exact) << family << " " << n;
    }
  }
}

TYPED_TEST(ChebyshevOn, FindsTheLargestEigenvalueOfManyRowsNearTheIdentity) {
  const Index n = 200000;
  auto a = this->chain(n);
  for (Index i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] = a.col[k] == i ? 1 : typename TypeParam::T(-0.01);

  const double found = Chebyshev(this->space(), a).largest();

  EXPECT_GE(found, 1.05 * 1.019);
  EXPECT_LE(found, 1.05 * 1.02 * (1 + 1e-6));
}

TYPED_TEST(ChebyshevOn, FindsTheLargestEigenvalueAsOnTheHost) {
  using T = typename TypeParam::T;
  const auto found_on = [](const auto& space, const Csr<T>& a) {
    const Analysis analysis(space, a);
    const Operator op(analysis, {.format = "csr"});
    std::vector<T> inverse(static_cast<std::size_t>(a.rows), T{0});
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        if (a.col[k] == static_cast<Index>(i) && a.val[k] != 0) inverse[i] = 1 / std::abs(a.val[k]);
    }
    return largest_eigenvalue(op, analysis.matrix().view(),
                              Vector<std::decay_t<decltype(space)>, T>(space, std::span<const T>(inverse)), 1);
  };
  std::vector<Csr<T>> matrices = {generate<T>("poisson3d", {.n = 20}),    generate<T>("poisson2d", {.n = 130}),
                                  generate<T>("elasticity3d", {.n = 8}),  generate<T>("mesh2d", {.n = 60}),
                                  generate<T>("elasticity3d", {.n = 12}), scattered<T>(597, 597, 5, true, 3),
                                  with_dense_row<T>(597, 597, 300, 4)};
  for (const Index n : {1, 2, 31, 33, 597}) matrices.push_back(random_definite<T>(n, 5));
  for (const Csr<T>& a : matrices) {
    const LargestEigenvalue want = found_on(Host(), a), found = found_on(this->space(), a);
    EXPECT_EQ(found.is_symmetric, want.is_symmetric) << a.rows;
    EXPECT_NEAR(found.bound, want.bound, 2e-3 * want.bound) << a.rows;
    for (int run = 0; run < 20; ++run) EXPECT_EQ(found_on(this->space(), a).bound, found.bound) << a.rows;
  }
}

/// From a million rows on, five steps may do; no eigenvalue of D^-1 A exceeds 2 here, and the largest is nearly that.
TYPED_TEST(ChebyshevOn, FindsTheLargestEigenvalueOfALargeGridSlow) {
  using T = typename TypeParam::T;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 1001}));
  const Operator op(analysis, {.format = "csr"});
  const Vector<typename TypeParam::Space, T> inverse(this->space(), static_cast<std::size_t>(op.rows()), T{0.25});

  const LargestEigenvalue found = largest_eigenvalue(op, analysis.matrix().view(), inverse, 1);

  EXPECT_TRUE(found.is_symmetric);
  EXPECT_GE(found.bound, 0.98 * 2);
  EXPECT_LE(found.bound, 2 * (1 + 1e-6));
}

TYPED_TEST(ChebyshevOn, BoundsEigenvaluesByRowSumsWhereTheMatrixIsNotSymmetric) {
  using T = typename TypeParam::T;
  auto a = this->chain(50);
  for (std::size_t k = 0; k < a.val.size(); k += 3) a.val[k] *= 1 - T(1e-6);  // as after rounding
  const double rounded = Chebyshev(this->space(), a).largest();
  for (std::size_t i = 1; i < 50; ++i) a.val[static_cast<std::size_t>(a.row_ptr[i])] *= T(0.2);
  const double other = Chebyshev(this->space(), a).largest();

  EXPECT_NEAR(rounded, 1.05 * 2, 0.06);
  EXPECT_NEAR(other, 1.05 * 1.6, 1e-4);
}

TYPED_TEST(ChebyshevOn, IsSymmetricAndDefiniteWhereTheMatrixIs) {
  using T = typename TypeParam::T;
  using M = Chebyshev<typename TypeParam::Space, T>;
  for (const Index n : {1, 31, 33, 97}) {
    const auto a = random_definite<T>(n, 5);
    for (const char* options : {"", "degree=1", "degree=8", "kind=fourth", "degree=8,kind=fourth", "degree=5,ratio=3"})
      this->expect_definite(M(this->space(), a, M::parse_options(options)), n);
  }
}

TYPED_TEST(ChebyshevOn, NamesTheFirstRowWithoutAPositiveDiagonal) {
  using T = typename TypeParam::T;
  for (const T bad : {T{0}, T{-1}}) {
    auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
    a.val[4711] = a.val[9000] = bad;

    const auto text = message_of<ArgumentError>([&] { Chebyshev(this->space(), a); });

    EXPECT_NE(text.find("row 4711 (counted from 0) "), std::string::npos) << text;
  }
  EXPECT_THROW(Chebyshev(this->space(), dense<T>({{1, std::numeric_limits<T>::infinity()}, {0, 1}})), ArgumentError);
  const double small = std::numeric_limits<T>::min(), large = std::numeric_limits<T>::max();
  EXPECT_THROW(Chebyshev(this->space(), dense<T>({{small, large}, {large, small}})), ArgumentError);
  using M = Chebyshev<typename TypeParam::Space, T>;
  EXPECT_THROW(M(this->space(), dense<T>({{1}}), {.degree = 0}), ArgumentError);
  EXPECT_THROW(M(this->space(), dense<T>({{1}}), {.ratio = 1}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
