// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/structure.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/structure_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class StructureOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  Structure of(const Csr<Value>& a, AnalysisDepth depth = AnalysisDepth::full) const {
    const SpaceCsr<typename Case::Space, Value> matrix(this->space(), a.view());
    return analyse(this->space(), matrix.view(), depth);
  }
};

TYPED_TEST_SUITE(StructureOf, EverySpace, SpaceNames);

/// A simple computation of the structure for comparison.
template <class T>
struct PlainStructure {
  std::map<std::pair<Index, Index>, T> entries;
  std::set<Index> offsets;
  std::vector<Index> lengths;

  explicit PlainStructure(const Csr<T>& a) : lengths(static_cast<std::size_t>(a.rows)) {
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
        const Index j = a.col[static_cast<std::size_t>(k)];
        entries[{i, j}] = a.val[static_cast<std::size_t>(k)];
        offsets.insert(j - i);
        ++lengths[static_cast<std::size_t>(i)];
      }
    }
  }

  Index farthest() const {
    Index far = 0;
    for (const Index offset : offsets) far = std::max(far, std::abs(offset));
    return far;
  }

  Index longest() const { return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end()); }

  bool pattern_symmetric() const {
    return std::all_of(entries.begin(), entries.end(), [&](const auto& e) {
      return entries.count({e.first.second, e.first.first}) == 1;
    });
  }

  bool symmetric() const {
    return pattern_symmetric() && std::all_of(entries.begin(), entries.end(), [&](const auto& e) {
             return entries.at({e.first.second, e.first.first}) == e.second;
           });
  }
};

TYPED_TEST(StructureOf, KnowsASmallMatrixByHand) {
  const auto a = dense<typename TypeParam::T>({{4, -1, 0, 0}, {-1, 4, 0, 2}, {0, 0, 0, 0}, {0, 2, 0, 4}});

  const Structure s = this->of(a);

  EXPECT_EQ(s.rows, 4);
  EXPECT_EQ(s.cols, 4);
  EXPECT_EQ(s.nonzeros, 7);
  EXPECT_EQ(s.offsets, (std::vector<Index>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(s.diagonals, 5);
  EXPECT_EQ(s.farthest, 2);
  EXPECT_EQ(s.longest_row, 3);
  EXPECT_EQ(s.empty_rows, 1);
  EXPECT_DOUBLE_EQ(s.mean_row, 7.0 / 4);
  EXPECT_DOUBLE_EQ(s.row_deviation, std::sqrt((4 + 9 + 0 + 4) / 4.0 - 49.0 / 16));
  EXPECT_TRUE(s.pattern_symmetric && s.symmetric && s.finite);
  EXPECT_EQ(s.missing_diagonal, 1);
  EXPECT_FALSE(s.positive_diagonal);
  EXPECT_FALSE(s.constant_diagonal);
}

TYPED_TEST(StructureOf, FindsTheSameAsALongSearch) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    const Csr<T>& a = sample.matrix;
    const PlainStructure<T> plain(a);

    const Structure s = this->of(a);

    EXPECT_EQ(s.nonzeros, a.nonzeros());
    EXPECT_EQ(s.diagonals, static_cast<Offset>(plain.offsets.size()));
    if (s.diagonals <= Structure::max_listed_diagonals) {
      EXPECT_EQ(s.offsets, std::vector<Index>(plain.offsets.begin(), plain.offsets.end()));
    } else {
      EXPECT_TRUE(s.offsets.empty());
    }
    EXPECT_EQ(s.empty_rows, std::count(plain.lengths.begin(), plain.lengths.end(), 0));
    EXPECT_EQ(s.farthest, plain.farthest());
    EXPECT_EQ(s.longest_row, plain.longest());
    EXPECT_EQ(s.pattern_symmetric, a.rows == a.cols && plain.pattern_symmetric());
    EXPECT_EQ(s.symmetric, a.rows == a.cols && plain.symmetric());
    EXPECT_TRUE(s.finite);
  }
}

