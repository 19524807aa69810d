// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo/bccoo.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
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
using formats::BccooValues;
using formats::BccooView;

/// Tests the BCCOO storage directly, without the selection of formats.
template <class Case>
class Bccoo : public SpaceTest<Case> {
 protected:
  using V = typename Case::T;
  using Space = typename Case::Space;
  using Store = BccooStore<Space, V>;

  Store stored(const Csr<V>& a, const BccooShape& shape, BccooValues values = BccooValues::whole) const {
    const SpaceCsr<Space, V> matrix(this->space(), a.view());
    const Profile profile = take_profile(this->space(), matrix.view());
    return Store(this->space(), matrix.view(), shape, values, profile.different);
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

  /// Empty when the product with `shape` is right on every sample, with beta = 0 and with beta = -1. Otherwise names
  /// the first sample that fails.
  std::string fault(const BccooShape& shape) const {
    for (const Sample<V>& sample : every_sample<V, typename Case::Space>()) {
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

  /// Empty when storing the `values` different values of `a` as codes gives the same bits and saves the expected bytes:
  /// all but one byte of each slot, less the table of values.
  std::string fault_of_codes(const Csr<V>& a, const BccooShape& shape, int values) const {
    const Store whole = stored(a, shape), coded = stored(a, shape, BccooValues::coded);
    if (coded.view().values != BccooValues::coded) return "not coded";
    const Offset slots = whole.view().groups * whole.view().shape.blocks_of_group() * shape.area();
    const Offset saved = slots * (Offset{sizeof(V)} - 1) - values * Offset{sizeof(V)};
    if (coded.bytes() + static_cast<std::size_t>(saved) != whole.bytes()) return "bytes";
    const auto x = random_vector<V>(a.cols, 21), y = random_vector<V>(a.rows, 22);
    const auto of = [&](const Store& store) { return product(store, x, V(2.5), V{-1}, y); };
    return same_bits(of(whole), of(coded)) && same_bits(product(whole, a, x), product(coded, a, x)) ? "" : "bits";
  }

  /// Copies an array of a view to host memory.
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

/// The pattern of `a` with `count` different values. With `zeros`, 0 and -0 are the first two.
template <class T>
Csr<T> with_values(Csr<T> a, int count, bool zeros) {
  for (std::size_t k = 0; k < a.val.size(); ++k) {
    const int n = static_cast<int>((7 * k) % static_cast<std::size_t>(count));
    a.val[k] = static_cast<T>(n % 2 == 0 ? n + 1 : -n - 1) / T{3};
    if (zeros && n < 2) a.val[k] = n == 0 ? T{0} : -T{0};
  }
  return a;
}

TYPED_TEST_SUITE(Bccoo, EverySpace, SpaceNames);

TYPED_TEST(Bccoo, StoresThePaperssMatrixAsThePaperDoes) {
  using T = typename TypeParam::T;
  const Csr<T> a = dense<T>(
      {{0, 0, 1, 0, 0, 0, 2, 3}, {0, 0, 4, 5, 0, 0, 6, 0}, {0, 0, 0, 0, 7, 8, 9, 10}, {11, 12, 0, 0, 13, 14, 15, 16}});

  const auto store = this->stored(a, Shape{.height = 2, .width = 2, .tile = 8, .threads = 1});

  const BccooView<T> v = store.view();
  ASSERT_EQ(v.blocks, 5);
  EXPECT_EQ(v.results, 2);
  EXPECT_EQ(this->fetch(v.bits, 1)[0], ~0b10010u);  // Figure 3 of the paper: 1 0 1 1 0, then padding bits of 1
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
    EXPECT_EQ(this->fault(Shape{.threads = TypeParam::Space::has_streams ? 1024 : 64, .hot = hot}), "") << hot;
}

/// On a GPU a group has about 6,500 rows (32,768 blocks, 5 a row), more than the 3,392 results that fit in shared
/// memory beside the hot columns.
TYPED_TEST(Bccoo, MultipliesWithTheMostHotColumns) {
  using T = typename TypeParam::T;
  constexpr Index rows = 80000, cols = 100000;
  const bool device = TypeParam::Space::has_streams;
  const Index hot = device && machine_of(this->space()).shared_bytes < 170496 ? 8192 : 17408;
  std::vector<Triplet<T>> triplets;
  Random random(51);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < 4; ++k) triplets.push_back({i, (4 * i + k) % hot * 5, static_cast<T>(signed_unit(random))});
    triplets.push_back({i, i % 20000 * 5 + 1, static_cast<T>(signed_unit(random))});
  }
  const Csr<T> a = from_triplets<T>(rows, cols, triplets);
  const auto x = random_vector<T>(cols, 52);

  const auto store = this->stored(a, Shape{.tile = 32, .threads = device ? 1024 : 64, .cache = 3392, .hot = hot});

  ASSERT_EQ(store.view().shape.hot, hot);
  EXPECT_EQ(difference(this->product(store, a, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
}

TYPED_TEST(Bccoo, MultipliesWithWholeColumns) {
  EXPECT_EQ(this->fault(Shape{.compress = false}), "");
  EXPECT_EQ(this->fault(Shape{.height = 2, .width = 2, .compress = false}), "");
}

/// Groups have 512 blocks. Rows end in the middle of a group and at its end; long rows cover many groups.
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

  const auto whole = this->stored(a, Shape{}), narrow = this->stored(a, Shape{}, BccooValues::single);

  EXPECT_TRUE(same_bits(this->product(whole, a, x), this->product(narrow, a, x)));
  if (!is_single<T>) {
    EXPECT_LT(static_cast<double>(narrow.bytes()), 0.75 * static_cast<double>(whole.bytes()));
  }
}

TYPED_TEST(Bccoo, KeepsFewValuesAsCodesAndGivesTheSameBits) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered<T>(5000, 5000, 9, true, 18);
  const Shape hot = {.threads = TypeParam::Space::has_streams ? 1024 : 64, .hot = 4096};

  for (const int count : {1, 2, 3, 100, 255, 256}) {
    for (const bool zeros : {false, true}) {
      const Csr<T> coded = with_values(a, count, zeros);
      EXPECT_EQ(this->fault_of_codes(coded, Shape{}, count), "") << count;
      EXPECT_EQ(this->fault_of_codes(coded, Shape{.tile = 32, .threads = 256}, count), "") << count;
      EXPECT_EQ(this->fault_of_codes(coded, Shape{.slices = 4}, count), "") << count;
      EXPECT_EQ(this->fault_of_codes(coded, hot, count), "") << count;
    }
  }
}

TYPED_TEST(Bccoo, CodesValuesWhateverTheColumnsAre) {
  using T = typename TypeParam::T;
  EXPECT_EQ(this->fault_of_codes(with_values(with_dense_row<T>(3000, 40000, 1700, 14), 100, true), Shape{}, 100), "");
  for (const Index distance : {3, 300}) {  // column differences that fit in one byte, and in two
    const Csr<T> a = with_values(stencil<T>(100000, 100000, distance, 7), 100, true);
    EXPECT_EQ(this->fault_of_codes(a, Shape{}, 100), "") << distance;
    EXPECT_EQ(this->fault_of_codes(a, Shape{.tile = 128}, 100), "") << distance;
  }
}

TYPED_TEST(Bccoo, CodesThePaddingOfBlocks) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered<T>(2000, 2000, 9, true, 19);

  for (int height = 1; height <= 4; ++height) {
    for (int width = 1; width <= 4; ++width) {
      const Shape shape = {.height = height, .width = width, .threads = 128};
      const int padding = height * width > 1 ? 1 : 0;
      EXPECT_EQ(this->fault_of_codes(with_values(a, 17, false), shape, 17 + padding), "") << height << " x " << width;
      EXPECT_EQ(this->fault_of_codes(with_values(a, 17, true), shape, 17), "") << height << " x " << width;
    }
  }
}

TYPED_TEST(Bccoo, CodesNoMoreValuesThanAByteTellsApart) {
  using T = typename TypeParam::T;
  const Csr<T> a = scattered<T>(2000, 2000, 9, true, 20);
  const Shape blocks = {.height = 3, .width = 3};
  const auto values = [&](int count, bool zeros, const Shape& shape) {
    return this->stored(with_values(a, count, zeros), shape, BccooValues::coded).view().values;
  };

  EXPECT_EQ(values(257, false, Shape{}), BccooValues::whole);
  EXPECT_EQ(values(256, false, blocks), BccooValues::whole);
  EXPECT_EQ(this->fault_of_codes(with_values(a, 256, true), blocks, 256), "");
  EXPECT_EQ(this->fault_of_codes(with_values(a, 255, false), blocks, 256), "");
}

TYPED_TEST(Bccoo, FindsTheHotColumns) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 1000; ++i) {
    for (const Index j : {Index{3}, Index{500}, i}) triplets.push_back({i, j, T{1}});
  }
  const Csr<T> a = from_triplets<T>(1000, 1000, triplets);

