// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/profile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <future>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class ProfileOf : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  Profile of(const Csr<Value>& a) const {
    const SpaceCsr<typename Case::Space, Value> matrix(this->space(), a.view());
    return take_profile(this->space(), matrix.view());
  }
};

TYPED_TEST_SUITE(ProfileOf, EverySpace, SpaceNames);

/// The sampled indices out of `all`, evenly spaced: a sixteenth of them, but at least `few` and at most `most`.
std::vector<Offset> sample(Offset all, Offset few, Offset most) {
  const Offset count = std::min({all, std::max(all / 16, few), most});
  std::vector<Offset> out;
  for (Offset k = 0; k < count; ++k) out.push_back(k * all / count);
  return out;
}

/// A simple computation of the profile for comparison.
template <class T>
struct PlainProfile {
  const Csr<T>& a;
  std::vector<Offset> groups = sample((a.rows + 11) / 12, 8, 1024);
  std::vector<Offset> runs = sample(std::max<Offset>(a.nonzeros() / 32, 1), 16, 2048);

  Offset begin(Index i) const { return a.row_ptr[static_cast<std::size_t>(i)]; }
  Offset end(Index i) const { return a.row_ptr[static_cast<std::size_t>(i) + 1]; }
  Index column(Offset k) const { return a.col[static_cast<std::size_t>(k)]; }

  /// The first 96 columns of the block row that begins at row `first`, with the number of entries in each.
  std::map<Index, int> columns(Index first, Index height) const {
    std::map<Index, int> all;
    for (Index i = first; i < std::min(first + height, a.rows); ++i) {
      for (Offset k = begin(i); k < end(i); ++k) ++all[column(k)];
    }
    while (all.size() > 96) all.erase(std::prev(all.end()));
    return all;
  }

  double fill(Index height, Index width) const {
    double entries = 0, blocks = 0;
    for (const Offset g : groups) {
      for (Index i = static_cast<Index>(12 * g); i < std::min<Offset>(12 * (g + 1), a.rows); ++i) {
        if (i % height != 0) continue;
        std::set<Index> in_row;
        for (const auto& [j, count] : columns(i, height)) {
          in_row.insert(j / width);
          entries += count;
        }
        blocks += static_cast<double>(in_row.size());
      }
    }
    return blocks == 0 ? 0 : entries / (blocks * height * width);
  }

  /// The mean number of sectors of x that a run of 32 entries reads. A sector holds 4 doubles.
  double sectors() const {
    double total = 0;
    for (const Offset run : runs) {
      std::set<Index> read;
      for (Offset k = 32 * run; k < std::min(32 * run + 32, a.nonzeros()); ++k) read.insert(column(k) / 4);
      total += static_cast<double>(read.size());
    }
    return total / static_cast<double>(runs.size());
  }

  std::vector<Offset> lengths() const {
    std::vector<Offset> out;
    for (Index i = 0; i < a.rows; ++i) out.push_back(end(i) - begin(i));
    return out;
  }

  Offset sliced_slots() const {
    const std::vector<Offset> of = lengths();
    Offset slots = 0;
    for (std::size_t i = 0; i < of.size(); i += 32) {
      const auto slice = of.begin() + static_cast<std::ptrdiff_t>(i);
      slots += 32 * *std::max_element(slice, slice + std::min<std::ptrdiff_t>(32, of.end() - slice));
    }
    return slots;
  }

  bool single() const {
    return std::all_of(a.val.begin(), a.val.end(), [](T v) { return static_cast<T>(static_cast<float>(v)) == v; });
  }

  /// The first entry with each value, compared by bits. Empty when there are more than 256 values.
  std::vector<Offset> different() const {
    std::map<std::uint64_t, Offset> firsts;
    for (std::size_t k = 0; k < a.val.size(); ++k) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &a.val[k], sizeof a.val[k]);
      firsts.emplace(bits, static_cast<Offset>(k));
    }
    std::vector<Offset> entries;
    for (const auto& [bits, first] : firsts) entries.push_back(first);
    std::sort(entries.begin(), entries.end());
    return entries.size() > 256 ? std::vector<Offset>{} : entries;
  }
};

