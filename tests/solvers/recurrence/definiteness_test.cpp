// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/definiteness.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/examination.hpp>

#include "support/matrices.hpp"

// What examine() says of definiteness, against the inertia of matrices of integers in exact arithmetic, and each proof
// by itself.

namespace ostinato::test {
namespace {

using Wide = __int128;
using Integers = std::vector<std::vector<std::int64_t>>;

/// The determinant of the rows and columns `at`, by expansion along the first row.
Wide determinant(const Integers& a, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
  if (rows.empty()) return 1;
  const std::vector<std::size_t> below(rows.begin() + 1, rows.end());
  Wide total = 0;
  for (std::size_t k = 0; k < cols.size(); ++k) {
    const Wide element = a[rows[0]][cols[k]];
    if (element == 0) continue;
    std::vector<std::size_t> others = cols;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    total += (k % 2 == 0 ? element : -element) * determinant(a, below, others);
  }
  return total;
}

struct Inertia {
  int positive = 0, negative = 0, zero = 0;
};

/// By Descartes' rule, which is exact where all roots are real: the coefficients of the characteristic polynomial are
/// sums of principal minors.
Inertia inertia(const Integers& a) {
  const std::size_t n = a.size();
  std::vector<Wide> sums(n + 1, 0);
  for (unsigned set = 0; set < 1u << n; ++set) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
      if (set >> i & 1) rows.push_back(i);
    }
    sums[rows.size()] += determinant(a, rows, rows);
  }
  Inertia found;
  std::size_t last = n;
  while (sums[last] == 0) --last;
  found.zero = static_cast<int>(n - last);
  for (const bool mirrored : {false, true}) {  // the roots of det(x - A), and of det(x + A)
    int changes = 0, before = 1;
    for (std::size_t k = 1; k <= last; ++k) {
      const int size = sums[k] > 0 ? 1 : sums[k] < 0 ? -1 : 0, now = mirrored || k % 2 == 0 ? size : -size;
      changes += now != 0 && now != before;
      if (now != 0) before = now;
    }
    (mirrored ? found.negative : found.positive) = changes;
  }
  return found;
}

TEST(DefinitenessJudge, CountsEigenvalues) {
  const auto is = [](const Integers& a, int positive, int negative, int zero) {
    const Inertia i = inertia(a);
    EXPECT_EQ(i.positive, positive);
    EXPECT_EQ(i.negative, negative);
    EXPECT_EQ(i.zero, zero);
  };
  is({{2, 1}, {1, 2}}, 2, 0, 0);
  is({{1, 2}, {2, 1}}, 1, 1, 0);
  is({{1, 1}, {1, 1}}, 1, 0, 1);
  is({{0, 0}, {0, -5}}, 0, 1, 1);
  is({{0, 3, 0}, {3, 0, 0}, {0, 0, 7}}, 2, 1, 0);
}

class IntegerDraw {
 public:
  explicit IntegerDraw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t whole(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }
  bool one_in(int n) { return whole(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

/// Bits of the elements, so that determinants stay within 127 bits.
constexpr std::array<int, 7> most_bits = {0, 50, 50, 40, 29, 22, 18};

Integers gram(IntegerDraw& draw, std::size_t n, std::size_t rank, std::int64_t most) {
  Integers b(n, std::vector<std::int64_t>(rank)), a(n, std::vector<std::int64_t>(n, 0));
  for (auto& row : b) {
    for (auto& value : row) value = draw.whole(-most, most);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) a[i][j] += b[i][k] * b[j][k];
    }
  }
  return a;
}

/// A graph's Laplacian, and some rows heavier by one.
Integers graph_laplacian(IntegerDraw& draw, std::size_t n) {
  Integers a(n, std::vector<std::int64_t>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t w = draw.one_in(3) ? 0 : draw.one_in(2) ? 1 : draw.whole(1, 1 << (most_bits[n] - 4));
      a[i][j] -= w, a[j][i] -= w, a[i][i] += w, a[j][j] += w;
    }
  }
  if (draw.one_in(2)) a[0][0] += draw.one_in(2) ? 1 : -1;
  return a;
}

Integers drawn_symmetric(IntegerDraw& draw) {
  const auto n = static_cast<std::size_t>(draw.whole(1, 6));
  const auto root = std::int64_t{1} << (most_bits[n] / 2 - 2);
  Integers a;
  switch (draw.whole(0, 4)) {
    case 0:
      a.assign(n, std::vector<std::int64_t>(n));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) a[i][j] = a[j][i] = draw.whole(-6, 6);
      }
      break;
    case 1:
      a = gram(draw, n, n, 3);
      break;
    case 2:
      a = gram(draw, n, static_cast<std::size_t>(draw.whole(1, static_cast<std::int64_t>(n))), 3);
      break;
    case 3:  // nearly singular
      a = gram(draw, n, static_cast<std::size_t>(draw.whole(1, static_cast<std::int64_t>(n))), root);
      a[n / 2][n / 2] += draw.whole(-1, 1);
      break;
    default:
      a = graph_laplacian(draw, n);
  }
  if (draw.one_in(5)) {
    for (auto& row : a) {
      for (auto& value : row) value = -value;
    }
  }
  return a;
}