TYPED_TEST(StructureOf, AddsUpTheLargestRow) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    const Csr<T>& a = sample.matrix;
    double largest = 0;
    for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
      double row = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        row += std::abs(static_cast<double>(a.val[k]));
      largest = std::max(largest, row);
    }

    EXPECT_DOUBLE_EQ(this->of(a).norm_inf, largest);
    EXPECT_DOUBLE_EQ(this->of(a, AnalysisDepth::quick).norm_inf, largest);
  }
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  EXPECT_TRUE(std::isnan(this->of(dense<T>({{1, nan}, {2, infinity}})).norm_inf));
  EXPECT_TRUE(std::isinf(this->of(dense<T>({{1, -infinity}, {2, 0}})).norm_inf));
  EXPECT_EQ(this->of(dense<T>({{-1, 0}, {2, -3}})).norm_inf, 5);
}

TYPED_TEST(StructureOf, MeasuresTheSpreadOfRowLengths) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    if (sample.matrix.rows == 0) continue;
    SCOPED_TRACE(sample.name);
    const PlainStructure<T> plain(sample.matrix);
    const double rows = static_cast<double>(plain.lengths.size());
    const double mean = static_cast<double>(sample.matrix.nonzeros()) / rows;
    double squares = 0;
    for (const Index length : plain.lengths) squares += (length - mean) * (length - mean);

    const Structure s = this->of(sample.matrix);

    EXPECT_DOUBLE_EQ(s.mean_row, mean);
    EXPECT_NEAR(s.row_deviation, std::sqrt(squares / rows), 1e-12 * (1 + s.row_deviation));
  }
}

TYPED_TEST(StructureOf, TellsSymmetryOfValuesFromThatOfThePattern) {
  using T = typename TypeParam::T;

  const Structure both = this->of(dense<T>({{1, 2}, {2, 1}})), pattern = this->of(dense<T>({{1, 2}, {3, 1}}));
  const Structure neither = this->of(dense<T>({{1, 2}, {0, 1}})), wide = this->of(dense<T>({{1, 2, 0}, {2, 1, 0}}));

  EXPECT_TRUE(both.pattern_symmetric && both.symmetric);
  EXPECT_TRUE(pattern.pattern_symmetric && !pattern.symmetric);
  EXPECT_TRUE(!neither.pattern_symmetric && !neither.symmetric);
  EXPECT_TRUE(!wide.pattern_symmetric && !wide.symmetric);
}

TYPED_TEST(StructureOf, FindsTheOneEntryThatBreaksSymmetry) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 60});
  const bool before = this->of(a).symmetric;
  a.val[a.val.size() - 2] += T(1);

  const Structure s = this->of(a);

  EXPECT_TRUE(before);
  EXPECT_TRUE(s.pattern_symmetric);
  EXPECT_FALSE(s.symmetric);
}

TYPED_TEST(StructureOf, JudgesTheDiagonal) {
  using T = typename TypeParam::T;

  const Structure constant = this->of(dense<T>({{3, 1}, {0, 3}})), varied = this->of(dense<T>({{3, 1}, {0, 2}}));
  const Structure negative = this->of(dense<T>({{-3, 1}, {0, -3}})), missing = this->of(dense<T>({{3, 1}, {1, 0}}));
  const Structure zero = this->of(from_triplets<T>(2, 2, std::vector<Triplet<T>>{{0, 0, 0}, {1, 1, 5}}));

  EXPECT_TRUE(constant.constant_diagonal && constant.positive_diagonal && constant.missing_diagonal == 0);
  EXPECT_TRUE(!varied.constant_diagonal && varied.positive_diagonal && varied.missing_diagonal == 0);
  EXPECT_TRUE(negative.constant_diagonal && !negative.positive_diagonal && negative.missing_diagonal == 0);
  EXPECT_TRUE(negative.negative_diagonal && !constant.negative_diagonal);
  EXPECT_TRUE(!missing.negative_diagonal && !zero.negative_diagonal);
  EXPECT_TRUE(!missing.constant_diagonal && !missing.positive_diagonal && missing.missing_diagonal == 1);
  EXPECT_TRUE(!zero.constant_diagonal && !zero.positive_diagonal && zero.missing_diagonal == 1);
}

