// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/stencils.hpp"

namespace {

using ostinato::Csr;
using ostinato::generate;
using ostinato::GenerateOptions;
using ostinato::Index;
using ostinato::Offset;

using Dense = std::vector<std::vector<double>>;

template <class T>
Dense dense(const Csr<T>& a) {
  Dense d(a.rows, std::vector<double>(a.cols, 0));
  for (Index i = 0; i < a.rows; ++i)
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) d[i][a.col[k]] += static_cast<double>(a.val[k]);
  return d;
}

Dense identity(std::size_t n) {
  Dense d(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) d[i][i] = 1;
  return d;
}

Dense kronecker(const Dense& a, const Dense& b) {
  const std::size_t m = b.size();
  Dense d(a.size() * m, std::vector<double>(a.size() * m));
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < d.size(); ++j) d[i][j] = a[i / m][j / m] * b[i % m][j % m];
  return d;
}

Dense plus(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) a[i][j] += b[i][j];
  return a;
}

template <class T>
std::set<std::int64_t> diagonals(const Csr<T>& a) {
  std::vector<char> seen(2 * static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i)
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) seen[std::size_t{0} + a.rows + a.col[k] - i] = 1;
  std::set<std::int64_t> offsets;
  for (std::size_t d = 0; d < seen.size(); ++d)
    if (seen[d]) offsets.insert(static_cast<std::int64_t>(d) - a.rows);
  return offsets;
}

template <class T>
bool same(const Csr<T>& a, const Csr<T>& b) {
  return a.rows == b.rows && a.cols == b.cols && a.row_ptr == b.row_ptr && a.col == b.col && a.val == b.val;
}

/// The minimum over all rows of (a(i, i) - sum of |a(i, j)|) / a(i, i), j != i. Minus infinity when a diagonal entry is
/// missing or not positive.
template <class T>
double least_dominance(const Csr<T>& a) {
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < a.rows; ++i) {
    double diagonal = 0, others = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      (a.col[k] == i ? diagonal : others) += a.col[k] == i ? a.val[k] : std::abs(a.val[k]);
    least = std::min(least, diagonal > 0 ? (diagonal - others) / diagonal : -std::numeric_limits<double>::infinity());
  }
  return least;
}

GenerateOptions of_size(Index n) {
  GenerateOptions options;
  options.n = n;
  return options;
}

template <class T = double>
Csr<T> make(std::string_view family, Index n) {
  return generate<T>(family, of_size(n));
}

