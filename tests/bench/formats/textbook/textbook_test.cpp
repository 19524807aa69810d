// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/bench/formats/block_rows.hpp>
#include <ostinato/bench/formats/textbook/bsr.hpp>
#include <ostinato/bench/formats/textbook/coo.hpp>
#include <ostinato/bench/formats/textbook/ell.hpp>
#include <ostinato/bench/formats/textbook/hdi.hpp>
#include <ostinato/bench/formats/textbook/hyb.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/shared_matrices.hpp"
#include "support/spaces.hpp"

// What is special to each of the textbook formats; what they share with all formats is in
// tests/spmv/formats/format_conformance_test.cpp.

namespace ostinato::test {
namespace {

using formats::BlockRows;
using formats::Bsr;
using formats::Coo;
using formats::Ell;
using formats::Hdi;
using formats::Hyb;

template <class Case>
class Textbook : public SpaceTest<Case> {
 protected:
  using S = typename Case::Space;
  using V = typename Case::T;

  using BsrParameters = typename Bsr<S, V>::Parameters;

  template <template <class, class> class F, class... P>
  F<S, V> make(const Csr<V>& a, const P&... parameters) const {
    const Structure s = analyse(Host(), a.view());
    const Machine m = machine_of(this->space());
    return F<S, V>(this->space(), SpaceCsr<S, V>(this->space(), a.view()), PlanInput{s, m}, parameters...);
  }

  template <class F>
  std::vector<V> product(const F& f, Index rows, const std::vector<V>& x) const {
    const auto dx = this->put(x);
    auto dy = this->put(std::vector<V>(static_cast<std::size_t>(rows), std::numeric_limits<V>::quiet_NaN()));
    f.apply(V{1}, dx, V{0}, dy);
    return dy.download();
  }

  /// Rows of two and of one entry, so that each format pads; row 0 doesn't read x(2), and no other row reads x(3).
  static Csr<V> uneven() {
    return dense<V>({{1, 0, 0, 0, 0}, {0, 1, 2, 0, 0}, {0, 0, 0, 3, 0}, {0, 0, 1, 0, 2}, {1, 1, 0, 0, 0}});
  }

  template <class F>
  void expect_infinity_stays(const F& f) const {
    const V infinite = std::numeric_limits<V>::infinity();
    EXPECT_EQ(product(f, 5, {1, 1, infinite, 1, 1}), (std::vector<V>{1, infinite, 3, infinite, 2})) << F::name;
    EXPECT_EQ(product(f, 5, {infinite, 1, 1, 1, 1}), (std::vector<V>{infinite, 3, 3, 3, infinite})) << F::name;
  }
};

TYPED_TEST_SUITE(Textbook, EverySpace, SpaceNames);

TYPED_TEST(Textbook, PaddingNeverMeetsAnInfiniteX) {
  using T = typename TypeParam::T;
  const Csr<T> a = this->uneven();

  this->expect_infinity_stays(this->template make<Ell>(a));
  this->expect_infinity_stays(this->template make<Hyb>(a));
  for (const int block : {2, 3, 4, 5, 6, 8})
    this->expect_infinity_stays(this->template make<Bsr>(a, typename TestFixture::BsrParameters{block}));
}

TYPED_TEST(Textbook, EllRefusesTwiceTheEntriesInPadding) {
  using T = typename TypeParam::T;
  const Csr<T> skewed = with_dense_row<T>(597, 597, 3, 1);

  const std::string refused = message_of<ArgumentError>([&] { this->template make<Ell>(skewed).bytes(); });

  EXPECT_NE(refused.find("597"), std::string::npos) << refused;
}

TYPED_TEST(Textbook, HybIsAsWideAsAThirdOfTheRowsAreLong) {
  using T = typename TypeParam::T;
  const Csr<T> third = dense<T>({{1, 1, 1}, {1, 0, 0}, {0, 0, 1}});
  const Csr<T> less = dense<T>({{1, 1, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}});

  const auto wide = this->template make<Hyb>(third), narrow = this->template make<Hyb>(less);

  EXPECT_EQ(wide.width(), 3);
  EXPECT_EQ(narrow.width(), 1);
  EXPECT_EQ(this->product(narrow, 4, {1, 2, 4}), (std::vector<T>{7, 1, 4, 2}));
}

TYPED_TEST(Textbook, CooAddsRowsOverManyChunksUp) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  const std::vector<Index> lengths = {1, 511, 512, 512, 0, 2000, 31, 1, 0, 513, 1024, 1};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (Index j = 0; j < lengths[i]; ++j) triplets.push_back({static_cast<Index>(i), j, 1});
  }
  const Csr<T> a = from_triplets<T>(12, 2000, triplets);
  const auto f = this->template make<Coo>(a);

  const auto y = this->product(f, 12, std::vector<T>(2000, T{1}));

  EXPECT_EQ(y, std::vector<T>(lengths.begin(), lengths.end()));
}

