// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cmrs/cmrs.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// What is special to compressed multi-row storage. The rest is in format_conformance_test.cpp.

namespace ostinato::test {
namespace {

using formats::Cmrs;
using formats::CmrsCode;
using formats::CmrsMatrix;
using formats::CmrsParameters;
using formats::CmrsPlace;
using formats::CmrsShape;

/// Approximate constants of an NVIDIA H200.
const Machine gpu{4.2e12, 2.5e-6, 0.7e-6, 1.75e-12, std::size_t{50} << 20, true, 0, 5.1e-12, 1.5};

/// The example matrix of the CMRS paper.
template <class T>
Csr<T> paper_matrix() {
  return dense<T>({{1, 0, 0, 2, 0}, {0, 3, 0, 0, 4}, {0, 0, 5, 0, 6}, {0, 0, 7, 8, 9}, {0, 0, 0, 0, 10}});
}

const std::vector<CmrsParameters>& every_parameters() {
  static const std::vector<CmrsParameters> all = [] {
    std::vector<CmrsParameters> made;
    for (const int height : {1, 2, 4, 6, 8, 12, 16}) {
      for (const int align : {0, 1}) made.push_back({.height = height, .block = height < 8 ? 64 : 256, .align = align});
    }
    made.push_back({.height = 16, .version = 2});
    return made;
  }();
  return all;
}

/// The slots of a CMRS matrix in host memory.
template <class T>
struct Stored {
  std::vector<Offset> strip_ptr;
  std::vector<CmrsPlace> place;
  std::vector<T> val;

  template <class Space>
  explicit Stored(const CmrsMatrix<Space, T>& m) : strip_ptr(m.strip_ptr.download()), val(m.val.download()) {
    const auto word = m.word.download();
    const auto row = m.row.download();
    for (std::size_t k = 0; k < word.size(); ++k)
      place.push_back(m.shape.packed ? CmrsCode::unpack(word[k]) : CmrsCode::join(word[k], row[k]));
  }

  std::vector<Index> cols() const {
    std::vector<Index> out;
    for (const CmrsPlace& p : place) out.push_back(p.col);
    return out;
  }
  std::vector<int> rows() const {
    std::vector<int> out;
    for (const CmrsPlace& p : place) out.push_back(p.row);
    return out;
  }
};

template <class T>
void expect_same_matrix(const Csr<T>& got, const Csr<T>& want) {
  EXPECT_EQ(got.rows, want.rows);
  EXPECT_EQ(got.cols, want.cols);
  EXPECT_EQ(got.row_ptr, want.row_ptr);
  EXPECT_EQ(got.col, want.col);
  EXPECT_EQ(got.val, want.val);
}

template <class Case>
class CmrsFormat : public SpaceTest<Case> {
 protected:
  using V = typename Case::T;
  using S = typename Case::Space;
  using Packed = Cmrs<S, V>;
  using Wide = Cmrs<S, V, Index{3}>;  ///< the wide layout, used from 3 columns on instead of 2^28

  template <class F = Packed>
  F make(const Csr<V>& a, const CmrsParameters& p) const {
    const Structure s = analyse(Host(), a.view());
    return F(this->space(), SpaceCsr<S, V>(this->space(), a.view()), PlanInput{s, gpu}, p);
  }