std::string error_of(std::string_view family, const GenerateOptions& options) {
  try {
    generate<double>(family, options);
  } catch (const ostinato::ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

// Tests of every family.

class GeneratedFamily : public testing::TestWithParam<ostinato::GeneratorInfo> {};

TEST_P(GeneratedFamily, IsCanonicalSquareAndFiniteAtEverySize) {
  for (const Index n : {1, 2, 3, 4, 5, 7, 8, 13}) {
    const auto a = make(GetParam().name, n);
    SCOPED_TRACE(n);
    EXPECT_EQ(a.rows, a.cols);
    EXPECT_GE(a.rows, n);
    EXPECT_EQ(a.row_ptr[a.rows], a.nonzeros());
    EXPECT_NO_THROW(ostinato::check(a.view()));
    EXPECT_TRUE(ostinato::is_canonical(a.view()));
    for (const double v : a.val) EXPECT_TRUE(std::isfinite(v) && v != 0);
  }
}

TEST_P(GeneratedFamily, HasTheSamePatternInFloat) {
  const auto a = make<double>(GetParam().name, 9);
  const auto b = make<float>(GetParam().name, 9);
  ASSERT_EQ(a.col, b.col);
  ASSERT_EQ(a.row_ptr, b.row_ptr);
  for (std::size_t k = 0; k < a.val.size(); ++k) EXPECT_NEAR(a.val[k], b.val[k], 1e-6 * std::abs(a.val[k]));
}

TEST_P(GeneratedFamily, IsReproducedByItsSeed) {
  GenerateOptions options = of_size(20);
  const auto first = generate<double>(GetParam().name, options);
  EXPECT_TRUE(same(first, generate<double>(GetParam().name, options)));
  options.seed = 2;
  const bool random = GetParam().arguments.find("[seed]") != std::string_view::npos;
  EXPECT_EQ(same(first, generate<double>(GetParam().name, options)), !random);
}

TEST_P(GeneratedFamily, IsDominantByRows) {
  if (GetParam().name == "rmat") GTEST_SKIP() << "a graph, nothing is promised of its diagonal";
  if (GetParam().name.starts_with("mesh") || GetParam().name == "elasticity3d")
    GTEST_SKIP() << "obtuse angles give positive entries";
  for (const Index n : {1, 2, 5, 8, 17}) EXPECT_GE(least_dominance(make(GetParam().name, n)), -1e-15) << n;
}

TEST_P(GeneratedFamily, RejectsSizesBelowOne) {
  EXPECT_NE(error_of(GetParam().name, of_size(0)).find("n = 0 is less than 1"), std::string::npos);
  EXPECT_NE(error_of(GetParam().name, of_size(-3)).find("n = -3 is less than 1"), std::string::npos);
}

std::string test_name(const testing::TestParamInfo<ostinato::GeneratorInfo>& info) {
  std::string name(info.param.name);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Generate, GeneratedFamily,
                         testing::ValuesIn(ostinato::generators().begin(), ostinato::generators().end()), test_name);

class SymmetricFamily : public testing::TestWithParam<const char*> {};

TEST_P(SymmetricFamily, EqualsItsTransposeBitByBit) {
  for (const Index n : {1, 2, 7, 20}) {
    const auto a = make(GetParam(), n);
    EXPECT_TRUE(same(a, ostinato::transpose(a.view()))) << n;
  }
}
INSTANTIATE_TEST_SUITE_P(Generate, SymmetricFamily,
                         testing::Values("poisson2d", "poisson3d", "anisotropic", "variable2d", "variable3d", "fem27",
                                         "mesh2d", "mesh3d", "elasticity3d"));

// Tests of single families.

TEST(Poisson, EqualsTheKroneckerFormula) {
  const Dense t = {{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}};
  const Dense i = identity(3);
  const Dense two = plus(kronecker(i, t), kronecker(t, i));
  EXPECT_EQ(dense(make("poisson2d", 3)), two);
  EXPECT_EQ(dense(make("poisson3d", 3)), plus(kronecker(i, two), kronecker(t, identity(9))));
}

TEST(Poisson, HasTheEntriesOfTheClosedFormula) {
  for (const Offset n : {1, 2, 3, 10, 100}) {
    EXPECT_EQ(make("poisson2d", static_cast<Index>(n)).nonzeros(), 5 * n * n - 4 * n);
    EXPECT_EQ(make("poisson3d", static_cast<Index>(n)).nonzeros(), 7 * n * n * n - 6 * n * n);
  }
}

TEST(Anisotropic, WeighsTheAxesByEpsilon) {
  GenerateOptions options = of_size(2);
  options.anisotropy = 0.25;
  const Dense expected = {{2.5, -1, -0.25, 0}, {-1, 2.5, 0, -0.25}, {-0.25, 0, 2.5, -1}, {0, -0.25, -1, 2.5}};
  EXPECT_EQ(dense(generate<double>("anisotropic", options)), expected);
  options.anisotropy = 0;
  EXPECT_NE(error_of("anisotropic", options).find("anisotropy = 0"), std::string::npos);
  options.anisotropy = std::nan("");
  EXPECT_NE(error_of("anisotropic", options).find("anisotropy = nan"), std::string::npos);
}

TEST(Variable, SumsToZeroInRowsAwayFromTheBoundaryAndMoreNextToIt) {
  const auto a = dense(make("variable2d", 4));
  for (const std::size_t row : {5, 6, 9, 10}) {
    double sum = 0;
    for (const double v : a[row]) sum += v;
    EXPECT_NEAR(sum, 0, 1e-14);
  }
  double corner = 0;
  for (const double v : a[0]) corner += v;
  EXPECT_GT(corner, 4 * 0.5);  // two boundary faces, each with twice a coefficient above 0.5
}

TEST(Variable, TakesHarmonicMeansBetweenItsBounds) {
  const auto a = make("variable3d", 6);
  for (Index i = 0; i < a.rows; ++i)
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] != i) {
        EXPECT_LT(a.val[k], -0.5);
        EXPECT_GT(a.val[k], -3.5);
      }
}

