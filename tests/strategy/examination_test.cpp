// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/examination.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>

#include "support/matrices.hpp"
#include "support/shared_matrices.hpp"
#include "support/spaces.hpp"

// What examine() says. Each finding has a matrix that shows it, and one that doesn't.

namespace ostinato::test {
namespace {

Examination examine_on_host(const Csr<double>& a, const ExaminationOptions& options = {}) {
  return examine(Analysis<Host, double>(Host(), a), options);
}

/// The texts about a subject, with the weight in front.
std::string about(const Examination& e, const std::string& subject) {
  std::string text;
  for (const Finding& f : e.findings) {
    if (f.subject == subject) text += std::string(to_string(f.weight)) + ": " + f.text + "\n";
  }
  return text;
}

void expect_finding(const Csr<double>& a, const std::string& subject, const std::string& part) {
  const std::string text = about(examine_on_host(a), subject);
  EXPECT_NE(text.find(part), std::string::npos) << subject << ": " << text;
}

void expect_none(const Csr<double>& a, const std::string& subject) {
  EXPECT_EQ(about(examine_on_host(a), subject), "");
}

Csr<double> triplets(Index n, const std::vector<Triplet<double>>& t) { return from_triplets<double>(n, n, t); }
Csr<double> poisson(Index n) { return generate<double>("poisson2d", {.n = n}); }
Csr<double> with_sign(Csr<double> a, double sign) {
  for (double& v : a.val) v *= sign;
  return a;
}
/// A grid without boundary values: singular, A * ones = 0.
Csr<double> ring_of(Index n) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) t.insert(t.end(), {{i, i, 2}, {i, (i + 1) % n, -1}, {i, (i + n - 1) % n, -1}});
  return triplets(n, t);
}

TEST(Examination, NamesEmptyRowsAndColumns) {
  const auto a = triplets(3, {{0, 0, 1}, {0, 2, 1}, {2, 0, 1}});
  expect_finding(a, "empty rows", "trouble: row 2 has no entry");
  expect_finding(a, "empty columns", "trouble: column 2 has no entry");
  expect_none(poisson(5), "empty rows");
  expect_none(poisson(5), "empty columns");
}

TEST(Examination, NamesDenseRows) {
  const auto a = generate<double>("dense-row", {.n = 1000});
  expect_finding(a, "dense rows", "caution: row 501 is long: up to 1,000 entries");
  expect_finding(transpose(a.view()), "dense columns", "caution: column 501 is long");
  expect_none(poisson(20), "dense rows");
  expect_none(poisson(20), "dense columns");
}

TEST(Examination, FindsTheStructuralRank) {
  // Rows 2 and 3 have an entry in the same column only.
  const auto a = triplets(3, {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 1, 1}, {2, 1, 1}});
  const Examination e = examine_on_host(a);
  EXPECT_EQ(e.structural_rank, 2);
  EXPECT_EQ(e.unmatched_rows.size(), 1u);
  EXPECT_NE(about(e, "structural rank").find("trouble: 2 of 3"), std::string::npos) << about(e, "structural rank");
  EXPECT_NE(e.expected.find("singular"), std::string::npos) << e.expected;
  expect_finding(dense<double>({{0, 1}, {1, 0}}), "structural rank", "good: full");
}

TEST(Examination, NamesRowsWithoutADiagonalEntry) {
  expect_finding(dense<double>({{1, 2}, {2, 0}}), "diagonal", "caution: row 2 has no diagonal entry");
  expect_finding(triplets(2, {{0, 0, 0}, {0, 1, 1}, {1, 1, 1}}), "diagonal", "row 1 has a stored 0");
  expect_none(poisson(5), "diagonal");
}

TEST(Examination, WarnsOfUnevenScaling) {
  expect_finding(dense<double>({{1e-9, 0}, {0, 1}}), "scaling",
                 "caution: the largest entries of rows differ by a factor of 1e+09 (1e-09 in row 1, 1 in row 2)");
  expect_finding(dense<double>({{1, 0}, {0, 2}}), "scaling",
                 "fact: the largest entries of rows differ by a factor of 2");
  expect_finding(dense<double>({{1, 0}, {1, 1e-9}}), "scaling",
                 "of one size, those of columns differ by a factor of 1e+09");
}

TEST(Examination, TellsHowDominantTheDiagonalIs) {
  expect_finding(dense<double>({{3, 1}, {1, 3}}), "dominance",
                 "good: the diagonal exceeds the other entries in every row");
  expect_finding(poisson(10), "dominance", "good: the diagonal is at least the sum of the other entries in every row");
  expect_finding(
      dense<double>({{3, 1}, {4, 2}}), "dominance",
      "fact: the diagonal is at least the sum of the other entries in 50 % of the rows; least in row 2, 0.5");
}