TYPED_TEST(Textbook, BlocksAreSortedWithinTheirBlockRow) {
  using T = typename TypeParam::T;
  const Csr<T> a = dense<T>({{0, 0, 0, 0, 1}, {1, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 1, 1, 0}});
  const SpaceCsr<typename TypeParam::Space, T> matrix(this->space(), a.view());

  const BlockRows blocks(this->space(), matrix.view(), {2, 3});

  EXPECT_EQ(blocks.blocks, 4);
  EXPECT_EQ(blocks.row_ptr.download(), (std::vector<Offset>{0, 2, 2, 4}));
  EXPECT_EQ(blocks.col.download(), (std::vector<Index>{0, 1, 0, 1}));
}

TEST(BlockRows, EveryEntryKnowsItsBlock) {
  const Host host;
  for (const Sample<double>& sample : every_sample<double>()) {
    SCOPED_TRACE(sample.name);
    const Csr<double>& a = sample.matrix;
    for (const formats::BlockSize size : {formats::BlockSize{1, 4}, {3, 2}, {4, 1}}) {
      const BlockRows blocks(host, a.view(), size);
      std::vector<bool> used(static_cast<std::size_t>(blocks.blocks));
      for (Index i = 0; i < a.rows; ++i) {
        const Index block_row = i / size.height;
        for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
          const Index j = a.col[static_cast<std::size_t>(k)];
          const Offset block = blocks.order(a.view()).number(i, k);
          ASSERT_GE(block, blocks.row_ptr.data()[block_row]);
          ASSERT_LT(block, blocks.row_ptr.data()[block_row + 1]);
          ASSERT_EQ(blocks.col.data()[block], j / size.width);
          used[static_cast<std::size_t>(block)] = true;
        }
      }
      EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
    }
  }
}

TEST(BlockRows, TellsBlocksApartUpToTheLastColumn) {
  const Index last = std::numeric_limits<Index>::max() - 1;
  Csr<double> a;
  a.rows = 2;
  a.cols = last + 1;
  a.row_ptr = {0, 1, 2};
  a.col = {last - 1, last};
  a.val = {1, 2};

  const BlockRows blocks(Host(), a.view(), {2, 4});

  EXPECT_EQ(blocks.blocks, 1);
  EXPECT_EQ(blocks.col.download(), (std::vector<Index>{last / 4}));
}

TYPED_TEST(Textbook, BsrCountsBlocksThatHoldAnEntry) {
  using T = typename TypeParam::T;
  const Csr<T> a = this->uneven();

  EXPECT_EQ(this->template make<Bsr>(a, typename TestFixture::BsrParameters{2}).blocks(), 5);
  EXPECT_EQ(this->template make<Bsr>(a, typename TestFixture::BsrParameters{3}).blocks(), 4);
  EXPECT_EQ(this->template make<Bsr>(a, typename TestFixture::BsrParameters{8}).blocks(), 1);
}

TYPED_TEST(Textbook, BsrMultipliesPastTheEdges) {
  using T = typename TypeParam::T;
  const Csr<T> a = stencil<T>(595, 599, 2, 40);
  const auto x = random_vector<T>(599, 41);
  for (const int block : {2, 3}) {
    SCOPED_TRACE(block);
    const auto y = this->product(this->template make<Bsr>(a, typename TestFixture::BsrParameters{block}), 595, x);

    EXPECT_EQ(difference(y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
  }
}

TEST(Bsr, ReadsItsParameter) {
  using Parameters = Bsr<Host, double>::Parameters;

  EXPECT_EQ(Parameters::parse("").block, 2);
  EXPECT_EQ(Parameters::parse("block=5").block, 5);
  EXPECT_EQ(Parameters::parse(Parameters{6}.text()).block, 6);
  EXPECT_NE(message_of<ArgumentError>([] { Parameters::parse("block=7"); }).find("bsr"), std::string::npos);
  EXPECT_NE(message_of<ArgumentError>([] { Parameters::parse("blocks=2"); }).find("blocks"), std::string::npos);
}

TYPED_TEST(Textbook, HdiStoresTheDiagonalsOfEachGroup) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets = {{0, 0, 1}, {1, 2, 1}, {255, 255, 1}, {256, 256, 1}, {257, 250, 1}, {258, 252, 1}};

  const auto f = this->template make<Hdi>(from_triplets<T>(260, 260, triplets));

  EXPECT_EQ(f.slots(), 256u * 2 + 4 * 3);  // diagonals 0 and 1 in the first group; -7, -6 and 0 in the second
}

/// Table 6 of the DIA-Adaptive paper: 7,376 padded zeros, with groups of 256 rows. The last group ends at the last row.
TEST(Hdi, PadsWang3OfSharedMatricesAsMuchAsPublished) {
  const auto wang3 = shared_matrices([](const auto& e) { return e.name == "wang3"; });
  if (wang3.empty()) GTEST_SKIP() << "no shared matrices";
  const Csr<double> a = read<double>(wang3.front());
  const Host host;

  const Structure s = analyse(host, a.view());
  const Machine m = machine_of(host);

  const Hdi<Host, double> f(host, SpaceCsr<Host, double>(host, a.view()), PlanInput{s, m});

  EXPECT_EQ(static_cast<Offset>(f.slots()) - a.nonzeros(), 7376);
}

}  // namespace
}  // namespace ostinato::test