TEST(ConvectionDiffusion, IsAnMMatrixAtEveryPecletNumber) {
  for (const char* family : {"convection-diffusion2d", "convection-diffusion3d"})
    for (const double peclet : {0.0, 0.3, 10.0, 1e6})
      for (const bool rotating : {false, true}) {
        GenerateOptions options = of_size(9);
        options.peclet = peclet;
        options.rotating = rotating;
        const auto a = generate<double>(family, options);
        EXPECT_GE(least_dominance(a), -1e-15);
        for (Index i = 0; i < a.rows; ++i)
          for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) EXPECT_EQ(a.val[k] > 0, a.col[k] == i);
      }
}

TEST(ConvectionDiffusion, TakesItsValuesFromUpstream) {
  GenerateOptions options = of_size(2);
  options.peclet = 4;  // velocity (1, 1/2): the upstream terms are 4 along x and 2 along y
  const Dense expected = {{10, -1, -1, 0}, {-5, 10, 0, -1}, {-3, 0, 10, -1}, {0, -3, -5, 10}};
  EXPECT_EQ(dense(generate<double>("convection-diffusion2d", options)), expected);
  options.peclet = 0;
  EXPECT_TRUE(same(generate<double>("convection-diffusion2d", options), make("poisson2d", 2)));
  options.peclet = -1;
  EXPECT_NE(error_of("convection-diffusion2d", options).find("peclet = -1"), std::string::npos);
}

TEST(Pde, HasFiveAndSevenDiagonalsAndIsStrictlyDominant) {
  EXPECT_EQ(diagonals(make("pde2d", 9)), (std::set<std::int64_t>{-9, -1, 0, 1, 9}));
  EXPECT_EQ(diagonals(make("pde3d", 9)), (std::set<std::int64_t>{-81, -9, -1, 0, 1, 9, 81}));
  for (const Index n : {1, 2, 3, 30}) {
    EXPECT_GT(least_dominance(make("pde2d", n)), 1e-6);
    EXPECT_GT(least_dominance(make("pde3d", n)), 1e-6);
  }
  const auto a = make("pde2d", 5);
  EXPECT_FALSE(same(a, ostinato::transpose(a.view())));
}

TEST(Kgs, HasTheDiagonalsOfTwoCoupledGrids) {
  EXPECT_EQ(diagonals(make("kgs2d", 6)), (std::set<std::int64_t>{-36, -6, -1, 0, 1, 6, 36}));
  EXPECT_EQ(diagonals(make("kgs3d", 5)), (std::set<std::int64_t>{-125, -25, -5, -1, 0, 1, 5, 25, 125}));
}

TEST(Kgs, CouplesTheGridsSkewSymmetrically) {
  const auto a = dense(make("kgs2d", 3));
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      EXPECT_EQ(a[i][j], a[i + 9][j + 9]);
      EXPECT_EQ(a[i][j + 9], i == j ? -0.25 : 0);
      EXPECT_EQ(a[i + 9][j], i == j ? 0.25 : 0);
    }
}

TEST(Kgs, HasTheCountsOfThePaper) {
  const auto two = make<float>("kgs2d", 1024);
  EXPECT_EQ(two.rows, 2097152);
  EXPECT_EQ(two.nonzeros(), 12574720);
  EXPECT_EQ(diagonals(two).size(), 7);
  const auto three = make<float>("kgs3d", 96);
  EXPECT_EQ(three.rows, 1769472);
  EXPECT_EQ(three.nonzeros(), 14045184);
  EXPECT_EQ(diagonals(three).size(), 9);
}

TEST(Maxwell, HasTheCountsOfThePaper) {
  for (const auto& [n, entries] : {std::pair<Index, Offset>{512, 5898222}, {1024, 23592942}}) {
    const auto a = make<float>("maxwell2d", n);
    EXPECT_EQ(a.rows, 3 * n * n);
    EXPECT_EQ(a.nonzeros(), entries);
    const auto offsets = diagonals(a);
    EXPECT_EQ(offsets.size(), 18);
    int far = 0;
    for (const auto offset : offsets) far += std::abs(offset) > a.rows / 100;
    EXPECT_EQ(far, 12);  // Table 4 of the DIA-Adaptive paper: p_offset = 12 / 18 = 2/3
  }
}

