// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/methods/bicgstab.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

#include "support/matrices.hpp"

// complex<double> on Host: assembly, CSR products, Jacobi, CG, BiCGSTAB and GMRES.

namespace ostinato::test {
namespace {

using Z = std::complex<double>;
using Exact = std::complex<long double>;

Z random_value(Random& random) {
  const double re = signed_unit(random);
  return {re, signed_unit(random)};
}

std::vector<Z> random_values(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Z> v(n);
  for (Z& value : v) value = random_value(random);
  return v;
}

/// A matrix with a few entries a row; its diagonal entries are larger than the others together.
Csr<Z> dominant(Index n, bool is_hermitian, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<Z>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, is_hermitian ? Z(9 + signed_unit(random)) : Z(5, 6) + random_value(random)});
    for (const Index j : {(i + 1) % n, below(random, n)}) {
      if (i == j) continue;
      const Z value = random_value(random);
      entries.push_back({i, j, value});
      if (is_hermitian) entries.push_back({j, i, std::conj(value)});
    }
  }
  return from_triplets<Z>(n, n, entries);
}

/// A stored matrix in the format csr.
class Stored {
 public:
  using value_type = Z;
  explicit Stored(const Csr<Z>& a) : a_(a), plan_(host_, a.view(), Structure()) {}

  std::size_t rows() const { return static_cast<std::size_t>(a_.rows); }
  std::size_t cols() const { return static_cast<std::size_t>(a_.cols); }
  void apply(Z alpha, std::span<const Z> x, Z beta, std::span<Z> y) const {
    formats::csr_apply(host_, plan_, a_.view(), alpha, x.data(), beta, y.data());
  }

 private:
  Host host_;
  const Csr<Z>& a_;
  formats::CsrPlan<Host> plan_;
};

std::vector<std::vector<Exact>> dense_of(const Csr<Z>& a) {
  std::vector<std::vector<Exact>> m(static_cast<std::size_t>(a.rows),
                                    std::vector<Exact>(static_cast<std::size_t>(a.cols)));
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      m[i][static_cast<std::size_t>(a.col[k])] += static_cast<Exact>(a.val[k]);
  }
  return m;
}

std::vector<Exact> product(const Csr<Z>& a, const std::vector<Z>& x) {
  std::vector<Exact> y;
  for (const auto& row : dense_of(a)) {
    Exact sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += row[j] * static_cast<Exact>(x[j]);
    y.push_back(sum);
  }
  return y;
}

/// By elimination with row pivoting.
std::vector<Exact> dense_solution(const Csr<Z>& a, const std::vector<Z>& b) {
  std::vector<std::vector<Exact>> m = dense_of(a);
  std::vector<Exact> x(b.begin(), b.end());
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) pivot = std::abs(m[i][k]) > std::abs(m[pivot][k]) ? i : pivot;
    std::swap(m[k], m[pivot]);
    std::swap(x[k], x[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Exact factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= m[k][j] * x[j];
    x[k] /= m[k][k];
  }
  return x;
}

double norm(const std::vector<Exact>& v) {
  long double squares = 0;
  for (const Exact& value : v) squares += std::norm(value);
  return static_cast<double>(std::sqrt(squares));
}

