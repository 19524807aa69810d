// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/scaled_structure.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class ScaledStructureOf : public SpaceTest<Case> {
 protected:
  using Space = typename Case::Space;
  using Value = typename Case::T;

  template <class T>
  Structure of(const Csr<T>& a) const {
    const SpaceCsr<Space, T> matrix(this->space(), a.view());
    return analyse(this->space(), matrix.view());
  }
};

TYPED_TEST_SUITE(ScaledStructureOf, EverySpace, SpaceNames);

template <class T>
Csr<float> scaled(const Csr<T>& a, double factor) {
  Csr<float> f{a.rows, a.cols, a.row_ptr, a.col, Array<float>(a.val.size())};
  for (std::size_t k = 0; k < a.val.size(); ++k) f.val[k] = static_cast<float>(factor * static_cast<double>(a.val[k]));
  return f;
}

/// The matrix with values that are multiples of 1/16, so that there are few.
template <class T>
Csr<T> rounded(Csr<T> a) {
  for (T& v : a.val) v = static_cast<T>(std::round(16 * static_cast<double>(v)) / 16);
  return a;
}

void expect_same(const DiagonalCensus& a, const DiagonalCensus& b) {
  ASSERT_EQ(a.diagonals.size(), b.diagonals.size());
  for (std::size_t d = 0; d < a.diagonals.size(); ++d) {
    const Diagonal &x = a.diagonals[d], &y = b.diagonals[d];
    EXPECT_EQ(x.offset, y.offset);
    EXPECT_EQ(x.entries, y.entries);
    EXPECT_EQ(x.first_row, y.first_row);
    EXPECT_EQ(x.last_row, y.last_row);
    EXPECT_EQ(x.longest_gap, y.longest_gap);
    EXPECT_EQ(x.constant, y.constant);
    EXPECT_EQ(x.single, y.single);
    EXPECT_EQ(x.bfloat, y.bfloat);
    if (x.constant) {
      EXPECT_EQ(x.value, y.value);
    }
  }
  ASSERT_EQ(a.pieces().size(), b.pieces().size());
  for (std::size_t p = 0; p < a.pieces().size(); ++p) EXPECT_EQ(a.pieces()[p].entries, b.pieces()[p].entries);
  EXPECT_EQ(a.fewest(), b.fewest());
  EXPECT_EQ(a.class_rows, b.class_rows);
  ASSERT_EQ(a.values, b.values);
  for (std::size_t v = 0; v < a.values.size(); ++v) EXPECT_EQ(std::signbit(a.values[v]), std::signbit(b.values[v]));
  EXPECT_EQ(a.symmetric, b.symmetric);
}

void expect_same(const Structure& a, const Structure& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.farthest, b.farthest);
  EXPECT_EQ(a.longest_row, b.longest_row);
  EXPECT_EQ(a.empty_rows, b.empty_rows);
  EXPECT_EQ(a.row_deviation, b.row_deviation);
  EXPECT_EQ(a.pattern_symmetric, b.pattern_symmetric);
  EXPECT_EQ(a.symmetric, b.symmetric);
  EXPECT_EQ(a.missing_diagonal, b.missing_diagonal);
  EXPECT_EQ(a.positive_diagonal, b.positive_diagonal);
  EXPECT_EQ(a.negative_diagonal, b.negative_diagonal);
  EXPECT_EQ(a.constant_diagonal, b.constant_diagonal);
  EXPECT_EQ(a.finite, b.finite);
  EXPECT_EQ(a.norm_inf, b.norm_inf);
  EXPECT_EQ(a.profile->single, b.profile->single);
  EXPECT_EQ(a.profile->distinct, b.profile->distinct);
  EXPECT_EQ(a.profile->different, b.profile->different);
  EXPECT_EQ(a.profile->sliced_slots, b.profile->sliced_slots);
  EXPECT_EQ(a.profile->sectors, b.profile->sectors);
  EXPECT_EQ(std::memcmp(a.profile->fill, b.profile->fill, sizeof a.profile->fill), 0);
  EXPECT_EQ(std::memcmp(a.profile->square_fill, b.profile->square_fill, sizeof a.profile->square_fill), 0);
  ASSERT_TRUE(a.census && b.census);
  expect_same(*a.census, *b.census);
}

TYPED_TEST(ScaledStructureOf, AFactorIsThatOfTheScaledMatrix) {
  using T = typename TypeParam::T;
  for (const auto& [family, n] : {std::pair{"poisson2d", 30}, {"poisson3d", 9}, {"convection-diffusion2d", 12}}) {
    Csr<T> a = rounded(generate<T>(family, {.n = n}));
    a.val[3] = 0;
    const Structure s = this->of(a);
    for (const double factor : {1.0, 0.25, -0.5, 1024.0}) {
      SCOPED_TRACE(std::string(family) + " times " + std::to_string(factor));

      const std::optional<Structure> found = scaled_structure(s, factor);

      ASSERT_TRUE(found);
      expect_same(*found, this->of(scaled(a, factor)));
    }
  }
}

TYPED_TEST(ScaledStructureOf, EverySampleIsThatOfTheScaledMatrixOrUnknown) {
  using T = typename TypeParam::T;
  int known = 0;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    const Csr<T> a = rounded(sample.matrix);
    const std::optional<Structure> found = scaled_structure(this->of(a), -4);
    if (!found) continue;
    ++known;
    expect_same(*found, this->of(scaled(a, -4)));
  }
  EXPECT_GT(known, 3);
}