TEST(Maxwell, HasTheEntriesOfTheClosedFormulaAndIsStrictlyDominant) {
  for (const Offset n : {8, 9, 10, 11, 32, 33}) {
    const auto a = make("maxwell2d", static_cast<Index>(n));
    EXPECT_EQ(a.nonzeros(), 15 * n * n + 15 * (n / 2) * n - 18);
    EXPECT_EQ(diagonals(a).size(), 18);
    EXPECT_GT(least_dominance(a), 0.05);
  }
}

TEST(Fem27, HasDenseBlocksOnTheTwentySevenPointPattern) {
  GenerateOptions options = of_size(4);
  for (const int unknowns : {1, 2, 3}) {
    options.unknowns = unknowns;
    const auto a = generate<double>("fem27", options);
    EXPECT_EQ(a.rows, 64 * unknowns);
    EXPECT_EQ(a.nonzeros(), 1000 * unknowns * unknowns);  // (3 n - 2)^3 blocks
    EXPECT_GT(least_dominance(a), 0.0);
    EXPECT_TRUE(same(a, ostinato::transpose(a.view())));
  }
  options.unknowns = 0;
  EXPECT_NE(error_of("fem27", options).find("unknowns = 0"), std::string::npos);
}

TEST(Fem27, HoldsTwoValuesWhenConstant) {
  GenerateOptions options = of_size(3);
  options.unknowns = 2;
  options.constant = true;
  const auto a = generate<double>("fem27", options);
  EXPECT_EQ(std::set<double>(a.val.begin(), a.val.end()), (std::set<double>{-1, 54}));
  EXPECT_GT(least_dominance(a), 0.0);
}

TEST(Rmat, HasAPowerOfTwoRowsAndUnevenLengths) {
  GenerateOptions options = of_size(3000);
  options.entries_per_row = 8;
  const auto a = generate<double>("rmat", options);
  EXPECT_EQ(a.rows, 4096);
  const double mean = static_cast<double>(a.nonzeros()) / a.rows;
  EXPECT_GT(mean, 6);
  EXPECT_LT(mean, 8.2);
  EXPECT_GT(a.row_ptr[1], 30 * mean / 2);  // the first row has the largest share
  Offset left = 0;  // entries in the left half of the columns: a + c = 0.76 of them, before duplicates are removed
  for (const Index c : a.col) left += c < 2048;
  EXPECT_NEAR(static_cast<double>(left) / static_cast<double>(a.nonzeros()), 0.75, 0.04);
}

TEST(Banded, HasNoGapsAndNoScatterWhenAskedForNone) {
  GenerateOptions options = of_size(100);
  options.bandwidth = 3;
  options.broken = options.scatter = 0;
  const auto a = generate<double>("banded", options);
  EXPECT_EQ(a.nonzeros(), 700 - 12);
  EXPECT_EQ(diagonals(a).size(), 7);
}

TEST(Banded, BreaksDiagonalsAndScattersPoints) {
  GenerateOptions options = of_size(1000);
  options.bandwidth = 4;
  options.broken = 0.5;
  options.scatter = 0.02;
  const auto a = generate<double>("banded", options);
  std::vector<int> on(2000);
  for (Index i = 0; i < a.rows; ++i)
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) ++on[1000 + a.col[k] - i];
  int alone = 0;
  for (Index offset = -999; offset < 1000; ++offset) {
    const int length = 1000 - std::abs(offset);
    const int entries = on[1000 + offset];
    if (std::abs(offset) <= 4) {
      EXPECT_EQ(entries, offset == 0 ? length : length - length / 2);
    } else {
      EXPECT_LE(entries, 1);
      alone += entries;
    }
  }
  EXPECT_EQ(alone, 20);
}

TEST(Banded, RejectsSharesOutsideZeroToOne) {
  GenerateOptions options = of_size(10);
  options.broken = 1.5;
  EXPECT_NE(error_of("banded", options).find("broken = 1.5 is not within 0 .. 1"), std::string::npos);
  options.broken = 1;
  options.scatter = -0.5;
  EXPECT_NE(error_of("banded", options).find("scatter = -0.5"), std::string::npos);
  options.scatter = 1;
  options.bandwidth = -1;
  EXPECT_NE(error_of("banded", options).find("bandwidth = -1"), std::string::npos);
  options.bandwidth = 100;
  EXPECT_EQ(generate<double>("banded", options).nonzeros(), 10);
}