/// D A D, with powers of two in D, so that the inertia is that of A. Zeros are left out.
Csr<double> graded(IntegerDraw& draw, const Integers& a, int most_exponent) {
  const auto n = static_cast<Index>(a.size());
  std::vector<int> exponent;
  for (Index i = 0; i < n; ++i) exponent.push_back(static_cast<int>(draw.whole(-most_exponent, most_exponent)));
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
      if (a[r][c] != 0) t.push_back({i, j, std::ldexp(static_cast<double>(a[r][c]), exponent[r] + exponent[c])});
    }
  }
  return from_triplets(n, n, t);
}

Examination examined(const Csr<double>& a) { return examine(Analysis<Host, double>(Host(), a)); }

std::string text_about(const Examination& e, const std::string& subject) {
  for (const Finding& f : e.findings) {
    if (f.subject == subject) return f.text;
  }
  return {};
}

void expect_claim(const Examination& e, const Inertia& i, int n) {
  const bool both = i.positive > 0 && i.negative > 0;
  switch (e.definiteness) {
    case Definiteness::positive:
      EXPECT_EQ(i.positive, n);
      break;
    case Definiteness::negative:
      EXPECT_EQ(i.negative, n);
      break;
    case Definiteness::indefinite:
      EXPECT_TRUE(both);
      break;
    case Definiteness::semidefinite:
      EXPECT_FALSE(both);
      break;
    default:
      EXPECT_EQ(text_about(e, "definiteness").find("indefinite"), std::string::npos);
  }
  if (!both) {
    EXPECT_EQ(e.expected.find("break down"), std::string::npos) << e.expected;
  }
}

TEST(Definiteness, EveryClaimAboutSmallMatricesHoldsInExactArithmetic) {
  IntegerDraw draw(20261128);
  int claims = 0, trials = 0;
  for (; trials < 1500; ++trials) {
    const Integers whole = drawn_symmetric(draw);
    const Csr<double> a = graded(draw, whole, draw.one_in(2) ? 0 : draw.one_in(2) ? 40 : 200);
    const Examination e = examined(a);
    expect_claim(e, inertia(whole), static_cast<int>(whole.size()));
    claims += e.definiteness != Definiteness::unknown;
    ASSERT_FALSE(HasFailure()) << "trial " << trials << ": " << text_about(e, "definiteness");
  }
  EXPECT_GT(claims, trials / 2);
}

TEST(Definiteness, IsFoundWhateverTheScales) {
  IntegerDraw draw(7);
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<std::size_t>(draw.whole(2, 6));
    Integers whole = gram(draw, n, n, 3);
    for (std::size_t i = 0; i < n; ++i) ++whole[i][i];
    const Csr<double> a = graded(draw, whole, trial % 2 == 0 ? 40 : 450);
    EXPECT_EQ(examined(a).definiteness, Definiteness::positive) << "trial " << trial;
    Csr<double> negative = a;
    for (double& v : negative.val) v = -v;
    EXPECT_EQ(examined(negative).definiteness, Definiteness::negative) << "trial " << trial;
  }
}

/// The condition of these is 2.9 and 1e9 after scaling; 1.1e-19 is below the rounding of 1e13.
TEST(Definiteness, ASmallRowDoesNotMakeAMatrixIndefinite) {
  for (const double beside : {-3e-4, 1.0488088481e-3}) {
    const auto a = dense<double>({{1e13, beside}, {beside, 1.1e-19}});
    ASSERT_GT(std::fma(1e13, 1.1e-19, -beside * beside), 0);
    const Examination e = examined(a);
    EXPECT_EQ(e.definiteness, Definiteness::positive) << text_about(e, "definiteness");
  }
}