template <class T>
void expect_profile(const Profile& p, const Csr<T>& a) {
  const PlainProfile<T> plain{a};
  for (int h = 1; h <= 4; ++h) {
    for (int w = 1; w <= 4; ++w) EXPECT_DOUBLE_EQ(p.fill[h - 1][w - 1], plain.fill(h, w)) << h << "x" << w;
  }
  for (const int s : {2, 3, 4, 5, 6, 8}) EXPECT_DOUBLE_EQ(p.square_fill[s], plain.fill(s, s)) << s;
  for (const int s : {0, 1, 7}) EXPECT_EQ(p.square_fill[s], 0) << s;
  EXPECT_EQ(p.sliced_slots, plain.sliced_slots());
  EXPECT_EQ(p.single, plain.single());
  EXPECT_EQ(p.distinct, static_cast<int>(plain.different().size()));
  EXPECT_EQ(p.different, plain.different());
  EXPECT_DOUBLE_EQ(p.sectors, plain.sectors());
}

TYPED_TEST(ProfileOf, KnowsASmallMatrixByHand) {
  const auto a = dense<typename TypeParam::T>(
      {{1, 2, 0, 0, 0}, {3, 4, 0, 0, 9}, {0, 0, 0, 0, 0}, {0, 0, 0, 5, 0}, {0.1, 0, 0, 0, 5}});

  const Profile p = this->of(a);

  EXPECT_DOUBLE_EQ(p.fill[0][0], 1);
  EXPECT_DOUBLE_EQ(p.fill[0][1],
                   8.0 / (6 * 2));  // 6 blocks: rows 0, 1, 3 and 4 have 1, 2, 1 and 2
  EXPECT_DOUBLE_EQ(p.fill[1][0], 8.0 / (6 * 2));
  EXPECT_DOUBLE_EQ(p.fill[1][1], 8.0 / (5 * 4));
  EXPECT_DOUBLE_EQ(p.fill[3][3], 8.0 / (4 * 16));
  EXPECT_DOUBLE_EQ(p.square_fill[2], 8.0 / (5 * 4));
  EXPECT_DOUBLE_EQ(p.square_fill[5], 8.0 / 25);
  EXPECT_DOUBLE_EQ(p.square_fill[8], 8.0 / 64);
  EXPECT_EQ(p.sliced_slots, 32 * 3);
  EXPECT_EQ(p.single, is_single<typename TypeParam::T>);
  EXPECT_EQ(p.distinct, 7);
  EXPECT_EQ(p.sectors, 2);
  for (const double share : p.hot) EXPECT_EQ(share, 0);
}

TYPED_TEST(ProfileOf, EverySampleIsThatOfALongSearch) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    if (sample.matrix.nonzeros() > 0) expect_profile(this->of(sample.matrix), sample.matrix);
  }
}

TYPED_TEST(ProfileOf, GeneratedMatricesAreThoseOfALongSearch) {
  using T = typename TypeParam::T;
  for (const auto& [family, n] : {std::pair{"poisson2d", 70}, {"kgs2d", 40}, {"banded", 3000}, {"fem27", 11}}) {
    SCOPED_TRACE(family);
    const Csr<T> a = generate<T>(family, {.n = n});
    expect_profile(this->of(a), a);
  }
}

TYPED_TEST(ProfileOf, IsTheSameOnTheHost) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : large_samples<T>(TypeParam::Space::has_streams)) {
    SCOPED_TRACE(sample.name);
    const Profile here = this->of(sample.matrix), host = take_profile(Host(), sample.matrix.view());

    EXPECT_EQ(std::memcmp(here.fill, host.fill, sizeof here.fill), 0);
    EXPECT_EQ(std::memcmp(here.square_fill, host.square_fill, sizeof here.square_fill), 0);
    EXPECT_EQ(std::memcmp(here.hot, host.hot, sizeof here.hot), 0);
    EXPECT_EQ(here.sectors, host.sectors);
  }
}

TYPED_TEST(ProfileOf, NothingHasTheProfileOfNothing) {
  using T = typename TypeParam::T;
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {5, 5}}) {
    const Profile p = this->of(from_triplets<T>(rows, cols, {}));

    EXPECT_EQ(p.fill[0][0] + p.square_fill[2] + p.sectors + p.hot[2], 0);
    EXPECT_EQ(p.sliced_slots + p.distinct, 0);
    EXPECT_TRUE(p.single);
  }
}

TYPED_TEST(ProfileOf, ComesWithTheStructure) {
  using T = typename TypeParam::T;
  const SpaceCsr<typename TypeParam::Space, T> some(this->space(), stencil<T>(50, 40, 6, 1));
  const SpaceCsr<typename TypeParam::Space, T> none(this->space(), from_triplets<T>(5, 0, {}));

  const Structure s = analyse(this->space(), some.view()), nothing = analyse(this->space(), none.view());

  ASSERT_TRUE(s.profile && nothing.profile);
  EXPECT_EQ(s.farthest, 6);
  EXPECT_EQ(s.profile->sliced_slots, 64 * 5);
  EXPECT_EQ(nothing.profile->sliced_slots, 0);
}