  template <class F>
  std::vector<V> product(const F& f, V alpha, const std::vector<V>& x, V beta, const std::vector<V>& y) const {
    const auto dx = this->put(x);
    auto dy = this->put(y);
    f.apply(alpha, dx, beta, dy);
    return dy.download();
  }
};

TYPED_TEST_SUITE(CmrsFormat, EverySpace, SpaceNames);

TYPED_TEST(CmrsFormat, SortsStripsAsThePaperDoes) {
  using T = typename TypeParam::T;
  const auto format = this->make(paper_matrix<T>(), {.height = 2});

  const Stored<T> stored(format.matrix());

  EXPECT_EQ(stored.strip_ptr, (std::vector<Offset>{0, 4, 9, 10}));
  EXPECT_EQ(stored.cols(), (std::vector<Index>{0, 1, 3, 4, 2, 2, 3, 4, 4, 4}));
  EXPECT_EQ(stored.rows(), (std::vector<int>{0, 1, 0, 1, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(stored.val, (std::vector<T>{1, 3, 2, 4, 5, 7, 8, 6, 9, 10}));
  EXPECT_EQ(format.matrix().row.size(), 0u);
}

TYPED_TEST(CmrsFormat, KeepsRowsInBytesWhenColumnsNeedAllBits) {
  using T = typename TypeParam::T;
  const auto packed = this->make(paper_matrix<T>(), {.height = 2});
  const auto wide = this->template make<typename TestFixture::Wide>(paper_matrix<T>(), {.height = 2});

  EXPECT_EQ(wide.matrix().row.size(), 10u);
  EXPECT_EQ(Stored<T>(wide.matrix()).cols(), Stored<T>(packed.matrix()).cols());
  EXPECT_EQ(Stored<T>(wide.matrix()).rows(), Stored<T>(packed.matrix()).rows());
}

TYPED_TEST(CmrsFormat, TellsTheLastColumnsFromPadding) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  constexpr Index first_wide = Index{1} << 28;
  for (const Index cols : {first_wide - 1, first_wide, first_wide + 1}) {
    const Csr<T> a =
        from_triplets<T>(17, cols, std::vector<Triplet<T>>{{0, 3, 1}, {15, cols - 1, 2}, {16, cols - 1, 3}});
    for (const CmrsParameters& p : every_parameters()) {
      SCOPED_TRACE(std::to_string(cols) + " " + p.text());
      const Cmrs<Space, T> format(this->space(), SpaceCsr<Space, T>(this->space(), a.view()), PlanInput{{}, gpu}, p);

      EXPECT_EQ(format.matrix().shape.packed, cols < first_wide);
      expect_same_matrix(format.to_csr(), a);
    }
  }
}

TYPED_TEST(CmrsFormat, AlignedStripsEndInSlotsOfNoRow) {
  using T = typename TypeParam::T;
  const Csr<T> a = paper_matrix<T>();

  const Stored<T> stored(this->make(a, {.height = 4, .align = 1}).matrix());

  EXPECT_EQ(stored.strip_ptr, (std::vector<Offset>{0, 32, 64}));
  const auto rows = stored.rows();
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(rows[k] < 0, k % 32 >= (k < 32 ? 9u : 1u)) << k;
}

/// Checks that each group of 32 slots holds at most 8 entries of a row, and holds them next to each other.
template <class T>
void expect_dealt(const Stored<T>& stored) {
  ASSERT_EQ(stored.place.size() % 32, 0u);
  for (std::size_t begin = 0; begin < stored.place.size(); begin += 32) {
    std::map<int, std::size_t> last, count;
    for (std::size_t k = begin; k < begin + 32; ++k) {
      const int row = stored.place[k].row;
      if (row < 0) continue;
      EXPECT_TRUE(count[row]++ == 0 || last[row] == k - 1) << "row " << row << " in group " << begin / 32;
      last[row] = k;
    }
    for (const auto& [row, entries] : count) EXPECT_LE(entries, 8u) << "row " << row << " in group " << begin / 32;
  }
}

TYPED_TEST(CmrsFormat, SecondVersionHasAtMostEightOfARowInAGroup) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);

    const Stored<T> stored(this->make(sample.matrix, {.height = 16, .version = 2}).matrix());

    expect_dealt(stored);
    for (const Offset at : stored.strip_ptr) EXPECT_EQ(at % 32, 0);
  }
}

TYPED_TEST(CmrsFormat, SecondVersionPadsOnlyWhatItMust) {
  using T = typename TypeParam::T;
  const Csr<T> even = stencil<T>(512, 512, 5, 1);  // up to 5 entries a row: 78 to 80 in a strip of 16 rows
  const Csr<T> uneven = with_dense_row<T>(16, 640, 7, 2);

  const Stored<T> short_rows(this->make(even, {.height = 16, .version = 2}).matrix());
  const Stored<T> long_row(this->make(uneven, {.height = 16, .version = 2}).matrix());

  EXPECT_EQ(short_rows.place.size(), 512u / 16 * 96);
  EXPECT_EQ(long_row.place.size(), 640u / 8 * 32);
}

TYPED_TEST(CmrsFormat, ComesBackAsItWasGiven) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    for (const CmrsParameters& p : every_parameters()) {
      SCOPED_TRACE(sample.name + " " + p.text());

      expect_same_matrix(this->make(sample.matrix, p).to_csr(), sample.matrix);
    }
  }
}

TYPED_TEST(CmrsFormat, MultipliesWithAllParameters) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    const Csr<T>& a = sample.matrix;
    const auto x = random_vector<T>(a.cols, 41), y = random_vector<T>(a.rows, 42);
    const auto reference = reference_product(a.view(), T(2.5), x, T{-1}, y);
    for (const CmrsParameters& p : every_parameters()) {
      SCOPED_TRACE(sample.name + " " + p.text());
      const auto format = this->make(a, p);
      const auto wide = this->template make<typename TestFixture::Wide>(a, p);

      const auto got = this->product(format, T(2.5), x, T{-1}, y);

      EXPECT_EQ(difference(got, reference), "");
      EXPECT_TRUE(same_bits(got, this->product(format, T(2.5), x, T{-1}, y)));
      EXPECT_TRUE(same_bits(got, this->product(wide, T(2.5), x, T{-1}, y)));
    }
  }
}

