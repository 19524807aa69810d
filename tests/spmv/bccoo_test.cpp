// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/generate.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

using formats::BccooColumns;
using formats::BccooParameters;
using formats::BccooShape;
using formats::BccooStore;
using formats::BccooView;

/// BCCOO as such, whatever the selection makes of it.
template <class Case>
class Bccoo : public SpaceTest<Case> {
 protected:
  using V = typename Case::T;
  using Space = typename Case::Space;
  using Store = BccooStore<Space, V>;

  Store stored(const Csr<V>& a, const BccooShape& shape, bool single = false) const {
    const Resident<Space, V> resident(this->space(), a.view());
    return Store(this->space(), resident.view(), shape, single);
  }

  std::vector<V> product(const Store& store, const std::vector<V>& x, V alpha, V beta, const std::vector<V>& y) const {
    const auto dx = this->put(x);
    auto dy = this->put(y);
    store.apply({alpha, dx.data(), beta, dy.data(), dy.data()});
    return dy.download();
  }

  std::vector<V> product(const Store& store, const Csr<V>& a, const std::vector<V>& x) const {
    const std::vector<V> unset(static_cast<std::size_t>(a.rows), std::numeric_limits<V>::quiet_NaN());
    return product(store, x, V{1}, V{0}, unset);
  }

  /// Empty when the product with the shape is right on every sample, with and without an old y; else says where not.
  std::string fault(const BccooShape& shape) const {
    for (const Sample<V>& sample : every_sample<V>()) {
      const Csr<V>& a = sample.matrix;
      const Store store = stored(a, shape);
      const auto x = random_vector<V>(a.cols, 41), y = random_vector<V>(a.rows, 42);
      const auto plain = difference(product(store, a, x), reference_product(a.view(), V{1}, x, V{0}, {}));
      if (!plain.empty()) return sample.name + ": " + plain;
      const auto scaled =
          difference(product(store, x, V(2.5), V{-1}, y), reference_product(a.view(), V(2.5), x, V{-1}, y));
      if (!scaled.empty()) return sample.name + ", alpha and beta: " + scaled;
    }
    return "";
  }

  /// An array of a view, in host memory.
  template <class Element>
  std::vector<Element> fetch(const Element* from, std::size_t count) const {
    std::vector<Element> host(count);
    this->space().download(host.data(), from, count * sizeof(Element));
    return host;
  }
};

struct Shape {
  int height = 1, width = 1, slices = 1, tile = 8, threads = 64, cache = 4096;
  Index hot = 0;
  bool compress = true;

  operator BccooShape() const { return {height, width, slices, tile, threads, cache, hot, compress}; }
};

TYPED_TEST_SUITE(Bccoo, EverySpace, SpaceNames);

TYPED_TEST(Bccoo, StoresThePaperssMatrixAsThePaperDoes) {
  using T = typename TypeParam::T;
  const Csr<T> a = dense<T>(
      {{0, 0, 1, 0, 0, 0, 2, 3}, {0, 0, 4, 5, 0, 0, 6, 0}, {0, 0, 0, 0, 7, 8, 9, 10}, {11, 12, 0, 0, 13, 14, 15, 16}});

  const auto store = this->stored(a, Shape{.height = 2, .width = 2, .tile = 8, .threads = 1});

  const BccooView<T> v = store.view();
  ASSERT_EQ(v.blocks, 5);
  EXPECT_EQ(v.results, 2);
  EXPECT_EQ(this->fetch(v.bits, 1)[0], ~0b10010u);  // Figure 3: 1 0 1 1 0, then padding of 1
  ASSERT_EQ(v.columns, BccooColumns::narrow);
  const auto col = this->fetch(static_cast<const std::uint16_t*>(v.col), 8);
  EXPECT_EQ(std::vector<int>(col.begin(), col.begin() + 5), (std::vector<int>{1, 3, 0, 2, 3}));
  EXPECT_EQ(this->fetch(static_cast<const T*>(v.val), 20),
            (std::vector<T>{1, 0, 4, 5, 2, 3, 6, 0, 0, 0, 11, 12, 7, 8, 13, 14, 9, 10, 15, 16}));
}

TYPED_TEST(Bccoo, MultipliesWithEveryBlockSize) {
  for (int height = 1; height <= 4; ++height) {
    for (int width = 1; width <= 4; ++width) {
      EXPECT_EQ(this->fault(Shape{.height = height, .width = width}), "") << height << " x " << width;
    }
  }
}

