// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/diagonals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/samples.hpp"
#include "support/shared_matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class T>
std::vector<Index> offsets_of(const Csr<T>& a) {
  std::set<Index> offsets;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      offsets.insert(a.col[k] - static_cast<Index>(i));
  }
  return {offsets.begin(), offsets.end()};
}

template <class T>
std::uint64_t bits(T v) {
  std::uint64_t out = 0;
  std::memcpy(&out, &v, sizeof v);
  return out;
}

/// Whether v is exact in float and the lowest `zeros` bits of the float are 0.
template <class T>
bool fits(T v, unsigned zeros) {
  if (!is_single<T> && !(static_cast<T>(static_cast<float>(v)) == v)) return false;
  return (bits(static_cast<float>(v)) & ((std::uint64_t{1} << zeros) - 1)) == 0;
}

/// A simple census for comparison, taken diagonal by diagonal and row by row.
template <class T>
struct PlainCensus {
  using Entries = std::vector<std::pair<Index, T>>;  // row, value
  std::map<Index, Entries> diagonals;
  std::map<std::vector<std::uint64_t>, Index> classes;  // offsets and value bits of a row; the first such row
  std::set<std::uint64_t> values;

  explicit PlainCensus(const Csr<T>& a) {
    for (Index i = 0; i < a.rows; ++i) {
      std::vector<std::uint64_t> row;
      for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
        const Index offset = a.col[static_cast<std::size_t>(k)] - i;
        const T v = a.val[static_cast<std::size_t>(k)];
        diagonals[offset].push_back({i, v});
        row.insert(row.end(), {static_cast<std::uint64_t>(offset), bits(v)});
        values.insert(bits(v));
      }
      classes.insert({row, i});
    }
  }

  static Index longest_gap(const Entries& entries, Index in_piece) {
    Index longest = 0;
    for (std::size_t e = 1; e < entries.size(); ++e) {
      const Index before = entries[e - 1].first, row = entries[e].first;
      if (before / in_piece != row / in_piece) longest = std::max(longest, row - before - 1);
    }
    return longest;
  }

  /// The first row of each row class, the longest rows first. Empty when there are more than max_classes classes.
  std::vector<Index> class_rows() const {
    if (classes.size() > DiagonalCensus::max_classes) return {};
    std::vector<std::pair<Index, Index>> sorted;
    for (const auto& [row, first] : classes) sorted.push_back({-static_cast<Index>(row.size()), first});
    std::sort(sorted.begin(), sorted.end());
    std::vector<Index> rows;
    for (const auto& [length, first] : sorted) rows.push_back(first);
    return rows;
  }
};

template <class Case>
class DiagonalCensusOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  DiagonalCensus of(const Csr<Value>& a, Index in_piece = piece_rows) const {
    const SpaceCsr<typename Case::Space, Value> matrix(this->space(), a.view());
    return take_census(this->space(), matrix.view(), offsets_of(a), in_piece);
  }
};

TYPED_TEST_SUITE(DiagonalCensusOf, EverySpace, SpaceNames);

template <class T>
void expect_pieces(const DiagonalCensus& census, const PlainCensus<T>& plain) {
  const Offset in_piece = census.rows_in_piece, count = (census.rows + in_piece - 1) / in_piece;
  std::vector<PieceDiagonal> wanted(static_cast<std::size_t>(count) * plain.diagonals.size());
  std::size_t d = 0;
  for (const auto& [offset, entries] : plain.diagonals) {
    for (const auto& [row, value] : entries) {
      PieceDiagonal& piece = wanted[static_cast<std::size_t>(row / in_piece) * plain.diagonals.size() + d];
      const auto within = static_cast<std::uint16_t>(row % in_piece);
      if (piece.entries++ == 0) piece.first = within;
      piece.last = within;
    }
    ++d;
  }
  ASSERT_EQ(census.pieces().size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    ASSERT_EQ(census.pieces()[k].entries, wanted[k].entries) << k;
    if (wanted[k].entries == 0) continue;
    ASSERT_EQ(census.pieces()[k].first, wanted[k].first) << k;
    ASSERT_EQ(census.pieces()[k].last, wanted[k].last) << k;
  }
}