TYPED_TEST(ScaledStructureOf, IsUnknownWhereValuesWouldBeRounded) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 20});
  const Structure s = this->of(a);
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double factor : {3.0, 0.0, std::ldexp(1.0, 127), std::ldexp(1.0, -130), infinite, std::nan("")})
    EXPECT_FALSE(scaled_structure(s, factor)) << factor;
  const auto with = [&](double value) {
    Csr<T> changed = a;
    changed.val[5] = static_cast<T>(value);
    return scaled_structure(this->of(changed), 0.5);
  };
  EXPECT_TRUE(with(0.375));
  EXPECT_EQ(static_cast<bool>(with(0.1)), is_single<T>);
  EXPECT_FALSE(with(0x1p-126));
  EXPECT_FALSE(with(infinite));
  EXPECT_FALSE(with(std::nan("")));
  EXPECT_FALSE(scaled_structure(this->of(generate<T>("variable2d", {.n = 30})), 1));
  Structure without_census = s;
  without_census.census = nullptr;
  EXPECT_FALSE(scaled_structure(without_census, 1));
}

TYPED_TEST(ScaledStructureOf, IsUnknownWhereNobodyLookedForSymmetry) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 20});
  const Analysis<typename TypeParam::Space, T> analysis(this->space(), a, AnalysisDepth::product);
  analysis.complete();
  ASSERT_TRUE(analysis.structure().census);
  EXPECT_FALSE(scaled_structure(analysis.structure(), 1));
}

/// The structure of a matrix of many values, rounded to float, is the one that an analysis finds.
TYPED_TEST(ScaledStructureOf, ManyRoundedValuesIsThatOfTheRoundedMatrix) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const auto in_float = [&](const Csr<T>& a, double factor) {
    Csr<float> f{a.rows, a.cols, a.row_ptr, a.col, Array<float>(a.val.size())};
    for (std::size_t k = 0; k < a.val.size(); ++k)
      f.val[k] = static_cast<float>(factor * static_cast<double>(a.val[k]));
    return f;
  };
  const auto found = [&](const Csr<T>& a, double factor) {
    const Analysis<Home, T> analysis(this->space(), a, AnalysisDepth::full);
    const SpaceCsr<Home, float> f(this->space(), in_float(a, factor));
    return rounded_structure(this->space(), f.view(), analysis.structure(), factor);
  };
  for (const auto& [family, n] : {std::pair{"variable2d", 30}, {"fem27", 8}, {"mesh3d", 7}}) {
    const Csr<T> a = generate<T>(family, {.n = n});
    for (const double factor : {1.0, -0.25}) {
      SCOPED_TRACE(std::string(family) + " times " + std::to_string(factor));
      const std::optional<Structure> made = found(a, factor);
      ASSERT_TRUE(made);
      const Analysis<Home, float> analysis(this->space(), in_float(a, factor), AnalysisDepth::full);
      Structure expected = analysis.structure();
      EXPECT_NEAR(made->norm_inf, expected.norm_inf, 1e-6 * expected.norm_inf);
      expected.norm_inf = made->norm_inf;
      if (made->census == nullptr) {
        EXPECT_EQ(expected.census, nullptr);
        const auto empty = std::make_shared<const DiagonalCensus>();
        Structure with = *made;
        with.census = expected.census = empty;
        expect_same(with, expected);
      } else {
        expect_same(*made, expected);
      }
    }
  }
  EXPECT_FALSE(found(generate<T>("variable2d", {.n = 30}), 3));
  EXPECT_FALSE(found(generate<T>("poisson2d", {.n = 30}), 1));
  EXPECT_FALSE(found(generate<T>("convection-diffusion2d", {.n = 30}), 1));
  // Values that differ by rounding alone are few in float: classes of rows may then be found.
  Csr<T> nearly = generate<T>("poisson2d", {.n = 30});
  if (!is_single<T>) {
    for (Index i = 0; i < nearly.rows; ++i) {
      for (Offset k = nearly.row_ptr[static_cast<std::size_t>(i)]; k < nearly.row_ptr[static_cast<std::size_t>(i) + 1];
           ++k) {
        T& v = nearly.val[static_cast<std::size_t>(k)];
        v *= T{1} + static_cast<T>(1e-14) * static_cast<T>(i + nearly.col[static_cast<std::size_t>(k)]);
      }
    }
    EXPECT_FALSE(found(nearly, 1));
  }
  Csr<T> large = generate<T>("variable2d", {.n = 30});
  large.val[0] = std::numeric_limits<float>::max();
  EXPECT_FALSE(found(large, 4));
}

TYPED_TEST(ScaledStructureOf, AnotherMatrixIsRefused) {
  using T = typename TypeParam::T;
  using Matrix = SpaceCsr<typename TypeParam::Space, T>;
  const Csr<T> a = generate<T>("poisson2d", {.n = 20}), other = generate<T>("poisson2d", {.n = 21});
  using A = Analysis<typename TypeParam::Space, T>;
  EXPECT_NO_THROW(A(this->space(), Matrix(this->space(), a.view()), this->of(a)));
  EXPECT_THROW(A(this->space(), Matrix(this->space(), a.view()), this->of(other)), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
