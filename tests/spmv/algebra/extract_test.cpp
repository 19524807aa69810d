// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/extract.hpp>

#include <numeric>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

using List = std::vector<Index>;

List all_of(Index n) {
  List list(static_cast<std::size_t>(n));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

List shuffled_order(Index n, std::uint64_t seed) {
  List list = all_of(n);
  Random random(seed);
  for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random() % k]);
  return list;
}

List every_third(Index n) {
  List list;
  for (Index i = 1; i < n; i += 3) list.push_back(i);
  return list;
}

template <class T>
ReferenceMatrix reference_extraction(const Csr<T>& a, const List& rows, const List& cols) {
  const ReferenceMatrix whole = reference_of(a.view());
  ReferenceMatrix part{static_cast<Index>(rows.size()), static_cast<Index>(cols.size()), {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < cols.size(); ++j) {
      const auto found = whole.entries.find({rows[i], cols[j]});
      if (found != whole.entries.end()) part.entries[{static_cast<Index>(i), static_cast<Index>(j)}] = found->second;
    }
  }
  return part;
}

template <class Case>
using ExtractionOn = AlgebraTest<Case>;
TYPED_TEST_SUITE(ExtractionOn, EverySpace, SpaceNames);

TYPED_TEST(ExtractionOn, MatchesTheReferenceAndTakesNewValues) {
  using T = typename TypeParam::T;
  for (const Index m : {0, 1, 33, 200}) {
    for (const Index n : {0, 1, 31, 150}) {
      for (const Csr<T>& a : matrices_of<T>(m, n, 10)) {
        for (const List& rows : {List{}, every_third(m), shuffled_order(m, 1)}) {
          for (const List& cols : {List{}, every_third(n), shuffled_order(n, 2)}) {
            const auto on_rows = this->template put<Index>(rows), on_cols = this->template put<Index>(cols);
            Extraction<typename TypeParam::Space, T> part(this->space(), this->on(a), on_rows.span(), on_cols.span());
            EXPECT_EQ(difference(this->back(part.result()), reference_extraction(a, rows, cols), 0), "");

            const Csr<T> b = other_values(a, 3);
            part.update(this->on(b));
            EXPECT_EQ(difference(this->back(part.result()), reference_extraction(b, rows, cols), 0), "");
          }
        }
      }
    }
  }
}

TYPED_TEST(ExtractionOn, TakesAllRowsOrColumnsWithoutAList) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered<T>(33, 31, 4, true, 3);
  const List some = shuffled_order(31, 5);
  const auto on_some = this->template put<Index>(some);

  EXPECT_EQ(difference(this->back(extract(this->space(), this->on(a), std::nullopt, on_some.span())),
                       reference_extraction(a, all_of(33), some), 0),
            "");
  EXPECT_EQ(difference(this->back(extract(this->space(), this->on(a), on_some.span(), std::nullopt)),
                       reference_extraction(a, some, all_of(31)), 0),
            "");
  EXPECT_TRUE(same_bits(this->back(extract(this->space(), this->on(a), std::nullopt, std::nullopt)), a));
}

TYPED_TEST(ExtractionOn, RepeatsRows) {
  using T = typename TypeParam::T;
  const auto rows = this->template put<Index>({1, 1, 0});

  const Csr<T> c = this->back(extract(this->space(), this->on(dense<T>({{1, 2}, {0, 3}})), rows.span(), std::nullopt));

  EXPECT_TRUE(same_bits(c, dense<T>({{0, 3}, {0, 3}, {1, 2}})));
}

TYPED_TEST(ExtractionOn, RefusesPlacesOutOfRangeAndRepeatedColumns) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2}, {0, 3}}));
  const auto outside = this->template put<Index>({0, 2, -1}), repeated = this->template put<Index>({1, 0, 1});

  EXPECT_EQ(message_of<ArgumentError>([&] { extract(this->space(), a, outside.span(), std::nullopt); }),
            "extraction from a matrix: 2 of 3 rows are not in 0 .. 1");
  EXPECT_EQ(message_of<ArgumentError>([&] { extract(this->space(), a, std::nullopt, repeated.span()); }),
            "extraction from a matrix: 1 of 3 columns repeat others; each may be taken once");
}

template <class Case>
using PermutationOn = AlgebraTest<Case>;
TYPED_TEST_SUITE(PermutationOn, EverySpace, SpaceNames);

TYPED_TEST(PermutationOn, MatchesTheReferenceInEverySize) {
  using T = typename TypeParam::T;
  for (const Index n : algebra_sizes) {
    const List rows = shuffled_order(n, 1), cols = shuffled_order(n, 2);
    const auto on_rows = this->template put<Index>(rows), on_cols = this->template put<Index>(cols);
    for (const Csr<T>& a : matrices_of<T>(n, n, 10)) {
      EXPECT_EQ(difference(this->back(permute(this->space(), this->on(a), on_rows.span(), on_cols.span())),
                           reference_extraction(a, rows, cols), 0),
                "");
    }
  }
}

// Rows of up to 32 entries are sorted one by one, longer ones with the whole matrix.
TYPED_TEST(PermutationOn, SortsRowsOfEveryLength) {
  using T = typename TypeParam::T;
  for (const Index longest : {1, 31, 32, 33, 100}) {
    constexpr Index n = 120;
    std::vector<Triplet<T>> t;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < i % (longest + 1); ++k) t.push_back({i, (7 * i + k) % n, static_cast<T>(1 + i + n * k)});
    }
    const Csr<T> a = from_triplets<T>(n, n, t);
    const List rows = shuffled_order(n, 4), cols = shuffled_order(n, 5);
    const auto on_rows = this->template put<Index>(rows), on_cols = this->template put<Index>(cols);
    EXPECT_EQ(difference(this->back(permute(this->space(), this->on(a), on_rows.span(), on_cols.span())),
                         reference_extraction(a, rows, cols), 0),
              "")
        << longest;
    EXPECT_EQ(difference(this->back(permute(this->space(), this->on(a), on_rows.span(), on_rows.span())),
                         reference_extraction(a, rows, rows), 0),
              "")
        << longest;
  }
}

TYPED_TEST(PermutationOn, RefusesWhatIsNoOrder) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2}, {0, 3}}));
  const auto shorter = this->template put<Index>({0}), repeated = this->template put<Index>({1, 1});

  EXPECT_EQ(message_of<DimensionError>([&] { permute(this->space(), a, shorter.span(), std::nullopt); }),
            "permutation of a matrix: the order of the rows has 1 elements, but the matrix has 2 rows");
  EXPECT_THROW(permute(this->space(), a, repeated.span(), std::nullopt), ArgumentError);
  EXPECT_THROW(permute(this->space(), a, std::nullopt, repeated.span()), ArgumentError);
  EXPECT_THROW(permute(this->space(), a, repeated.span(), repeated.span()), ArgumentError);
  EXPECT_THROW(permute(this->space(), a, std::nullopt, shorter.span()), DimensionError);
  const auto long_one = this->on(dense<T>({{1, 2}, {0, 3}, {4, 5}}));
  const auto begins_alike = this->template put<Index>({0, 1, 0});
  EXPECT_THROW(permute(this->space(), long_one, begins_alike.span(), begins_alike.span().first(2)), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