template <class T>
void expect_diagonals(const DiagonalCensus& census, const PlainCensus<T>& plain) {
  ASSERT_EQ(census.diagonals.size(), plain.diagonals.size());
  std::size_t at = 0;
  for (const auto& [offset, entries] : plain.diagonals) {
    const Diagonal& d = census.diagonals[at++];
    const auto all = [&, &listed = entries](auto holds) {
      return std::all_of(listed.begin(), listed.end(), [&](const auto& e) { return holds(e.second); });
    };
    const T first = entries.front().second;
    EXPECT_EQ(d.offset, offset);
    EXPECT_EQ(d.entries, static_cast<Offset>(entries.size()));
    EXPECT_EQ(d.first_row, entries.front().first);
    EXPECT_EQ(d.last_row, entries.back().first);
    EXPECT_EQ(d.longest_gap, PlainCensus<T>::longest_gap(entries, census.rows_in_piece));
    EXPECT_EQ(d.constant, all([&](T v) { return bits(v) == bits(first); })) << offset;
    EXPECT_EQ(bits(d.value), bits(d.constant ? static_cast<double>(first) : 0.0));
    EXPECT_EQ(d.single, all([](T v) { return fits(v, 0); })) << offset;
    EXPECT_EQ(d.bfloat, all([](T v) { return fits(v, 16); })) << offset;
  }
}

template <class T>
void expect_census(const DiagonalCensus& census, const Csr<T>& a) {
  const PlainCensus<T> plain(a);
  EXPECT_EQ(census.rows, a.rows);
  EXPECT_EQ(census.cols, a.cols);
  expect_pieces(census, plain);
  expect_diagonals(census, plain);
  EXPECT_EQ(census.class_rows, plain.class_rows());
  const bool few = plain.values.size() <= DiagonalCensus::max_values;
  EXPECT_EQ(census.values.size(), few ? plain.values.size() : 0);
  for (const double v : census.values) EXPECT_EQ(plain.values.count(bits(static_cast<T>(v))), 1u) << v;
  EXPECT_FALSE(census.symmetric);
}

TYPED_TEST(DiagonalCensusOf, EverySampleIsThatOfALongCount) {
  using T = typename TypeParam::T;
  int counted = 0;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    if (offsets_of(sample.matrix).size() > DiagonalCensus::max_diagonals) continue;
    ++counted;
    expect_census(this->of(sample.matrix), sample.matrix);
  }
  EXPECT_GT(counted, 30);
}

TYPED_TEST(DiagonalCensusOf, GeneratedMatricesAreThoseOfALongCount) {
  using T = typename TypeParam::T;
  for (const auto& [family, n] : {std::pair{"poisson2d", 70},
                                  {"poisson3d", 17},
                                  {"variable2d", 40},
                                  {"anisotropic", 33},
                                  {"kgs2d", 40},
                                  {"maxwell2d", 32},
                                  {"banded", 3000},
                                  {"fem27", 11}}) {
    SCOPED_TRACE(family);
    const Csr<T> a = generate<T>(family, {.n = n});
    expect_census(this->of(a), a);
  }
}

TYPED_TEST(DiagonalCensusOf, PiecesMayHaveAnyNumberOfRows) {
  using T = typename TypeParam::T;
  const Csr<T> a = stencil<T>(1000, 900, 77, 3), gaps = generate<T>("banded", {.n = 1111});
  for (const Index in_piece : {1, 2, 31, 32, 33, 128, 256, 257, 1000, 1001, 65535}) {
    SCOPED_TRACE(in_piece);
    expect_census(this->of(a, in_piece), a);
    expect_census(this->of(gaps, in_piece), gaps);
  }
}

TYPED_TEST(DiagonalCensusOf, RefusesWhatItCannotCount) {
  using T = typename TypeParam::T;
  const Csr<T> a = stencil<T>(10, 10, 3, 3), wide = with_dense_row<T>(3, 1100, 1, 5);

  EXPECT_THROW(this->of(a, 0), ArgumentError);
  EXPECT_THROW(this->of(a, 65536), ArgumentError);
  EXPECT_THROW(this->of(wide), ArgumentError);
}