TEST(Random, HasTheEntriesPerRowAskedFor) {
  GenerateOptions options = of_size(1000);
  options.entries_per_row = 7;
  const auto a = generate<double>("random", options);
  for (Index i = 0; i < a.rows; ++i) EXPECT_EQ(a.row_ptr[i + 1] - a.row_ptr[i], 7);
  options.entries_per_row = 2.5;
  EXPECT_NEAR(static_cast<double>(generate<double>("random", options).nonzeros()), 2500, 60);
  options.entries_per_row = 0.5;
  EXPECT_NE(error_of("random", options).find("entries_per_row = 0.5"), std::string::npos);
}

TEST(DenseRow, HoldsHalfOfTheEntriesInOneRow) {
  const auto a = make("dense-row", 501);
  EXPECT_EQ(a.nonzeros(), 1001);
  EXPECT_EQ(a.row_ptr[251] - a.row_ptr[250], 501);
}

TEST(Powerlaw, HasAboutThreeEntriesARowAndHeavyTails) {
  const auto a = make("powerlaw", 100000);
  EXPECT_NEAR(static_cast<double>(a.nonzeros()) / a.rows, 3, 0.3);
  std::vector<Offset> in(a.cols);
  for (const Index c : a.col) ++in[c];
  EXPECT_GT(*std::max_element(in.begin(), in.end()), 300);
  Offset longest = 0;
  for (Index i = 0; i < a.rows; ++i) longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
  EXPECT_GT(longest, 100);
  EXPECT_GT(least_dominance(a), 0);
}

TEST(GenerateStencil, DescribesTheSameMatrix) {
  for (const char* family :
       {"poisson2d", "poisson3d", "anisotropic", "convection-diffusion2d", "convection-diffusion3d"}) {
    for (const Index n : {1, 2, 6}) {
      const auto stencil = ostinato::generate_stencil(family, of_size(n));
      ASSERT_TRUE(stencil) << family;
      EXPECT_TRUE(same(ostinato::test::stencil_matrix<double>(*stencil), make(family, n))) << family << " " << n;
    }
  }
}

TEST(GenerateStencil, DescribesTheSamePeriodicMatrix) {
  for (const char* family : {"poisson2d", "poisson3d", "anisotropic"}) {
    for (const Index n : {3, 4, 6}) {
      GenerateOptions options = of_size(n);
      options.periodic = true;
      const auto stencil = ostinato::generate_stencil(family, options);
      ASSERT_TRUE(stencil) << family;
      EXPECT_TRUE(same(ostinato::test::stencil_matrix<double>(*stencil), ostinato::generate<double>(family, options)))
          << family << " " << n;
    }
    GenerateOptions options = of_size(2);
    options.periodic = true;
    EXPECT_NE(error_of(family, options).find("at least 3 points"), std::string::npos);
    EXPECT_THROW(ostinato::generate_stencil(family, options), ostinato::ArgumentError);
  }
}

TEST(Variable, HasZeroRowSumsWherePeriodic) {
  for (const char* family : {"variable2d", "variable3d"}) {
    GenerateOptions options = of_size(7);
    options.periodic = true;
    const auto a = ostinato::generate<double>(family, options);
    EXPECT_TRUE(is_canonical(a.view())) << family;
    EXPECT_TRUE(ostinato::analyse(ostinato::Host(), a.view()).symmetric) << family;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      double sum = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        sum += a.val[k];
      EXPECT_NEAR(sum, 0, 1e-13) << family << " " << i;
      EXPECT_EQ(a.row_ptr[i + 1] - a.row_ptr[i], family == std::string("variable2d") ? 5 : 7);
    }
  }
}

TEST(GenerateStencil, ReturnsNothingWhereCoefficientsVary) {
  for (const auto& info : ostinato::generators()) {
    GenerateOptions options = of_size(4);
    options.rotating = true;
    const bool constant = info.name.find("poisson") == 0 || info.name == "anisotropic";
    EXPECT_EQ(ostinato::generate_stencil(info.name, options).has_value(), constant) << info.name;
  }
}

// Tests of the option `renumbered`.