TYPED_TEST(ProfileOf, DenseBlocksAreFull) {
  using T = typename TypeParam::T;
  for (const Index s : {2, 3, 4, 5, 6, 8}) {
    std::vector<Triplet<T>> entries;
    for (Index i = 0; i < 120 * s; ++i) {
      for (Index j = i / s * s; j < i / s * s + s; ++j) entries.push_back({i, j, T(1)});
    }

    const Profile p = this->of(from_triplets<T>(120 * s, 120 * s, entries));

    EXPECT_EQ(p.square_fill[s], 1) << s;
    EXPECT_LT(p.square_fill[s == 5 ? 4 : 5], 1) << s;
  }
}

TYPED_TEST(ProfileOf, DistinctValuesHaveALimit) {
  using T = typename TypeParam::T;
  for (const int different : {1, 2, 255, 256, 257, 5000}) {
    std::vector<T> d(9000);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>(static_cast<int>(i * 7) % different);

    EXPECT_EQ(this->of(diagonal_matrix(d)).distinct, different > 256 ? 0 : different);
  }
}

TYPED_TEST(ProfileOf, TellsValuesByTheirBits) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN();

  const Profile zeros = this->of(diagonal_matrix(std::vector<T>{T(0), T(-0.0), T(0)}));
  const Profile nans = this->of(diagonal_matrix(std::vector<T>{nan, nan, nan}));

  EXPECT_EQ(zeros.distinct, 2);
  EXPECT_TRUE(zeros.single);
  EXPECT_EQ(nans.distinct, 1);
  EXPECT_EQ(nans.single, is_single<T>);
}

TYPED_TEST(ProfileOf, OneValueThatIsNotSingleIsFound) {
  using T = typename TypeParam::T;
  for (const std::size_t at : {0, 4321, 8999}) {
    std::vector<T> d(9000, T(1.5));
    const bool before = this->of(diagonal_matrix(d)).single;
    d[at] = T(0.1);

    EXPECT_TRUE(before);
    EXPECT_EQ(this->of(diagonal_matrix(d)).single, is_single<T>) << at;
  }
}

TYPED_TEST(ProfileOf, FindsHotColumns) {
  using T = typename TypeParam::T;
  Random random(21);
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 50000; ++i) {  // half of the entries are in 1000 columns, half in any column
    for (const Index cols : {1000, 1000, 200000, 200000}) entries.push_back({i, below(random, cols), T(1)});
  }

  const Profile p = this->of(from_triplets<T>(50000, 200000, entries));
  entries.resize(80000);
  const Profile small = this->of(from_triplets<T>(50000, 200000, entries));

  EXPECT_NEAR(p.hot[0], 0.5, 0.02);
  EXPECT_LT(p.hot[0], p.hot[1]);
  EXPECT_LT(p.hot[1], p.hot[2]);
  EXPECT_LT(p.hot[2], 0.9);
  EXPECT_EQ(small.hot[0], 0);  // below 100,000 entries hot columns aren't counted
}

TYPED_TEST(ProfileOf, SeesWhatTheKernelBeforeItWrote) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const Space& space = this->space();
  const std::size_t n = Space::has_streams ? 1 << 20 : 1 << 16;
  const SpaceCsr<Space, T> a(space, diagonal_matrix(std::vector<T>(n, 3)));
  const Operator<Space, T> op(space, a.view(), on_space, {.format = "csr", .jit = Jit::off});
  const Vector<Space, T> ones(space, n, T{1});
  Vector<Space, T> val(space, n, T(0.1));
  CsrView<T> b = a.view();
  b.val = val;
  for (int k = 0; k < 50; ++k) {
    op.apply(T{1}, ones, static_cast<T>(k % 2), val);  // all elements of val become 3, or 6
    StartedProfile first = start_profile(space, b), dropped = start_profile(space, b);
    dropped = {};
    download(space, {first.counters});
    const Profile p = first.made.get();
    EXPECT_EQ(p.distinct, 1);
    EXPECT_TRUE(p.single);
    EXPECT_EQ(p.sliced_slots, static_cast<Offset>(n));
  }
}

}  // namespace
}  // namespace ostinato::test