TEST(Examination, KnowsTheSignsOfAnMMatrix) {
  expect_finding(poisson(10), "signs", "good: those of an M-matrix, which the matrix is");
  expect_finding(dense<double>({{1, -2}, {-2, 1}}), "signs", "a positive diagonal and no positive entry beside it");
  expect_none(dense<double>({{3, 1}, {1, 3}}), "signs");
}

TEST(Examination, FindsTheConstantNullSpace) {
  expect_finding(ring_of(50), "null space", "trouble: the rows add up to 0, so that A * ones = 0");
  expect_finding(dense<double>({{1, 2}, {-1, -2}}), "null space", "the columns add up to 0");
  expect_none(poisson(10), "null space");
}

TEST(Examination, ProvesDefiniteness) {
  const Examination dominant = examine_on_host(dense<double>({{3, 1}, {1, 3}}));
  EXPECT_EQ(dominant.definiteness, Definiteness::positive);
  EXPECT_NE(about(dominant, "definiteness").find("dominates"), std::string::npos);
  const auto a = read_matrix_market<double>(example_matrices()[1].path());  // nos3
  EXPECT_EQ(examine_on_host(a).definiteness, Definiteness::positive);
  EXPECT_NE(about(examine_on_host(a), "definiteness").find("Cholesky"), std::string::npos);
  EXPECT_EQ(examine_on_host(with_sign(a, -1)).definiteness, Definiteness::negative);
}

TEST(Examination, DoesNotCallASingularMatrixDefinite) {
  for (const Index n : {50, 3000}) {
    std::vector<Triplet<double>> t;  // A (1, -1, 1, ...) = 0
    for (Index i = 0; i < n; ++i) {
      t.push_back({i, i, i == 0 || i == n - 1 ? 1.0 : 2.0});
      if (i > 0) t.insert(t.end(), {{i, i - 1, 1}, {i - 1, i, 1}});
    }
    const Examination e = examine_on_host(triplets(n, t));
    EXPECT_NE(e.definiteness, Definiteness::positive);
    EXPECT_NE(about(e, "definiteness").find("caution: "), std::string::npos) << about(e, "definiteness");
  }
}

TEST(Examination, ABadScalingLeavesAMatrixDefinite) {
  std::vector<Triplet<double>> t;
  const auto scale = [](Index i) { return std::pow(10, -9 + 18.0 * i / 39); };
  for (Index i = 0; i < 40; ++i) {
    t.push_back({i, i, 2 * scale(i) * scale(i)});
    if (i > 0) t.insert(t.end(), {{i, i - 1, -scale(i) * scale(i - 1)}, {i - 1, i, -scale(i) * scale(i - 1)}});
  }
  EXPECT_EQ(examine_on_host(triplets(40, t)).definiteness, Definiteness::positive);
}

TEST(Examination, NamesNoRowWhereOnlyEmptyRowsAreNotDominant) {
  const std::string text = about(examine_on_host(triplets(3, {{0, 0, 1}, {1, 1, 1}})), "dominance");
  EXPECT_EQ(text.find("row 0"), std::string::npos) << text;
}

TEST(Examination, ProvesThatAMatrixIsNotDefinite) {
  // A positive diagonal, and the eigenvalues -1 and 3.
  expect_finding(dense<double>({{1, 2}, {2, 1}}), "definiteness", "caution: indefinite: x . A x has both signs");
  expect_finding(dense<double>({{1, 2}, {2, -1}}), "definiteness",
                 "the diagonal is positive in row 1 and negative in row 2");
  expect_finding(dense<double>({{0, 2}, {2, 1}}), "definiteness", "indefinite: row 1 has 0 on the diagonal");
  EXPECT_EQ(examine_on_host(dense<double>({{1, 2}, {2, 1}})).definiteness, Definiteness::indefinite);
  EXPECT_EQ(examine_on_host(ring_of(40)).definiteness, Definiteness::semidefinite);
  expect_none(dense<double>({{3, 1}, {0, 3}}), "definiteness");
}

TEST(Examination, ASmallNegativeEigenvalueIsFound) {
  // Poisson's matrix less a little more than its smallest eigenvalue.
  auto a = poisson(20);
  const double smallest = 8 * std::pow(std::sin(std::acos(-1) / 42), 2);
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      if (a.col[k] == i) a.val[k] -= 1.001 * smallest;
    }
  }
  EXPECT_EQ(examine_on_host(a).definiteness, Definiteness::indefinite);
}

