// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/bench/formats/crsd/crsd.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/shared_matrices.hpp"
#include "support/spaces.hpp"

// What is special to CRSD; what it shares with all formats is in tests/spmv/formats/format_conformance_test.cpp.

namespace ostinato::test {
namespace {

using formats::Crsd;

/// A matrix of 1, 2, ... in the given diagonals and places.
template <class T>
Csr<T> numbered(Index rows, const std::vector<Index>& offsets, const std::vector<std::pair<Index, Index>>& others) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (const Index offset : offsets) {
      if (i + offset >= 0 && i + offset < rows)
        triplets.push_back({i, i + offset, static_cast<T>(triplets.size() + 1)});
    }
  }
  for (const auto& [i, j] : others) triplets.push_back({i, j, static_cast<T>(triplets.size() + 1)});
  return from_triplets<T>(rows, rows, triplets);
}

std::vector<std::pair<Index, Index>> groups_of(const formats::CrsdArrays<double>& a, Index pattern) {
  std::vector<std::pair<Index, Index>> groups;
  for (Index g = a.group_ptr[static_cast<std::size_t>(pattern)]; g < a.group_ptr[static_cast<std::size_t>(pattern) + 1];
       ++g)
    groups.push_back({a.group[static_cast<std::size_t>(g)].offset, a.group[static_cast<std::size_t>(g)].count});
  return groups;
}

using Groups = std::vector<std::pair<Index, Index>>;

TEST(Crsd, StoresADiagonalOfASegmentAfterTheOther) {
  const Csr<double> a = numbered<double>(34, {-1, 0}, {});

  const auto to = formats::to_crsd(a.view());

  EXPECT_EQ(to.pattern, (std::vector<Index>{0, 0}));
  EXPECT_EQ(to.start, (std::vector<Offset>{0, 64}));
  std::vector<double> wanted(68);
  for (std::size_t r = 0; r < 32; ++r) {
    wanted[r] = r > 0 ? static_cast<double>(2 * r) : 0;
    wanted[32 + r] = static_cast<double>(2 * r + 1);
  }
  const double last[] = {64, 66, 65, 67};
  std::copy(std::begin(last), std::end(last), wanted.begin() + 64);
  EXPECT_EQ(to.val, wanted);
  EXPECT_TRUE(to.scatter_row.empty());
}

TEST(Crsd, GroupsAdjacentDiagonalsBySegment) {
  std::vector<std::pair<Index, Index>> others;
  for (Index i = 64; i < 96; ++i) others.push_back({i, i + 20});
  const Csr<double> a = numbered<double>(160, {-5, 0, 1, 2, 7}, others);

  const auto to = formats::to_crsd(a.view());

  EXPECT_EQ(to.pattern, (std::vector<Index>{0, 0, 1, 0, 0}));
  EXPECT_EQ(groups_of(to, 0), (Groups{{-5, 1}, {0, 3}, {7, 1}}));
  EXPECT_EQ(groups_of(to, 1), (Groups{{-5, 1}, {0, 3}, {7, 1}, {20, 1}}));
}

TEST(Crsd, TakesRowsOutThatHaveADiagonalForThemselves) {
  const Csr<double> a = numbered<double>(64, {0, 1}, {{10, 30}, {40, 3}});

  const auto to = formats::to_crsd(a.view());

  EXPECT_EQ(to.scatter_row, (std::vector<Index>{10, 40}));
  EXPECT_EQ(to.taken, (std::vector<std::uint32_t>{1u << 10, 1u << 8}));
  EXPECT_EQ(to.width, 3);
  EXPECT_EQ(to.scatter_col, (std::vector<Index>{10, 3, 11, 40, 30, 41}));
  EXPECT_EQ(to.val[10], 0);
  EXPECT_EQ(groups_of(to, 0), (Groups{{0, 2}}));
  EXPECT_EQ(to.pattern, (std::vector<Index>{0, 0}));
}

TEST(Crsd, EstimatesDiagonalsWithoutGapsExactly) {
  for (const Index n : {1, 31, 33, 256, 597, 1000}) {
    const Csr<double> a = n == 1000 ? numbered<double>(n, {-96, 0, 96, 500}, {}) : stencil<double>(n, n, 3, 1);
    const auto to = formats::to_crsd(a.view());

    const formats::CrsdEstimate e = formats::estimate_crsd(analyse(Host(), a.view()));

    EXPECT_EQ(e.scattered, static_cast<double>(to.scatter_row.size())) << n;
    EXPECT_EQ(e.most_scattered, e.scattered) << n;
    EXPECT_NEAR(e.slots, static_cast<double>(to.val.size()), 32 * 7) << n;  // of the last segment, which is shorter
  }
}