TYPED_TEST(DiagonalCensusOf, OfSharedMatricesIsThatOfALongCount) {
  using T = typename TypeParam::T;
  const auto wang3 = shared_matrices([](const auto& e) { return e.name == "wang3"; });
  if (wang3.empty()) GTEST_SKIP() << "no shared matrices";
  const Csr<T> a = read<T>(wang3.front());

  expect_census(this->of(a), a);
}

TYPED_TEST(DiagonalCensusOf, PoissonHasTheClassesOfItsBoundary) {
  using T = typename TypeParam::T;

  const DiagonalCensus census = this->of(generate<T>("poisson2d", {.n = 50}));

  // The first row of each class: the interior; the bottom, left, right and top edge; the four corners.
  EXPECT_EQ(census.class_rows, (std::vector<Index>{51, 1, 50, 99, 2451, 0, 49, 2450, 2499}));
  std::vector<double> values = census.values;
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<double>{-1, 4}));
  for (const Diagonal& d : census.diagonals) {
    EXPECT_TRUE(d.constant && d.single && d.bfloat);
    EXPECT_EQ(d.value, d.offset == 0 ? 4 : -1);
  }
}

TYPED_TEST(DiagonalCensusOf, ClassesAndValuesHaveALimit) {
  using T = typename TypeParam::T;
  for (const std::size_t different : {DiagonalCensus::max_classes, DiagonalCensus::max_classes + 1}) {
    std::vector<T> d(5000);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>((i * 7) % different);

    const DiagonalCensus census = this->of(diagonal_matrix(d));

    const bool few = different <= DiagonalCensus::max_classes;
    EXPECT_EQ(census.class_rows.size(), few ? different : 0);
    EXPECT_EQ(census.values.size(), few ? different : 0);
  }
}

TYPED_TEST(DiagonalCensusOf, FewValuesNeedNoFewClasses) {
  using T = typename TypeParam::T;
  Csr<T> a = stencil<T>(5000, 5000, 70, 4);
  for (T& v : a.val) v = std::round(100 * v) / 4;

  const DiagonalCensus census = this->of(a);

  EXPECT_TRUE(census.class_rows.empty());
  expect_census(census, a);
  EXPECT_GT(census.values.size(), 100u);
}

TYPED_TEST(DiagonalCensusOf, TellsValuesByTheirBits) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN();

  const DiagonalCensus zeros = this->of(diagonal_matrix(std::vector<T>{T(0), T(-0.0), T(0)}));
  const DiagonalCensus nans = this->of(diagonal_matrix(std::vector<T>{nan, nan, nan}));

  EXPECT_FALSE(zeros.diagonals[0].constant);
  EXPECT_EQ(zeros.class_rows, (std::vector<Index>{0, 1}));
  EXPECT_EQ(zeros.values.size(), 2u);
  EXPECT_TRUE(zeros.diagonals[0].single && zeros.diagonals[0].bfloat);
  EXPECT_TRUE(nans.diagonals[0].constant && std::isnan(nans.diagonals[0].value));
  EXPECT_EQ(nans.class_rows, (std::vector<Index>{0}));
  EXPECT_EQ(nans.values.size(), 1u);
}

TYPED_TEST(DiagonalCensusOf, TellsNarrowValuesByOneThatIsNot) {
  using T = typename TypeParam::T;
  std::vector<T> d(3000, T(1.5));
  const auto judged = [&](T odd) {
    d[2000] = odd;
    return this->of(diagonal_matrix(d)).diagonals[0];
  };

  const Diagonal constant = judged(T(1.5)), bfloat = judged(T(-3.25)), single = judged(T(1.1f)), wide = judged(T(0.1));
  const Diagonal huge = judged(std::numeric_limits<T>::max());

  EXPECT_TRUE(constant.constant && constant.single && constant.bfloat);
  EXPECT_TRUE(!bfloat.constant && bfloat.single && bfloat.bfloat);
  EXPECT_TRUE(!single.constant && single.single && !single.bfloat);
  EXPECT_EQ(wide.single, is_single<T>);
  EXPECT_EQ(huge.single, is_single<T>);
  EXPECT_TRUE(!wide.bfloat && !huge.bfloat);
}

}  // namespace
}  // namespace ostinato::test