TYPED_TEST(Bccoo, MultipliesWithEveryTileAndWorkgroup) {
  for (const int tile : {8, 16, 32, 64, 128}) {
    EXPECT_EQ(this->fault(Shape{.tile = tile}), "") << "tile of " << tile;
    EXPECT_EQ(this->fault(Shape{.height = 3, .width = 3, .tile = tile, .threads = 128}), "") << "tile of " << tile;
  }
  for (const int threads : {128, 256, 512})
    EXPECT_EQ(this->fault(Shape{.threads = threads}), "") << threads << " threads";
}

TYPED_TEST(Bccoo, MultipliesWithEverySliceNumber) {
  for (const int slices : {2, 4, 8, 16, 32}) EXPECT_EQ(this->fault(Shape{.slices = slices}), "") << slices << " slices";
  for (const int slices : {2, 32})
    EXPECT_EQ(this->fault(Shape{.height = 2, .width = 4, .slices = slices}), "") << slices << " slices, blocks";
}

TYPED_TEST(Bccoo, StoresSumsWithAndWithoutRoomInTheCache) {
  for (const int cache : {0, 1, 7}) {
    EXPECT_EQ(this->fault(Shape{.cache = cache}), "") << "room for " << cache;
    EXPECT_EQ(this->fault(Shape{.height = 4, .width = 1, .cache = cache}), "") << "room for " << cache;
  }
}

TYPED_TEST(Bccoo, MultipliesWithHotColumns) {
  for (const Index hot : {1, 5, 4096})
    EXPECT_EQ(this->fault(Shape{.threads = TypeParam::Space::on_device ? 1024 : 64, .hot = hot}), "") << hot;
}

TYPED_TEST(Bccoo, MultipliesWithWholeColumns) {
  EXPECT_EQ(this->fault(Shape{.compress = false}), "");
  EXPECT_EQ(this->fault(Shape{.height = 2, .width = 2, .compress = false}), "");
}

/// Rows that end in the middle of a group, at its end, and rows over many groups, one after the other.
TYPED_TEST(Bccoo, JoinsRowsThatLieInSeveralGroups) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  const std::vector<Index> lengths = {512, 1024, 1, 511, 5000, 5000, 3, 20000, 512, 7, 512};
  Random random(5);
  for (Index i = 0; i < static_cast<Index>(lengths.size()); ++i) {
    for (Index j = 0; j < lengths[static_cast<std::size_t>(i)]; ++j)
      triplets.push_back({i, j, static_cast<T>(signed_unit(random))});
  }
  const Csr<T> a = from_triplets<T>(static_cast<Index>(lengths.size()), 20000, triplets);
  const auto x = random_vector<T>(a.cols, 6);

  const auto store = this->stored(a, Shape{.tile = 8, .threads = 64});

  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(difference(this->product(store, a, x), reference_product(a.view(), T{1}, x, T{0}, {})), "") << k;
}

TYPED_TEST(Bccoo, KeepsColumnsInFewBytesAndGivesTheSameBits) {
  using T = typename TypeParam::T;
  const Csr<T> band = stencil<T>(100000, 100000, 3, 7);
  Csr<T> wide = scattered<T>(3000, 300000, 9, true, 8);
  const auto check = [&](const Csr<T>& a, BccooColumns expected) {
    const auto x = random_vector<T>(a.cols, 9);
    const auto whole = this->stored(a, Shape{.compress = false}), small = this->stored(a, Shape{});
    EXPECT_EQ(small.view().columns, expected);
    EXPECT_TRUE(same_bits(this->product(whole, a, x), this->product(small, a, x)));
  };

  check(band, BccooColumns::byte);
  check(wide, BccooColumns::full);
  check(stencil<T>(100000, 100000, 300, 10), BccooColumns::difference);
  check(stencil<T>(60000, 60000, 300, 11), BccooColumns::narrow);
}