TYPED_TEST(CmrsFormat, InfinityInXReachesOnlyTheRowsThatReadIt) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_dense_row<T>(100, 100, 50, 3);
  const std::vector<T> x(100, std::numeric_limits<T>::infinity());
  const std::vector<T> nan(100, std::numeric_limits<T>::quiet_NaN());
  for (const CmrsParameters& p : every_parameters()) {
    SCOPED_TRACE(p.text());
    Csr<T> positive = a;
    for (T& v : positive.val) v = std::abs(v) + 1;

    const auto y = this->product(this->make(positive, p), T{1}, x, T{0}, nan);

    for (const T value : y) EXPECT_EQ(value, std::numeric_limits<T>::infinity());
  }
}

TYPED_TEST(CmrsFormat, TakesNewValuesInEveryLayout) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_dense_row<T>(1000, 300, 500, 4);
  Csr<T> changed = a;
  for (T& v : changed.val) v = 3 * v + 1;
  for (const CmrsParameters& p : every_parameters()) {
    SCOPED_TRACE(p.text());
    auto format = this->make(a, p);
    const auto before = format.bytes();

    format.update_values(SpaceCsr<typename TypeParam::Space, T>(this->space(), changed.view()));

    EXPECT_EQ(format.bytes(), before);
    expect_same_matrix(format.to_csr(), changed);
  }
}

TYPED_TEST(CmrsFormat, RefusesParametersOfNoKernel) {
  using T = typename TypeParam::T;
  const Csr<T> a = paper_matrix<T>();

  const auto height = message_of<ArgumentError>([&] { this->make(a, {.height = 3}); });
  const auto block = message_of<ArgumentError>([&] { this->make(a, {.block = 48}); });

  EXPECT_NE(height.find("height is 3"), std::string::npos) << height;
  EXPECT_NE(block.find("block is 48"), std::string::npos) << block;
}

TYPED_TEST(CmrsFormat, PredictsBytesOfEveryVariant) {
  using T = typename TypeParam::T;
  using Format = typename TestFixture::Packed;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    const Structure s = analyse(Host(), sample.matrix.view());
    const PlanInput in{s, gpu};
    for (const CmrsParameters& p : Format::variants(in)) {
      SCOPED_TRACE(sample.name + " " + p.text());
      const double predicted = static_cast<double>(Format::cost(in, p).bytes);
      const double taken = static_cast<double>(this->make(sample.matrix, p).bytes());

      EXPECT_LE(taken, 2 * predicted + 4096);
      EXPECT_GE(taken, 0.5 * predicted - 4096);
    }
  }
}

TYPED_TEST(CmrsFormat, ExpectsALongRowToTakeLong) {
  using Format = typename TestFixture::Packed;
  Structure even;
  even.rows = even.cols = 1000000;
  even.nonzeros = 10000000;
  even.mean_row = even.longest_row = 10;
  Structure uneven = even;
  uneven.longest_row = 1000000;

  const PlanInput short_rows{even, gpu}, long_row{uneven, gpu};
  for (const CmrsParameters& p : Format::variants(short_rows))
    EXPECT_GT(Format::cost(long_row, p).seconds, 2 * Format::cost(short_rows, p).seconds) << p.text();
}

TEST(CmrsParameters, AreReadFromTheirText) {
  for (const CmrsParameters& p : every_parameters()) EXPECT_EQ(CmrsParameters::parse(p.text()), p) << p.text();
  EXPECT_EQ(CmrsParameters::parse(""), CmrsParameters{});
  EXPECT_EQ(CmrsParameters::parse("version=2"), (CmrsParameters{.height = 16, .version = 2}));
  EXPECT_EQ((CmrsParameters{.height = 8, .align = 1}).text(), "height=8,version=1,block=128,align=1");
}

TEST(CmrsParameters, NameTheKeyAndItsValuesWhenRefused) {
  const auto refused = [](const char* text) { return message_of<ArgumentError>([&] { CmrsParameters::parse(text); }); };

  EXPECT_NE(refused("height=5").find("1, 2, 4, 6, 8, 12 or 16"), std::string::npos);
  EXPECT_NE(refused("version=2,height=8").find("cmrs: height"), std::string::npos);
  EXPECT_NE(refused("version=3").find("version"), std::string::npos);
  EXPECT_NE(refused("threads=3").find("threads"), std::string::npos);
}

}  // namespace
}  // namespace ostinato::test