TYPED_TEST(StructureOf, NoticesWhatIsNotFinite) {
  using T = typename TypeParam::T;
  for (const T bad :
       {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    Csr<T> a = stencil<T>(597, 597, 7, 1);
    a.val[1234] = bad;

    const Structure s = this->of(a);

    EXPECT_FALSE(s.finite) << bad;
  }
}

TYPED_TEST(StructureOf, FindsSymmetryWhateverTheRowsLookLike) {
  using T = typename TypeParam::T;
  for (const Index long_row : {0, 1}) {  // without a long row the work is divided by rows, with one by entries
    std::vector<Triplet<T>> entries;
    for (Index i = 0; i < 900; ++i) entries.push_back({i, i, T(4)});
    for (Index i = 0; i < 900; i += 3) entries.insert(entries.end(), {{i, 899 - i, T(-2)}, {899 - i, i, T(-2)}});
    for (Index i = 1; long_row > 0 && i < 900; ++i) entries.insert(entries.end(), {{0, i, T(1)}, {i, 0, T(1)}});
    const Structure whole = this->of(from_triplets<T>(900, 900, entries));
    entries.push_back({700, 650, T(1)});
    const Structure below = this->of(from_triplets<T>(900, 900, entries));
    entries.back() = {650, 700, T(1)};
    const Structure above = this->of(from_triplets<T>(900, 900, entries));
    entries.push_back({720, 600, T(1)});
    const Structure both = this->of(from_triplets<T>(900, 900, entries));

    EXPECT_TRUE(whole.pattern_symmetric && whole.symmetric && whole.positive_diagonal);
    for (const Structure& s : {below, above, both}) EXPECT_FALSE(s.pattern_symmetric || s.symmetric);
    for (const Structure& s : {whole, below, above, both}) EXPECT_EQ(s.missing_diagonal, 0);
  }
}

TYPED_TEST(StructureOf, TakesTheCensusWhereDiagonalsAreFew) {
  using T = typename TypeParam::T;
  const Structure poisson = this->of(generate<T>("poisson2d", {.n = 60}));
  const Structure skew = this->of(stencil<T>(3000, 3000, 40, 6));
  const Structure random = this->of(scattered<T>(20011, 20011, 6, true, 12));
  const Structure empty = this->of(from_triplets<T>(5, 5, {})), none = this->of(from_triplets<T>(0, 0, {}));

  ASSERT_TRUE(poisson.census && skew.census);
  EXPECT_TRUE(poisson.census->symmetric);
  EXPECT_FALSE(skew.census->symmetric);
  ASSERT_EQ(skew.census->diagonals.size(), skew.offsets.size());
  for (std::size_t d = 0; d < skew.offsets.size(); ++d) EXPECT_EQ(skew.census->diagonals[d].offset, skew.offsets[d]);
  EXPECT_FALSE(random.census);
  ASSERT_TRUE(empty.census && none.census);
  EXPECT_TRUE(empty.census->diagonals.empty() && none.census->diagonals.empty());
}

TYPED_TEST(StructureOf, KnowsNewValuesOnTheSamePattern) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    Csr<T> a = sample.matrix;
    Structure s = this->of(a);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = k % 11 == 3 ? T{0} : T(2) + static_cast<T>(k % 5);
    const SpaceCsr<typename TypeParam::Space, T> changed(this->space(), a.view());

    analyse_values(this->space(), changed.view(), s);

    const Structure fresh = this->of(a);
    EXPECT_EQ(s.symmetric, fresh.symmetric);
    EXPECT_EQ(s.pattern_symmetric, fresh.pattern_symmetric);
    EXPECT_EQ(s.missing_diagonal, fresh.missing_diagonal);
    EXPECT_EQ(s.positive_diagonal, fresh.positive_diagonal);
    EXPECT_EQ(s.constant_diagonal, fresh.constant_diagonal);
    EXPECT_EQ(s.finite, fresh.finite);
    EXPECT_EQ(s.diagonals, fresh.diagonals);
    EXPECT_EQ(s.longest_row, fresh.longest_row);
    ASSERT_TRUE(s.profile);
    EXPECT_EQ(s.profile->distinct, 0);
    EXPECT_EQ(s.profile->sliced_slots, fresh.profile->sliced_slots);
  }
}