/// The sizes of the entries of each row, sorted; then the rows, sorted.
template <class T>
std::vector<std::vector<T>> rows_in_any_order(const Csr<T>& a) {
  std::vector<std::vector<T>> rows;
  for (Index i = 0; i < a.rows; ++i) {
    rows.emplace_back(a.val.begin() + a.row_ptr[i], a.val.begin() + a.row_ptr[i + 1]);
    std::sort(rows.back().begin(), rows.back().end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST_P(GeneratedFamily, KeepsItsRowsWhereItIsRenumbered) {
  GenerateOptions options = of_size(9);
  const auto natural = generate<double>(GetParam().name, options);
  options.renumbered = true;
  const auto a = generate<double>(GetParam().name, options);
  const bool reads = GetParam().arguments.find("[renumbered]") != std::string_view::npos;
  EXPECT_EQ(same(a, natural), !reads);
  EXPECT_TRUE(same(a, generate<double>(GetParam().name, options)));
  EXPECT_TRUE(ostinato::is_canonical(a.view()));
  EXPECT_EQ(rows_in_any_order(a), rows_in_any_order(natural));
}

TEST(Renumbered, MovesRowsAndColumnsAlike) {
  for (const int unknowns : {1, 3}) {
    GenerateOptions options = of_size(5);
    options.unknowns = unknowns;
    const auto natural = dense(generate<double>("fem27", options));
    options.renumbered = true;
    const auto a = dense(generate<double>("fem27", options));
    std::vector<std::size_t> old;  // the values of diagonal entries, which are all different, tell the row
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < a.size(); ++k)
        if (natural[k][k] == a[i][i]) old.push_back(k);
    ASSERT_EQ(old.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(old[i] % static_cast<std::size_t>(unknowns), i % static_cast<std::size_t>(unknowns));
      for (std::size_t j = 0; j < a.size(); ++j) ASSERT_EQ(a[i][j], natural[old[i]][old[j]]);
    }
    EXPECT_FALSE(std::is_sorted(old.begin(), old.end()));
  }
}

TEST(Renumbered, IsNoStencil) {
  GenerateOptions options = of_size(8);
  ASSERT_TRUE(ostinato::generate_stencil("poisson3d", options).has_value());
  options.renumbered = true;
  EXPECT_FALSE(ostinato::generate_stencil("poisson3d", options).has_value());
}

TEST(Generate, NamesTheKnownFamiliesForAnUnknownOne) {
  const std::string message = error_of("poisson4d", of_size(3));
  EXPECT_NE(message.find("'poisson4d'"), std::string::npos);
  for (const auto& info : ostinato::generators()) EXPECT_NE(message.find(info.name), std::string::npos) << info.name;
}

TEST(Generate, NamesEachFamilyOnce) {
  std::set<std::string_view> names;
  for (const auto& info : ostinato::generators()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.arguments.substr(0, 1), "n");
    EXPECT_FALSE(info.what.empty());
  }
}

TEST(Generate, RefusesMoreRowsThanAnIndexHolds) {
  EXPECT_EQ(error_of("poisson2d", of_size(46341)),
            "generate poisson2d: n = 46341 gives 2147488281 rows, and the limit is 2147483647");
  EXPECT_NE(error_of("kgs2d", of_size(32768)).find("gives 2147483648 rows"), std::string::npos);
  EXPECT_NE(error_of("maxwell2d", of_size(30000)).find("gives 2700000000 rows"), std::string::npos);
  EXPECT_NE(error_of("rmat", of_size((1 << 30) + 1)).find("gives 2147483648 rows"), std::string::npos);
  EXPECT_NE(error_of("poisson3d", of_size(2147483647)).find("gives at least 2^63 rows"), std::string::npos);
  GenerateOptions options = of_size(1000);
  options.unknowns = 3;
  EXPECT_NE(error_of("fem27", options).find("gives 3000000000 rows"), std::string::npos);
}

// The generator works in blocks of 4096 rows. 22500 rows are several blocks, and the last isn't full.
TEST(Generate, JoinsRowBlocksWithoutASeam) {
  const auto a = make("poisson2d", 150);
  ASSERT_EQ(a.rows, 22500);
  EXPECT_TRUE(ostinato::is_canonical(a.view()));
  for (const Index row : {4095, 4096, 4097, 22499}) {
    Offset before = 0;
    for (Index i = 0; i < row; ++i) before += 1 + (i % 150 > 0) + (i % 150 < 149) + (i >= 150) + (i < 22350);
    EXPECT_EQ(a.row_ptr[row], before);
  }
  EXPECT_TRUE(same(a, ostinato::transpose(a.view())));
}

}  // namespace
