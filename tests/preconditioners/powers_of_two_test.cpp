// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/solving.hpp"

// A matrix times a power of two takes the iterations of the matrix, and x has the same digits.

namespace ostinato::test {
namespace {

/// Those that promise that for every power, as long as all numbers stay in range.
const std::vector<std::string> for_every_power = {"none",
                                                  "jacobi",
                                                  "block-jacobi",
                                                  "spai0",
                                                  "ssor",
                                                  "ilu0",
                                                  "iluk:level=1",
                                                  "ic0",
                                                  "ict",
                                                  "cholesky",
                                                  "multigrid:kind=classical",
                                                  "multigrid:kind=classical,aggressive=1",
                                                  "multigrid:kind=classical,smoother=ic0",
                                                  "multigrid:kind=aggregation",
                                                  "multigrid:kind=pairwise",
                                                  "multigrid:kind=plain"};
/// Square roots of the diagonal are theirs: of even powers these are exact.
const std::vector<std::string> for_even_powers = {"chebyshev", "fsai", "fsai:pattern=a2", "fsai:pattern=adaptive"};

template <class T>
class PowersOfTwo : public testing::Test {
 protected:
  struct End {
    Status status;
    int iterations;
    std::vector<T> x;
  };

  /// Solves A x = b times 2^exponent.
  static End end_of(Csr<T> a, std::vector<T> b, const std::string& precond, int exponent) {
    for (T& v : a.val) v = std::ldexp(v, exponent);
    for (T& v : b) v = std::ldexp(v, exponent);
    const Host space;
    const Analysis<Host, T> analysis(space, a);
    const Operator<Host, T> op(analysis, {.format = "csr"});
    const AnyPreconditioner<Host, T> m(analysis, precond);
    std::vector<T> x(b.size());
    const double rtol = is_single<T> ? 1e-4 : 1e-8;
    const SolveResult r = solve(space, op, In<T>(b), Out<T>(x), m, m.symmetric() ? "cg" : "bicgstab",
                                {.rtol = rtol, .max_iterations = 2000});
    EXPECT_EQ(r.status, Status::converged) << precond << " 2^" << exponent << ": " << r.message();
    const ReferenceResidual end = reference_residual(a.view(), x, b);
    EXPECT_LE(end.norm, rtol * end.b_norm * 1.0001L) << precond << " 2^" << exponent;
    return {r.status, r.iterations, x};
  }

  /// `bits`: of x, too. Not where M^-1 r and r . M^-1 r are made in one pass, or in float, which a scaled M isn't.
  static void expect_same(const Csr<T>& a, const std::vector<std::string>& names, const std::vector<int>& exponents,
                          bool bits = true) {
    const std::vector<T> b = with_known_solution(a).b;
    for (const std::string& name : names) {
      const End plain = end_of(a, b, name, 0);
      for (const int exponent : exponents) {
        const End scaled = end_of(a, b, name, exponent);
        EXPECT_EQ(scaled.iterations, plain.iterations) << name << " 2^" << exponent;
        EXPECT_TRUE(!bits || same_bits(scaled.x, plain.x)) << name << " 2^" << exponent;
      }
    }
  }

  static std::vector<int> even() {
    return is_single<T> ? std::vector<int>{-90, -60, 80} : std::vector<int>{-560, -700, 560};
  }
  static std::vector<int> odd() { return is_single<T> ? std::vector<int>{-91, 81} : std::vector<int>{-561, -701, 333}; }
};

using PowersOfTwoValues = testing::Types<float, double>;
TYPED_TEST_SUITE(PowersOfTwo, PowersOfTwoValues);

TYPED_TEST(PowersOfTwo, ChangeNoIterationOnAMesh) {
  const auto a = generate<TypeParam>("mesh2d", {.n = 40});
  this->expect_same(a, for_every_power, this->even());
  this->expect_same(a, for_every_power, this->odd());
  this->expect_same(a, for_even_powers, this->even(), false);
}

TYPED_TEST(PowersOfTwo, ChangeNoIterationWhereEntriesHaveBothSigns) {
  // Stiffness of a body: couplings of either sign.
  const auto a = generate<TypeParam>("elasticity3d", {.n = 5});
  std::vector<std::string> names = for_every_power;
  names.emplace_back("multigrid:kind=aggregation,unknowns=3");
  this->expect_same(a, names, this->even());
  this->expect_same(a, for_even_powers, this->even(), false);
}

TYPED_TEST(PowersOfTwo, ChangeNoIterationOnAGrid) {
  const auto a = generate<TypeParam>("variable2d", {.n = 40});
  this->expect_same(a, {"multigrid:kind=structured"}, this->even(), false);
  this->expect_same(a, {"multigrid:kind=structured"}, this->odd(), false);
}

}  // namespace
}  // namespace ostinato::test