TEST(Crsd, RefusesToPadScatteredRowsToALongRow) {
  const Host host;
  const Csr<double> a = with_dense_row<double>(400, 400, 77, 1);
  const Structure s = analyse(host, a.view());
  const Machine m = machine_of(host);

  const std::string refused = message_of<ArgumentError>([&] {
    Crsd<Host, double>(host, SpaceCsr<Host, double>(host, a.view()), PlanInput{s, m});
  });

  EXPECT_NE(refused.find("padded to 400 entries"), std::string::npos) << refused;
}

/// Table 6 of the DIA-Adaptive paper has 3,920 padded zeros.
TEST(Crsd, PadsWang3OfSharedMatricesNearlyAsMuchAsPublished) {
  const auto wang3 = shared_matrices([](const auto& e) { return e.name == "wang3"; });
  if (wang3.empty()) GTEST_SKIP() << "no shared matrices";
  const Csr<double> a = read<double>(wang3.front());
  const Host host;
  const Structure s = analyse(host, a.view());
  const Machine m = machine_of(host);

  const Crsd<Host, double> f(host, SpaceCsr<Host, double>(host, a.view()), PlanInput{s, m});

  EXPECT_NEAR(static_cast<double>(f.slots()) - static_cast<double>(a.nonzeros()), 3920, 39.2);
  EXPECT_EQ(f.scattered(), 0u);
}

template <class Case>
class CrsdOn : public SpaceTest<Case> {
 protected:
  using S = typename Case::Space;
  using V = typename Case::T;

  Crsd<S, V> make(const Csr<V>& a) const {
    const Structure s = analyse(Host(), a.view());
    const Machine m = machine_of(this->space());
    return Crsd<S, V>(this->space(), SpaceCsr<S, V>(this->space(), a.view()), PlanInput{s, m});
  }

  void expect_product(const Csr<V>& a) const {
    const Crsd<S, V> f = make(a);
    const auto x = random_vector<V>(a.cols, 2), y = random_vector<V>(a.rows, 3);
    const auto in = this->put(x);
    auto out = this->put(y);
    f.apply(V(2.5), in, V{-1}, out);
    EXPECT_EQ(difference(out.download(), reference_product(a.view(), V(2.5), x, V{-1}, y)), "");
  }
};

TYPED_TEST_SUITE(CrsdOn, EverySpace, SpaceNames);

TYPED_TEST(CrsdOn, MultipliesMoreAdjacentDiagonalsThanAWarpTakesAtOnce) {
  using T = typename TypeParam::T;
  for (const Index half : {15, 16, 40}) {
    SCOPED_TRACE(half);
    this->expect_product(stencil<T>(301, 301, half, 4));
    this->expect_product(stencil<T>(301, 250, half, 5));
  }
}

TYPED_TEST(CrsdOn, MultipliesScatteredRowsAmongSegments) {
  using T = typename TypeParam::T;
  std::vector<std::pair<Index, Index>> others;
  for (Index k = 0; k < 90; ++k) others.push_back({13 * k, (577 * k + 300) % 1200});
  const Csr<T> a = numbered<T>(1200, {-40, -1, 0, 1, 40}, others);
  ASSERT_GT(this->make(a).scattered(), 40u);
  ASSERT_LT(this->make(a).scattered(), 120u);

  this->expect_product(a);
}

TYPED_TEST(CrsdOn, ScatteredRowsKeepNanToThemselves) {
  using T = typename TypeParam::T;
  const Csr<T> a = numbered<T>(64, {0, 1}, {{10, 60}});
  const auto f = this->make(a);
  std::vector<T> x(64, T{1});
  x[60] = std::numeric_limits<T>::quiet_NaN();
  const auto in = this->put(x);
  auto out = this->put(std::vector<T>(64, std::numeric_limits<T>::quiet_NaN()));

  f.apply(T{1}, in, T{0}, out);

  const std::vector<T> y = out.download();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i == 10 || i == 59 || i == 60) << i;
}

}  // namespace
}  // namespace ostinato::test