  const auto store = this->stored(a, Shape{.threads = TypeParam::Space::has_streams ? 1024 : 64, .hot = 100});

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
  const int times = TypeParam::Space::has_streams ? 10000 : 100, look_every = TypeParam::Space::has_streams ? 500 : 1;

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
  const Csr<T> any = scattered<T>(600, 600, 9, true, 16);
  Csr<T> floats = any;
  for (T& v : floats.val) v = static_cast<T>(static_cast<float>(v));
  const auto dx = this->put(random_vector<T>(any.cols, 17));
  auto dy = this->put(std::vector<T>(static_cast<std::size_t>(any.rows)));
  const auto product = [&](const auto& op) {
    op.apply(T{1}, dx, T{0}, dy);
    return dy.download();
  };
  const FormatOptions options = {.format = "bccoo:threads=64", .compress = Compress::on};
  const auto made = [&](const Csr<T>& a) { return Operator<typename TypeParam::Space, T>(this->space(), a, options); };
  auto op = made(with_values(any, 2, false));

  for (const Csr<T>& next : {floats, any, with_values(any, 256, true), with_values(any, 3, false), any, floats}) {
    op.update_values(next);

    const auto anew = made(next);
    EXPECT_TRUE(same_bits(product(op), product(anew)));
    EXPECT_EQ(op.bytes(), anew.bytes());
    EXPECT_EQ(difference(product(op), reference_product(next.view(), T{1}, dx.download(), T{0}, {})), "");
  }
}