double residual(const Csr<Z>& a, const std::vector<Z>& x, const std::vector<Z>& b) {
  std::vector<Exact> r = product(a, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= static_cast<Exact>(b[i]);
  return norm(r);
}

TEST(ComplexValues, AreAddedUpByAssembly) {
  const Csr<Z> a =
      from_triplets<Z>(2, 3, std::vector<Triplet<Z>>{{1, 2, {1, 2}}, {0, 1, {3, 0}}, {1, 0, {0, -1}}, {1, 2, {4, -7}}});
  EXPECT_EQ(std::vector<Offset>(a.row_ptr.begin(), a.row_ptr.end()), (std::vector<Offset>{0, 1, 3}));
  EXPECT_EQ(std::vector<Index>(a.col.begin(), a.col.end()), (std::vector<Index>{1, 0, 2}));
  EXPECT_EQ(std::vector<Z>(a.val.begin(), a.val.end()), (std::vector<Z>{{3, 0}, {0, -1}, {5, -5}}));
}

TEST(ComplexValues, AreMultipliedByCsr) {
  for (const Index n : {1, 5, 31, 60}) {
    const Csr<Z> a = dominant(n, false, 3);
    const std::vector<Z> x = random_values(static_cast<std::size_t>(n), 4), y0 = random_values(x.size(), 5);
    const Z alpha(0.5, -2), beta(-1, 0.25);
    std::vector<Z> y = y0;
    Stored(a).apply(alpha, x, beta, y);
    const std::vector<Exact> ax = product(a, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Exact expected = Exact(alpha) * ax[i] + Exact(beta) * Exact(y0[i]);
      EXPECT_LE(std::abs(Exact(y[i]) - expected), 1e-14L) << i;
    }
    y.assign(y.size(), Z(std::numeric_limits<double>::quiet_NaN(), 0));
    Stored(a).apply(1, x, 0, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LE(std::abs(Exact(y[i]) - ax[i]), 1e-14L) << i;
  }
}

TEST(ComplexValues, OfTheFirstVectorAreConjugatedByDot) {
  const std::vector<Z> x = {{1, 2}, {0, 1}}, y = {{3, -1}, {5, 0}};
  Z slot;
  dot<Z>(Host(), x, y, &slot);
  EXPECT_EQ(slot, Z(1, -2) * Z(3, -1) + Z(0, -1) * Z(5, 0));
  dot<Z>(Host(), x, x, &slot);
  EXPECT_EQ(slot, Z(6, 0));
}

TEST(ComplexValues, OnTheDiagonalAreDividedByJacobi) {
  const Csr<Z> a = from_triplets<Z>(2, 2, std::vector<Triplet<Z>>{{0, 0, {0, 2}}, {0, 1, {7, 7}}, {1, 1, {3, 4}}});
  const std::vector<Z> r = {{4, 2}, {25, 0}};
  std::vector<Z> z(2);
  Z slot;
  Jacobi<Host, Z>(Host(), a).apply_dot(r, z, &slot);
  EXPECT_NEAR(std::abs(z[0] - Z(1, -2)), 0, 1e-15);
  EXPECT_NEAR(std::abs(z[1] - Z(3, -4)), 0, 1e-15);
  EXPECT_NEAR(std::abs(slot - (Z(4, -2) * Z(1, -2) + Z(75, -100))), 0, 1e-13);
  EXPECT_THROW((Jacobi<Host, Z>(Host(), from_triplets<Z>(1, 1, std::vector<Triplet<Z>>{}))), ArgumentError);
}

template <class M>
void expect_exact_solution(const auto& solver, const Csr<Z>& a, const M& m, double scale = 1) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<Z> b = random_values(n, 6), x = random_values(n, 7);
  for (Z& value : b) value *= scale;
  for (Z& value : x) value *= scale;
  const double b_norm = norm(std::vector<Exact>(b.begin(), b.end()));
  const SolveResult result = solver(Host(), Stored(a), b, x, m, SolveOptions{.rtol = 1e-11});
  SCOPED_TRACE(result.message());
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(residual(a, x, b), 1e-11 * b_norm);
  EXPECT_NEAR(result.residual, residual(a, x, b), 1e-13 * b_norm);
  const std::vector<Exact> exact = dense_solution(a, b);
  for (std::size_t i = 0; i < n; ++i) EXPECT_LE(std::abs(Exact(x[i]) - exact[i]), 1e-10 * scale) << i;
}

template <class Method>
class ComplexSystems : public testing::Test {};
using Methods = testing::Types<Cg, Bicgstab, Gmres>;
TYPED_TEST_SUITE(ComplexSystems, Methods);

TYPED_TEST(ComplexSystems, AreSolvedWithAndWithoutJacobi) {
  const Solver<TypeParam> solver;
  for (const Index n : {5, 6, 17, 33, 60}) {
    for (const bool is_hermitian : {true, false}) {
      if (!is_hermitian && std::is_same_v<TypeParam, Cg>) continue;
      SCOPED_TRACE(std::to_string(n) + (is_hermitian ? " Hermitian" : ""));
      const Csr<Z> a = dominant(n, is_hermitian, static_cast<std::uint64_t>(n));
      expect_exact_solution(solver, a, Identity());
      expect_exact_solution(solver, a, Jacobi<Host, Z>(Host(), a));
    }
  }
}

TYPED_TEST(ComplexSystems, OfAnySizeOfBAreSolved) {
  const Csr<Z> a = dominant(20, true, 8);
  for (const double scale : {1e-200, 1e200}) expect_exact_solution(Solver<TypeParam>(), a, Identity(), scale);
}

TYPED_TEST(ComplexSystems, WithZeroForBHaveTheSolutionZero) {
  const Csr<Z> a = dominant(7, true, 9);
  const std::vector<Z> b(7);
  std::vector<Z> x = random_values(7, 1);
  EXPECT_TRUE(Solver<TypeParam>()(Host(), Stored(a), b, x));
  EXPECT_EQ(x, std::vector<Z>(7));
}

TYPED_TEST(ComplexSystems, NameTheRowOfAnImaginaryPartThatIsNaN) {
  const Csr<Z> a = dominant(7, true, 9);
  std::vector<Z> b(7, Z(1)), x(7);
  b[3] = {1, std::numeric_limits<double>::quiet_NaN()};
  const SolveResult result = Solver<TypeParam>()(Host(), Stored(a), b, x);
  EXPECT_EQ(result.status, Status::not_finite);
  EXPECT_NE(result.reason.find("row 3"), std::string::npos) << result.reason;
}

/// The eigenvalues of an imaginary diagonal are no obstacle to methods for any matrix, and the size of the Krylov space
/// is that of the matrix's distinct eigenvalues.
TEST(ComplexValues, OnAnImaginaryDiagonalTakeGmresAsManyStepsAsTheyAre) {
  std::vector<Triplet<Z>> entries;
  for (Index i = 0; i < 30; ++i) entries.push_back({i, i, Z(0, 1 + i % 3)});
  const Csr<Z> a = from_triplets<Z>(30, 30, entries);
  const std::vector<Z> b = random_values(30, 2);
  std::vector<Z> x(30);
  const SolveResult result = gmres(Host(), Stored(a), b, x, SolveOptions{.rtol = 1e-12});
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(result.iterations, 3);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_LE(std::abs(x[i] - b[i] / a.val[i]), 1e-11);
}

TEST(ComplexValues, OfAnIndefiniteHermitianMatrixBreakCgDown) {
  const Csr<Z> a =
      from_triplets<Z>(2, 2, std::vector<Triplet<Z>>{{0, 0, 1}, {0, 1, {0, 3}}, {1, 0, {0, -3}}, {1, 1, 1}});
  const std::vector<Z> b = {{0, -1}, {1, 0}};  // an eigenvector: of -2
  std::vector<Z> x(2);
  const SolveResult result = cg(Host(), Stored(a), b, x);
  EXPECT_EQ(result.status, Status::breakdown);
  EXPECT_NE(result.reason.find("p . A p"), std::string::npos) << result.reason;
}

}  // namespace
}  // namespace ostinato::test