TEST(Definiteness, ASingularMatrixIsNotCalledIndefinite) {
  // A beam that nothing holds: second differences, squared.
  const Index n = 400;
  std::vector<Triplet<double>> t;
  for (Index i = 1; i + 1 < n; ++i) {
    const std::array<Index, 3> at = {i - 1, i, i + 1};
    const std::array<double, 3> difference = {1, -2, 1};
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) t.push_back({at[r], at[c], difference[r] * difference[c]});
    }
  }
  for (const auto& a :
       {from_triplets(n, n, t), dense<double>({{1, 1}, {1, 1}}), dense<double>({{4, 2, 2}, {2, 1, 1}, {2, 1, 1}})}) {
    const Examination e = examined(a);
    EXPECT_EQ(e.definiteness, Definiteness::unknown);
    EXPECT_EQ(text_about(e, "definiteness").rfind("positive semidefinite or singular within rounding", 0), 0u)
        << text_about(e, "definiteness");
    EXPECT_EQ(e.expected.find("break down"), std::string::npos) << e.expected;
  }
}

TEST(Definiteness, OfMatricesTooLargeForFactorsIsProvedByAVector) {
  // Poisson's matrix on 150 x 150 points, with its diagonal less by 1.01 and 0.99 of the smallest eigenvalue.
  const double smallest = 8 * std::pow(std::sin(std::acos(-1) / 302), 2);
  for (const double share : {1.01, 0.99}) {
    auto a = generate<double>("poisson2d", {.n = 150});
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
        if (a.col[k] == i) a.val[k] -= share * smallest;
      }
    }
    const Examination e = examined(a);
    EXPECT_EQ(e.definiteness, share > 1 ? Definiteness::indefinite : Definiteness::unknown)
        << text_about(e, "definiteness");
    if (share > 1) {
      EXPECT_NE(text_about(e, "definiteness").find("Lanczos"), std::string::npos) << text_about(e, "definiteness");
    }
  }
}

TEST(Definiteness, BalancingIsExactAndKeepsSigns) {
  const auto a = dense<double>({{-3e300, 1e-10}, {1e-10, -5e-324}});
  const Csr<double> b = balanced(a.view(), -1);
  for (const std::size_t diagonal : {0, 3}) {
    EXPECT_GE(b.val[diagonal], 1);
    EXPECT_LT(b.val[diagonal], 4);
  }
  EXPECT_EQ(b.val[1], b.val[2]);
  int exponent = 0;
  EXPECT_EQ(std::frexp(-b.val[1], &exponent), std::frexp(1e-10, &exponent));
}

TEST(Definiteness, AMinorIsComparedWithoutRounding) {
  // 1 - 2^-52 is (1 - 2^-53)^2 - 2^-106.
  const double root = 1 - 0x1p-53, square = 1 - 0x1p-52;
  EXPECT_TRUE(negative_minor(dense<double>({{1, root}, {root, square}}).view()).has_value());
  EXPECT_FALSE(negative_minor(dense<double>({{1, root}, {root, 1}}).view()).has_value());
  EXPECT_FALSE(negative_minor(dense<double>({{1, 1}, {1, 1}}).view()).has_value());
  const auto rows = negative_minor(dense<double>({{2, 0, 0}, {0, 1, 3}, {0, 3, 2}}).view());
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->first, 1);
  EXPECT_EQ(rows->second, 2);
}

TEST(Definiteness, DominanceIsJudgedWithoutRounding) {
  EXPECT_TRUE(is_dominant_for_certain(dense<double>({{1, -1}, {-1, 1}}).view()));
  EXPECT_TRUE(is_dominant_for_certain(dense<double>({{0.3, -0.1, -0.2}, {-0.1, 1, 0}, {-0.2, 0, 1}}).view()) ==
              (0.3L >= static_cast<long double>(0.1) + 0.2L));
  // The sum of 0.1 ten times is less than 1 in rounded, and more in exact arithmetic.
  std::vector<Triplet<double>> t = {{0, 0, 1.0}};
  for (Index i = 1; i <= 10; ++i) t.insert(t.end(), {{0, i, -0.1}, {i, 0, -0.1}, {i, i, 0.1}});
  EXPECT_FALSE(is_dominant_for_certain(from_triplets(11, 11, t).view()));
  t[0].val = 1 + 0x1p-52;
  EXPECT_TRUE(is_dominant_for_certain(from_triplets(11, 11, t).view()));
}

TEST(Definiteness, AVectorProvesOnlyWhatItsRoundingAllows) {
  const auto a = dense<double>({{1, 1}, {1, 1}});
  EXPECT_FALSE(is_negative_at(a.view(), std::vector<double>{1, -1}));
  const auto b = dense<double>({{1, 1.0000001}, {1.0000001, 1}});
  EXPECT_TRUE(is_negative_at(b.view(), std::vector<double>{1, -1}));
  const auto c = dense<double>({{1, 1 + 0x1p-52}, {1 + 0x1p-52, 1}});
  EXPECT_FALSE(is_negative_at(c.view(), std::vector<double>{1, -1}));
}

}  // namespace
}  // namespace ostinato::test