TYPED_TEST(Bccoo, ChoosesCodesWhenValuesAreFew) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_values(scattered<T>(3000, 3000, 9, true, 23), 256, false);
  const auto dx = this->put(random_vector<T>(a.cols, 24));
  auto dy = this->put(std::vector<T>(static_cast<std::size_t>(a.rows)));
  std::vector<std::vector<T>> results;
  std::vector<std::size_t> bytes;

  for (const char* format : {"bccoo:threads=64", "bccoo:threads=64,compress=0"}) {
    Operator<typename TypeParam::Space, T> op(this->space(), a, {.format = format, .compress = Compress::on});
    op.apply(T{1}, dx, T{0}, dy);
    results.push_back(dy.download());
    bytes.push_back(op.bytes());
  }

  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_LT(bytes[0] + a.val.size() * (sizeof(T) - 1), bytes[1] + 256 * sizeof(T));
}

const Machine& cpu() {
  static const Machine machine = machine_of(Host());
  return machine;
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
  for (const int hot : {8192, 16384, 17408}) {
    BccooParameters with_hot;
    with_hot.threads = 1024;
    with_hot.hot = hot;
    EXPECT_EQ(BccooParameters::parse("bccoo", with_hot.text("bccoo")), with_hot) << hot;
  }
}

TEST(BccooParameters, RefuseWhatDoesNotGoTogether) {
  const auto refused = [](const char* text) {
    return message_of<ArgumentError>([&] { BccooParameters::parse("bccoo", text); });
  };

  EXPECT_NE(refused("height=5").find("1, 2, 3 or 4"), std::string::npos);
  EXPECT_NE(refused("slices=2").find("unknown parameter 'slices'"), std::string::npos);
  EXPECT_NE(refused("height=2,hot=8192").find("1 x 1"), std::string::npos);
  EXPECT_NE(refused("threads=1024").find("hot"), std::string::npos);
}