TYPED_TEST(StructureOf, TakesNoCensusOfDiagonalsThatAreMostlyEmpty) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 256 * 400; i += 256) entries.push_back({i, i, T(1)});
  for (Index k = 0; k < 400; ++k) entries.push_back({256 * k, 256 * k + k, T(2)});
  const Structure sparse = this->of(from_triplets<T>(256 * 402, 256 * 402, entries));

  EXPECT_EQ(sparse.diagonals, 400);
  EXPECT_FALSE(sparse.census);
}

TYPED_TEST(StructureOf, TakesNoCensusInAQuickAnalysisWhereDiagonalsDoNotPay) {
  using T = typename TypeParam::T;
  const Csr<T> half_empty = scattered<T>(20, 20, 3, false, 12), full = stencil<T>(200, 200, 5, 6),
               larger = stencil<T>(600, 600, 5, 6), many = scattered<T>(2000, 2000, 3, false, 12);
  EXPECT_TRUE(this->of(half_empty).census && this->of(full).census && this->of(larger).census);
  EXPECT_FALSE(this->of(half_empty, AnalysisDepth::quick).census);
  EXPECT_TRUE(this->of(full, AnalysisDepth::quick).census && this->of(larger, AnalysisDepth::quick).census);
  EXPECT_FALSE(this->of(many, AnalysisDepth::quick).census);
}

TYPED_TEST(StructureOf, LooksForNeitherSymmetryNorEqualValuesInAMatrixThatIsOnlyMultipliedWith) {
  using T = typename TypeParam::T;
  for (const char* name : {"poisson3d", "mesh2d", "convection-diffusion3d"}) {
    SCOPED_TRACE(name);
    const auto a = generate<T>(name, {.n = 12});
    const Structure all = this->of(a), some = this->of(a, AnalysisDepth::product);
    EXPECT_TRUE(all.pattern_symmetric);
    EXPECT_FALSE(some.pattern_symmetric || some.symmetric || some.census);
    EXPECT_EQ(some.offsets, all.offsets);
    EXPECT_EQ(some.farthest, all.farthest);
    EXPECT_EQ(some.longest_row, all.longest_row);
    EXPECT_EQ(some.row_deviation, all.row_deviation);
    EXPECT_EQ(some.missing_diagonal, 0);
    EXPECT_EQ(some.positive_diagonal, all.positive_diagonal);
    EXPECT_EQ(some.constant_diagonal, all.constant_diagonal);
    EXPECT_EQ(some.norm_inf, all.norm_inf);
    EXPECT_TRUE(some.finite);
    EXPECT_EQ(some.profile->distinct, 0);
    EXPECT_EQ(some.profile->single, is_single<T>);
    EXPECT_EQ(some.profile->sliced_slots, all.profile->sliced_slots);
    EXPECT_EQ(some.profile->sectors, all.profile->sectors);
  }
}

TYPED_TEST(StructureOf, LooksAtLengthsAndTheNormAlone) {
  using T = typename TypeParam::T;
  for (const char* name : {"poisson3d", "mesh2d", "dense-row"}) {
    SCOPED_TRACE(name);
    const auto a = generate<T>(name, {.n = 12});
    const Structure all = this->of(a), some = this->of(a, AnalysisDepth::lengths);
    EXPECT_EQ(some.nonzeros, all.nonzeros);
    EXPECT_EQ(some.longest_row, all.longest_row);
    EXPECT_EQ(some.mean_row, all.mean_row);
    EXPECT_EQ(some.row_deviation, all.row_deviation);
    EXPECT_EQ(some.empty_rows, all.empty_rows);
    EXPECT_EQ(some.norm_inf, all.norm_inf);
    EXPECT_TRUE(some.finite);
    EXPECT_FALSE(some.symmetric || some.census || !some.offsets.empty());
    ASSERT_NE(some.profile, nullptr);
  }
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
    auto a = generate<T>("poisson2d", {.n = 9});
    a.val[100] = bad;
    EXPECT_FALSE(this->of(a, AnalysisDepth::lengths).finite);
  }
  EXPECT_EQ(this->of(Csr<T>{}, AnalysisDepth::lengths).nonzeros, 0);
}

