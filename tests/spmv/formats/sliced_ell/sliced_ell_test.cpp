// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <ostinato/spmv/formats/sliced_ell/sliced_ell.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// What is special to sliced ELL; what it shares with all formats is in format_conformance_test.cpp.

namespace ostinato::test {
namespace {

template <class Case>
class SlicedEllOn : public SpaceTest<Case> {
 protected:
  using S = typename Case::Space;
  using V = typename Case::T;
  using Format = formats::SlicedEll<S, V>;

  Format make(const Csr<V>& a) const {
    const Structure s = analyse(Host(), a.view());
    const Machine m = machine_of(this->space());
    return Format(this->space(), SpaceCsr<S, V>(this->space(), a.view()), PlanInput{s, m});
  }

  std::vector<V> product(const Format& f, Index rows, const std::vector<V>& x) const {
    const auto dx = this->put(x);
    auto dy = this->put(std::vector<V>(static_cast<std::size_t>(rows), std::numeric_limits<V>::quiet_NaN()));
    f.apply(V{1}, dx, V{0}, dy);
    return dy.download();
  }

  /// Rows of two and of one entry, so that the format pads; row 0 doesn't read x(2), and no row but row 2 reads x(3).
  static Csr<V> uneven() {
    return dense<V>({{1, 0, 0, 0, 0}, {0, 1, 2, 0, 0}, {0, 0, 0, 3, 0}, {0, 0, 1, 0, 2}, {1, 1, 0, 0, 0}});
  }
};

TYPED_TEST_SUITE(SlicedEllOn, EverySpace, SpaceNames);

TYPED_TEST(SlicedEllOn, PaddingNeverMeetsAnInfiniteX) {
  using T = typename TypeParam::T;
  const T infinite = std::numeric_limits<T>::infinity();
  const auto f = this->make(this->uneven());

  EXPECT_EQ(this->product(f, 5, {1, 1, infinite, 1, 1}), (std::vector<T>{1, infinite, 3, infinite, 2}));
  EXPECT_EQ(this->product(f, 5, {infinite, 1, 1, 1, 1}), (std::vector<T>{infinite, 3, 3, 3, infinite}));
}

TYPED_TEST(SlicedEllOn, SlicesAreAsWideAsTheirLongestRow) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index j = 0; j < 5; ++j) triplets.push_back({7, j, 1});
  for (Index j = 0; j < 2; ++j) triplets.push_back({32, j, 1});

  const auto f = this->make(from_triplets<T>(65, 5, triplets));

  EXPECT_EQ(f.slots(), 32u * (5 + 2 + 0));
  EXPECT_EQ(f.bytes(), f.slots() * (sizeof(T) + 2) + 4 * sizeof(Offset));
}

TYPED_TEST(SlicedEllOn, ColumnsTakeTwoBytesUpToADistanceOf32767) {
  using T = typename TypeParam::T;
  const auto column_bytes = [&](Index row, Index col) {
    const Csr<T> a = from_triplets<T>(32769, 32769, std::vector<Triplet<T>>{{row, col, 2}, {5, 5, 1}});
    const auto f = this->make(a);
    std::vector<T> x(32769, T{1}), wanted(32769, T{0});
    wanted[static_cast<std::size_t>(row)] = 2;
    wanted[5] += 1;
    EXPECT_EQ(this->product(f, 32769, x), wanted) << row << " " << col;
    return f.column_bytes();
  };

  EXPECT_EQ(column_bytes(0, 32767), 2u);
  EXPECT_EQ(column_bytes(32767, 0), 2u);
  EXPECT_EQ(column_bytes(0, 32768), 4u);
  EXPECT_EQ(column_bytes(32768, 0), 4u);
}

TYPED_TEST(SlicedEllOn, TakesResidualAndNormInOnePass) {
  using T = typename TypeParam::T;
  const auto f = this->make(this->uneven());
  const auto x = this->put(std::vector<T>{1, 2, 3, 4, 5}), b = this->put(std::vector<T>{2, 8, 10, 10, 5});
  auto r = this->put(std::vector<T>(5, std::numeric_limits<T>::quiet_NaN()));
  auto slot = this->template put<double>({-1});

  f.residual(x, b, r, slot.data());

  EXPECT_EQ(r.download(), (std::vector<T>{1, 0, -2, -3, 2}));
  EXPECT_EQ(slot.download()[0], 18);
}

}  // namespace
}  // namespace ostinato::test
