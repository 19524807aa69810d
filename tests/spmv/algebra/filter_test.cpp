// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/filter.hpp>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

/// A after the rule of FilterOptions, in long double.
template <class T>
ReferenceMatrix reference_filter(const Csr<T>& a, const FilterOptions& options) {
  const ReferenceMatrix whole = reference_of(a.view());
  std::map<Index, long double> largest;
  whole.visit([&](Index i, Index j, long double v) {
    if (i != j) largest[i] = std::max(largest[i], std::abs(v));
  });
  ReferenceMatrix kept{a.rows, a.cols, {}};
  whole.visit([&](Index i, Index j, long double v) {
    const bool alone = options.lump && !whole.entries.contains({i, i});
    const bool small = std::abs(v) < options.tolerance * largest[i] || v == 0;
    if (i == j || alone || !small) {
      kept.add(i, j, v);
    } else if (options.lump) {
      kept.add(i, i, v);
    }
  });
  return kept;
}

template <class Case>
using FilterOn = AlgebraTest<Case>;
TYPED_TEST_SUITE(FilterOn, EverySpace, SpaceNames);

TYPED_TEST(FilterOn, MatchesTheReferenceInEveryShape) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      for (const Csr<T>& a : matrices_of<T>(m, n, 10)) {
        for (const FilterOptions& options : {FilterOptions{0.5, false}, FilterOptions{0.5, true}, FilterOptions{}}) {
          EXPECT_EQ(difference(this->back(filter(this->space(), this->on(a), options)), reference_filter(a, options),
                               static_cast<double>(n)),
                    "")
              << m << " x " << n << ", lump " << options.lump;
        }
      }
    }
  }
}

TYPED_TEST(FilterOn, LumpingKeepsTheSumsOfTheRows) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{4, -1, -0.125}, {-2, 5, -1}, {1, 0.25, 0}}));

  EXPECT_TRUE(same_bits(this->back(filter(this->space(), a, {.tolerance = 0.75, .lump = true})),
                        dense<T>({{3.875, -1, 0}, {-2, 4, 0}, {1, 0.25, 0}})))
      << "the last row has no diagonal entry and stays";
}

TYPED_TEST(FilterOn, DropsStoredZerosButNeitherTheDiagonalNorNan) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto a = from_triplets<T>(2, 3, std::vector<Triplet<T>>{{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {1, 0, nan}});

  const Csr<T> c = this->back(filter(this->space(), this->on(a), {}));

  EXPECT_EQ(std::vector<Index>(c.col.begin(), c.col.end()), (std::vector<Index>{0, 2, 0}));
  EXPECT_TRUE(std::isnan(c.val[2]));
}

TYPED_TEST(FilterOn, RefusesAToleranceBelowZero) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1}}));

  EXPECT_EQ(message_of<ArgumentError>([&] { filter(this->space(), a, {.tolerance = -1}); }),
            "filter: the tolerance is -1.000000; it has to be a number of at least 0");
  EXPECT_THROW(filter(this->space(), a, {.tolerance = std::nan("")}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