TYPED_TEST(StructureOf, ListsNoMoreDiagonalsThanItPromises) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> row;
  for (Index j = 0; j <= Structure::max_listed_diagonals; ++j) row.push_back({0, j, T(1)});
  const std::vector<Triplet<T>> shorter(row.begin(), row.end() - 1);

  const Structure most = this->of(from_triplets<T>(1, 5000, shorter)), more = this->of(from_triplets<T>(1, 5000, row));

  EXPECT_EQ(most.diagonals, Structure::max_listed_diagonals);
  EXPECT_EQ(most.offsets.size(), static_cast<std::size_t>(Structure::max_listed_diagonals));
  EXPECT_EQ(more.diagonals, Structure::max_listed_diagonals + 1);
  EXPECT_TRUE(more.offsets.empty());
}

TYPED_TEST(StructureOf, IsTheSameHoweverEntriesAreSharedOut) {
  using T = typename TypeParam::T;
  for (const auto& [family, n] : {std::pair{"poisson2d", 600}, {"poisson3d", 50}, {"fem27", 32}}) {
    SCOPED_TRACE(family);
    Csr<T> a = generate<T>(family, {.n = n});
    const Structure here = this->of(a), host = analyse(Host(), a.view());

    EXPECT_EQ(here.offsets, host.offsets);
    EXPECT_EQ(here.longest_row, host.longest_row);
    EXPECT_TRUE(here.symmetric && here.positive_diagonal);

    a.val[a.val.size() - 2] += 1;  // above or below the diagonal of the last row
    const Structure changed = this->of(a);
    EXPECT_TRUE(changed.pattern_symmetric);
    EXPECT_FALSE(changed.symmetric);
  }
}

/// Flags and sums that InspectByRun finds in runs of some length by searching all mirror entries; where the length is
/// 0, those of InspectByRow, which expects them.
std::vector<double> inspected(const Csr<double>& a, Offset length, Offset lanes) {
  detail::Findings f{};
  std::vector<std::uint8_t> used(static_cast<std::size_t>(a.rows + a.cols - 1), 0);
  std::vector<Index> expected(static_cast<std::size_t>(a.rows), 0);
  const detail::InspectEntries<Atomic<Host>, double> entries{
      detail::pattern_of(a.view()),           a.val.data(), a.nonzeros(), a.rows == a.cols, &f, used.data(),
      length == 0 ? expected.data() : nullptr};
  Sums<2> sums;
  if (length == 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
      sums += detail::InspectByRow<Atomic<Host>, double>{entries}(i);
  } else {
    const detail::InspectByRun<Atomic<Host>, double> run{entries, {a.nonzeros(), length, lanes}};
    for (std::size_t k = 0; k < run.runs.count(); ++k) sums += run(k);
  }
  std::vector<double> all(used.begin(), used.end());
  for (const double v :
       {sums.v[0], sums.v[1], double(f.nonpositive_diagonal), double(f.nonnegative_diagonal),
        double(f.varying_diagonal), double(f.asymmetric_pattern), double(f.asymmetric_values), double(f.not_finite)})
    all.push_back(v);
  return all;
}

TEST(InspectByRun, FindsWhatRowsFindWhateverItsLanes) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), huge = std::numeric_limits<double>::max();
  Csr<double> symmetric = dense<double>({{2, -1, 0, 3}, {-1, 0, 5, 0}, {0, 5, 2, -1}, {3, 0, -1, -2}});
  Csr<double> other_values = symmetric, not_finite = symmetric, overflowing = symmetric;
  other_values.val.back() = 7;
  other_values.val[2] = 4;
  not_finite.val[1] = nan;
  overflowing.val[0] = overflowing.val[1] = overflowing.val[3] = huge;
  const std::vector<Csr<double>> matrices = {
      with_dense_row<double>(90, 90, 40, 5), with_dense_row<double>(20, 33, 7, 3), stencil<double>(9, 7, 3, 1),
      symmetric, other_values, not_finite, overflowing, dense<double>({{0, 1}, {0, 0}}),
      // A mirror entry is expected behind the end of row 2, where row 3 has it.
      dense<double>({{0, 1, 1, 0}, {1, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}})};
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const std::vector<double> by_row = inspected(matrices[k], 0, 0);
    for (const Offset length : {1, 2, 3, 32}) {
      for (const Offset lanes : {1, 32})
        EXPECT_EQ(inspected(matrices[k], length, lanes), by_row) << "matrix " << k << ", " << length << " x " << lanes;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
