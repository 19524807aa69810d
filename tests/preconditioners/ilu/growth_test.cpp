// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/growth.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/solving.hpp"

// Preconditioners whose pivots are tiny beside their rows: refused with that reason where M^-1 leaves the range.

namespace ostinato::test {
namespace {

/// Some large entries a row, and `diagonal` on the diagonal.
template <class T>
Csr<T> with_diagonal(Index n, T diagonal) {
  Random random(5);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, diagonal});
    for (int k = 0; k < 7; ++k) {
      if (const Index j = below(random, n); j != i) t.push_back({i, j, static_cast<T>(1 + signed_unit(random) / 2)});
    }
  }
  return from_triplets<T>(n, n, t);
}

template <class T>
std::string why_refused(const Csr<T>& a, const std::string& name) {
  try {
    const AnyPreconditioner<Host, T> m(Host(), a, name);
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

template <class T>
class Growth : public testing::Test {};
using GrowthValues = testing::Types<float, double>;
TYPED_TEST_SUITE(Growth, GrowthValues);

TYPED_TEST(Growth, TinyPivotsAreNamedAndIlutIsAdvised) {
  using T = TypeParam;
  const auto a = with_diagonal<T>(300, static_cast<T>(1e-10));
  for (const std::string name : {"ilu0", "ssor", "ssor:order=natural", "iluk:level=1"}) {
    const std::string why = why_refused(a, name);
    EXPECT_EQ(why.rfind(name.substr(0, name.find(':')), 0), 0u) << why;
    EXPECT_NE(why.find("tiny beside their rows"), std::string::npos) << name << ": " << why;
    EXPECT_NE(why.find("1e-10 beside 1."), std::string::npos) << name << ": " << why;
    EXPECT_NE(why.find("ilut, which pivots"), std::string::npos) << name << ": " << why;
  }
}

TEST(GrowthOfIlut, IsSmallWhereTheOthersAreRefused) {
  const auto system = with_known_solution(with_diagonal<double>(300, 1e-20));
  const Host space;
  const Operator<Host, double> op(space, system.a);
  const AnyPreconditioner<Host, double> m(space, system.a, "ilut");
  std::vector<double> x(300);
  const double rtol = 1e-8;
  EXPECT_TRUE(solve(space, op, In<double>(system.b), Out<double>(x), m, {.rtol = rtol}));
  const ReferenceResidual end = reference_residual(system.a.view(), x, system.b);
  EXPECT_LE(end.norm, rtol * end.b_norm * 1.0001L);
}

TYPED_TEST(Growth, AFewTinyPivotsAndBadScalesAreTaken) {
  using T = TypeParam;
  Csr<T> few = with_diagonal<T>(300, T{40});
  few.val[static_cast<std::size_t>(std::find(few.col.begin(), few.col.begin() + few.row_ptr[1], 0) - few.col.begin())] =
      static_cast<T>(is_single<T> ? 1e-10 : 1e-20);
  EXPECT_EQ(why_refused(few, "ilu0"), "");
  EXPECT_EQ(why_refused(few, "ssor"), "");
  const auto graded = dense<T>({{static_cast<T>(1e-15), 0, 0}, {0, 1, 0}, {0, 0, static_cast<T>(1e15)}});
  for (const std::string name : {"ilu0", "ssor", "ilut", "lu"}) EXPECT_EQ(why_refused(graded, name), "") << name;
}

/// Paths that nothing holds, with weights over 16 decades, and rows that all others are coupled to: many pivots are
/// rounding, and are raised.
Csr<double> singular_paths(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  const auto couple = [&](Index i, Index j, double w) {
    t.insert(t.end(), {{i, j, -w}, {j, i, -w}, {i, i, w}, {j, j, w}});
  };
  for (Index i = 0; i + 1 < n; ++i) couple(i, i + 1, std::pow(10, 8 * signed_unit(random)));
  for (Index i = 2; i < n; ++i) {
    couple(0, i, 1e-3);
    if (i % 2 == 0) couple(1, i, 1e-3);
  }
  return from_triplets(n, n, t);
}

TEST(GrowthOfIlut, FactorsAreFiniteOrRefused) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto a = singular_paths(160 + static_cast<Index>(seed) * 40, seed);
    const auto n = static_cast<std::size_t>(a.rows);
    for (const std::string name : {"ilut", "ilut:match=no", "ilut:order=natural,match=no", "lu", "ilu0", "ssor"}) {
      const std::string why = why_refused(a, name);
      if (!why.empty()) {
        EXPECT_NE(why.find("tiny beside"), std::string::npos) << why;
        continue;
      }
      const AnyPreconditioner<Host, double> m(Host(), a, name);
      for (const std::uint64_t r_seed : {1, 2, 3}) {
        const std::vector<double> r = random_vector<double>(static_cast<Index>(n), r_seed);
        std::vector<double> z(n);
        m.apply(r, z);
        for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(std::isfinite(z[i])) << name << " " << seed << " row " << i;
      }
    }
  }
}

TEST(TinyDiagonal, IsCountedByRow) {
  EXPECT_EQ(count_tiny_diagonal(dense<double>({{1e-9, 1}, {1, 1e-7}}).view()), 1);
  EXPECT_EQ(count_tiny_diagonal(dense<double>({{1e-9, 0}, {1, 1}}).view()), 0);
}

}  // namespace
}  // namespace ostinato::test