TYPED_TEST(Bccoo, KeepsValuesThatAreFloatsAsFloats) {
  using T = typename TypeParam::T;
  Csr<T> a = scattered<T>(5000, 5000, 9, true, 12);
  for (T& v : a.val) v = static_cast<T>(static_cast<float>(v));
  const auto x = random_vector<T>(a.cols, 13);

  const auto whole = this->stored(a, Shape{}), narrow = this->stored(a, Shape{}, true);

  EXPECT_TRUE(same_bits(this->product(whole, a, x), this->product(narrow, a, x)));
  if (sizeof(T) == 8) {
    EXPECT_LT(static_cast<double>(narrow.bytes()), 0.75 * static_cast<double>(whole.bytes()));
  }
}

TYPED_TEST(Bccoo, FindsTheHotColumns) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 1000; ++i) {
    for (const Index j : {Index{3}, Index{500}, i}) triplets.push_back({i, j, T{1}});
  }
  const Csr<T> a = from_triplets<T>(1000, 1000, triplets);

  const auto store = this->stored(a, Shape{.threads = TypeParam::Space::on_device ? 1024 : 64, .hot = 100});

  ASSERT_EQ(store.view().shape.hot, 2);
  EXPECT_EQ(this->fetch(store.view().hot_columns, 2), (std::vector<Index>{3, 500}));
}

TYPED_TEST(Bccoo, GivesTheSameBitsTenThousandTimes) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_dense_row<T>(3000, 40000, 1700, 14);
  const auto x = random_vector<T>(a.cols, 15);
  const auto store = this->stored(a, Shape{.tile = 8, .threads = 64});
  const auto dx = this->put(x);
  auto dy = this->put(std::vector<T>(static_cast<std::size_t>(a.rows)));
  const auto first = this->product(store, a, x);
  const int times = TypeParam::Space::on_device ? 10000 : 100, look_every = TypeParam::Space::on_device ? 500 : 1;

  for (int k = 0; k < times; ++k) {
    store.apply(plain_product<T>(dx.data(), dy.data()));
    if (k % look_every == 0) {
      ASSERT_TRUE(same_bits(first, dy.download())) << k;
    }
  }

  EXPECT_TRUE(same_bits(first, dy.download()));
}

TYPED_TEST(Bccoo, TakesValuesOfAnotherKind) {
  using T = typename TypeParam::T;
  Csr<T> a = scattered<T>(600, 600, 9, true, 16);
  const std::vector<T> values(a.val.begin(), a.val.end());
  for (T& v : a.val) v = v > 0 ? T{1} : T{-1};
  const auto x = random_vector<T>(a.cols, 17);
  Operator<typename TypeParam::Space, T> op(this->space(), a, {.format = "bccoo", .compress = Compress::on});
  std::copy(values.begin(), values.end(), a.val.begin());

  op.update_values(a);

  const auto dx = this->put(x);
  auto dy = this->put(std::vector<T>(static_cast<std::size_t>(a.rows)));
  op.apply(T{1}, dx, T{0}, dy);
  EXPECT_EQ(difference(dy.download(), reference_product(a.view(), T{1}, x, T{0}, {})), "");
}

TEST(BccooParameters, SurviveAsText) {
  BccooParameters p;
  p.height = 3;
  p.width = 2;
  p.tile = 64;
  p.strategy = 1;
  EXPECT_EQ(BccooParameters::parse("bccoo", p.text("bccoo")), p);
  p.slices = 8;
  EXPECT_EQ(BccooParameters::parse("bccoo-plus", p.text("bccoo-plus")), p);
}

TEST(BccooParameters, RefuseWhatDoesNotGoTogether) {
  const auto refused = [](const char* text) {
    return message_of<ArgumentError>([&] { BccooParameters::parse("bccoo", text); });
  };

  EXPECT_NE(refused("height=5").find("1, 2, 3, 4"), std::string::npos);
  EXPECT_NE(refused("slices=2").find("no parameter 'slices'"), std::string::npos);
  EXPECT_NE(refused("height=2,hot=4096").find("1 x 1"), std::string::npos);
  EXPECT_NE(refused("threads=1024").find("hot"), std::string::npos);
}

TEST(BccooParameters, ChooseTheBlocksOfTheMatrix) {
  const Csr<double> a = generate<double>("fem27", {.n = 12, .unknowns = 3});
  const Structure s = analyse(Host(), a.view());

  const BccooParameters p = formats::choose_bccoo(s, machine_of(Host()), sizeof(double), false);

  EXPECT_EQ(p.height, 3);
  EXPECT_EQ(p.width, 3);
}

}  // namespace
}  // namespace ostinato::test