TEST(Examination, EstimatesTheConditionFromBelow) {
  const Index n = 30;
  const double angle = std::acos(-1) / 2 / (n + 1), exact = std::pow(std::cos(angle) / std::sin(angle), 2);
  const Examination e = examine_on_host(poisson(n));
  ASSERT_TRUE(e.spectrum && e.scaled_spectrum);
  EXPECT_NEAR(condition(*e.spectrum, n * n), exact, 1e-5 * exact);
  EXPECT_NEAR(condition(*e.scaled_spectrum, n * n), exact, 1e-5 * exact);
  expect_finding(dense<double>({{1, 1}, {1, 1}}), "condition", "trouble: singular, or nearly so");
  expect_finding(dense<double>({{2, 0}, {0, 1e-9}}), "condition", "caution: about 2e+09");
  expect_finding(dense<double>({{2, 1}, {0, 1}}), "condition", "good: about 2.62");
}

TEST(Examination, DoesNotCallABadScalingSingular) {
  const auto a = dense<double>({{1e-12, 1e-13}, {1e8, 3e8}});
  const std::string text = about(examine_on_host(a), "condition");
  EXPECT_NE(text.find("caution: too large to tell without scaling"), std::string::npos) << text;
  EXPECT_EQ(text.find("singular,"), std::string::npos) << text;
  EXPECT_NE(text.find("after scaling by the matching"), std::string::npos) << text;
}

TEST(Examination, TheMatchingEvensABadScalingOut) {
  const Examination e = examine_on_host(dense<double>({{0, 1e-9}, {1e5, 0}}));
  ASSERT_TRUE(e.spectrum && e.scaled_spectrum);
  EXPECT_NEAR(condition(*e.spectrum, 2), 1e14, 1e12);
  EXPECT_NEAR(condition(*e.scaled_spectrum, 2), 1, 1e-9);
}

TEST(Examination, ComparesBandwidths) {
  // A line whose ends are numbered from both sides.
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < 100; ++i) {
    const auto at = [](Index k) { return k % 2 == 0 ? k / 2 : 99 - k / 2; };
    t.push_back({at(i), at(i), 2});
    if (i > 0) t.insert(t.end(), {{at(i), at(i - 1), -1}, {at(i - 1), at(i), -1}});
  }
  const Examination e = examine_on_host(triplets(100, t));
  EXPECT_EQ(e.entries.bandwidth, 99);
  EXPECT_EQ(e.rcm_bandwidth, 1);
  expect_finding(poisson(8), "bandwidth", "fact: 8, and 8 in the order of reverse Cuthill-McKee, which gains nothing");
}

TEST(Examination, AdvisesWhatAutoTakes) {
  const auto a = read_matrix_market<double>(example_matrices()[0].path());  // 685_bus
  const Analysis<Host, double> analysis(Host(), a);
  const Examination e = examine(analysis);
  EXPECT_EQ(e.solver.name, choose_solver(analysis.structure(), sizeof(double), automatic_restart).name);
  EXPECT_EQ(e.preconditioner.name, choose_preconditioner(analysis).name);
  const std::vector<std::string_view> with_klu = {"cholesky", "lu", "ilut"},
                                      without = {"cholesky", "ict", "lu", "ilut"};
  EXPECT_EQ(e.stronger, has_klu ? with_klu : without);
  EXPECT_EQ(examine_on_host(dense<double>({{2, 1}, {0, 1}})).stronger,
            (std::vector<std::string_view>{"ilu0", "ilut", "lu"}));
}

TEST(Examination, CgTakesAboutTheIterationsExpected) {
  for (const auto& entry : {example_matrices()[0], example_matrices()[1]}) {
    const auto a = read_matrix_market<double>(entry.path());
    const Examination e = examine_on_host(a);
    ASSERT_TRUE(e.expected_iterations) << entry.name;
    const Host space;
    const Operator<Host, double> op(space, a);
    const std::vector<double> b(static_cast<std::size_t>(a.rows), 1);
    std::vector<double> x(b.size(), 0);
    const AnyPreconditioner<Host, double> m(space, a, e.preconditioner.name);
    const SolveResult result = solve(space, op, In<double>(b), Out<double>(x), m, e.solver.name);
    EXPECT_EQ(result.status, Status::converged) << entry.name;
    EXPECT_LE(result.iterations, 1.5 * *e.expected_iterations) << entry.name;
    EXPECT_GE(1.5 * result.iterations, *e.expected_iterations) << entry.name;
    ASSERT_TRUE(e.most_iterations) << entry.name;
    EXPECT_LE(result.iterations, *e.most_iterations) << entry.name;
  }
}