TEST(BccooParameters, SayHowValuesAreStored) {
  BccooParameters cells, blocks, whole_columns;
  blocks.height = blocks.width = 3;
  whole_columns.compress = 0;
  const auto values = [](int distinct, bool single, const BccooParameters& p, Offset nonzeros = 100000) {
    Structure s;
    s.nonzeros = nonzeros;
    Profile profile;
    profile.distinct = distinct;
    profile.single = single;
    s.profile = std::make_shared<const Profile>(profile);
    return formats::bccoo_values({s, cpu()}, p, sizeof(double));
  };

  EXPECT_EQ(values(256, false, cells), BccooValues::coded);
  EXPECT_EQ(values(256, true, cells), BccooValues::coded);
  EXPECT_EQ(values(255, false, blocks), BccooValues::coded);
  EXPECT_EQ(values(256, false, blocks), BccooValues::whole) << "no code is left for padding";
  EXPECT_EQ(values(0, false, cells), BccooValues::whole);
  EXPECT_EQ(values(0, true, cells), BccooValues::single);
  EXPECT_EQ(values(1, true, whole_columns), BccooValues::single);
  EXPECT_EQ(values(7, false, cells, 8), BccooValues::whole) << "the table takes what codes save";
  EXPECT_EQ(values(7, false, cells, 9), BccooValues::coded);
}

TEST(BccooParameters, CountTheBytesOfCodes) {
  const Csr<double> ones = with_values(stencil<double>(20000, 20000, 3, 25), 1, false);
  const Structure s = analyse(Host(), ones.view());
  const PlanInput in{s, cpu()};
  const formats::Bccoo<Host, double>::Parameters p;

  const Cost cost = formats::bccoo_cost(in, p, sizeof(double));

  const formats::Bccoo<Host, double> built(Host(), SpaceCsr<Host, double>(Host(), ones.view()), in, p);
  EXPECT_NEAR(static_cast<double>(cost.bytes), static_cast<double>(built.bytes()),
              0.05 * static_cast<double>(cost.bytes));
}

TEST(BccooParameters, TakeAsManyHotColumnsAsSharedMemoryHolds) {
  Structure s;
  s.rows = s.cols = 1000000;
  s.nonzeros = 16000000;
  s.mean_row = 16;
  Profile profile;
  profile.hot[2] = 0.5;
  for (int h = 1; h <= 4; ++h) {
    for (int w = 1; w <= 4; ++w) profile.fill[h - 1][w - 1] = 1.0 / (h * w);  // one entry a block
  }
  s.profile = std::make_shared<const Profile>(profile);
  const auto chosen = [&](std::size_t kib) {
    Machine m = cpu();
    m.device = true;
    m.shared_bytes = kib * 1024;
    const BccooParameters p = formats::choose_bccoo({s, m}, sizeof(double), false);
    EXPECT_TRUE(formats::bccoo_cost({s, m}, p, sizeof(double)).applies()) << kib;
    return p.hot;
  };

  EXPECT_EQ(chosen(227), 17408);
  EXPECT_EQ(chosen(163), 16384);
  EXPECT_EQ(chosen(99), 8192);
  EXPECT_EQ(chosen(48), 0);
}

TEST(BccooParameters, ChooseTheBlocksOfTheMatrix) {
  const Csr<double> a = generate<double>("fem27", {.n = 12, .unknowns = 3});
  const Structure s = analyse(Host(), a.view());

  const BccooParameters p = formats::choose_bccoo({s, cpu()}, sizeof(double), false);

  EXPECT_EQ(p.height, 3);
  EXPECT_EQ(p.width, 3);
}

}  // namespace
}  // namespace ostinato::test