TEST(Examination, ExpectsAsManyIterationsForHugeAndTinyValues) {
  const Csr<double> a = poisson(12);
  const std::string plain = examine_on_host(a).expected;
  for (const int exponent : {1000, -1000}) {
    Csr<double> scaled = a;
    for (double& v : scaled.val) v = std::ldexp(v, exponent);
    const Examination e = examine_on_host(scaled);
    ASSERT_EQ(e.preconditioner.name, "none");
    EXPECT_EQ(e.expected.substr(0, e.expected.find(';')), plain.substr(0, plain.find(';'))) << exponent;
  }
}

TEST(Examination, ExpectsABreakdownOfCgOnAnIndefiniteMatrix) {
  const Examination e = examine_on_host(dense<double>({{1, 2}, {2, 1.5}}));
  EXPECT_EQ(e.solver.name, "cg");
  EXPECT_FALSE(e.expected_iterations);
  EXPECT_NE(e.expected.find("likely to break down"), std::string::npos) << e.expected;
  EXPECT_EQ(examine_on_host(dense<double>({{3, 1}, {1, 2}})).expected.find("break down"), std::string::npos);
}

TEST(Examination, SaysWhatWasLeftOut) {
  const auto a = poisson(300);  // too many rows for a complete factorisation
  const Examination quick = examine_on_host(a);
  ASSERT_EQ(quick.left_out.size(), 1u);
  EXPECT_NE(quick.left_out[0].find("Cholesky"), std::string::npos);
  EXPECT_EQ(quick.definiteness, Definiteness::unknown);
  EXPECT_NE(about(quick, "definiteness").find("maybe positive definite"), std::string::npos);
  EXPECT_TRUE(examine_on_host(poisson(20), {.thorough = true}).left_out.empty());
}

TEST(Examination, StopsAtValuesThatAreNotFinite) {
  const Examination e = examine_on_host(dense<double>({{1, std::numeric_limits<double>::quiet_NaN()}, {0, 1}}));
  EXPECT_EQ(e.findings.size(), 1u);
  EXPECT_NE(about(e, "values").find("NaN"), std::string::npos);
}

TEST(Examination, TakesMatricesWithoutEntriesAndRectangularOnes) {
  EXPECT_NE(about(examine_on_host(triplets(3, {})), "empty rows").find("3 rows"), std::string::npos);
  EXPECT_TRUE(examine_on_host(triplets(0, {})).left_out.empty());
  const Examination e = examine_on_host(dense<double>({{3, 0}, {0, 1}, {4, 0}}));
  EXPECT_EQ(e.solver.name, "lsmr");
  EXPECT_FALSE(e.structural_rank);
  ASSERT_TRUE(e.spectrum);
  EXPECT_NEAR(condition(*e.spectrum, 3), 5, 1e-12);
}

TEST(Examination, SeesAScatteredNumbering) {
  const auto grid = generate<double>("poisson2d", {.n = 320});
  std::vector<Index> order(static_cast<std::size_t>(grid.rows));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));

  expect_finding(renumber<double>(Host(), grid, order), "numbering", "caution: neighbours are far from each other");
  expect_none(grid, "numbering");
}

template <class Case>
class ExaminationOn : public SpaceTest<Case> {};
TYPED_TEST_SUITE(ExaminationOn, EverySpace, SpaceNames);

TYPED_TEST(ExaminationOn, SaysTheSameOnEverySpace) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 12});
  const Examination here = examine_on_host(poisson(12)), there = examine(Analysis<Space, T>(this->space(), a));
  ASSERT_EQ(here.findings.size(), there.findings.size());
  for (std::size_t k = 0; k < here.findings.size(); ++k) EXPECT_EQ(here.findings[k].text, there.findings[k].text);
}

/// Where "auto" begins with fsai, the iterations are those of Jacobi, and it says so.
TYPED_TEST(ExaminationOn, TriesCgWithJacobiWhereAGpuTakesFsai) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const auto a = generate<T>("mesh2d", {.n = 60});
  const Examination e = examine(Analysis<Space, T>(this->space(), a));
  const Examination on_host = examine(Analysis<Host, T>(Host(), a));
  EXPECT_EQ(on_host.preconditioner.name, "jacobi");
  EXPECT_EQ(e.preconditioner.name, Space::has_streams ? "fsai" : "jacobi");
  EXPECT_EQ(e.expected.find("all this with jacobi") != std::string::npos, Space::has_streams) << e.expected;
  ASSERT_TRUE(e.expected_iterations.has_value());
  EXPECT_EQ(e.expected_iterations, on_host.expected_iterations);
}

}  // namespace
}  // namespace ostinato::test
