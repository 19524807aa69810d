// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/sweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/preconditioners/triangular/sweep_steps.hpp>
#include <ostinato/preconditioners/triangular/sweep_tiles.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/lanes.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

enum class Rows { random, chain, level, long_rows, blocks };

/// `entries` different earlier rows, at random.
std::vector<Index> earlier_rows(Random& random, Index row, Index entries) {
  std::vector<Index> all;
  for (Index k = 0; k < std::min(row, entries); ++k) all.push_back(below(random, row));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// A chain, one level, rows of which one needs all others, dense blocks one after the other, or at random with empty
/// rows. Targets and sources are permuted.
Substitution substitution(Rows kind, Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> target(static_cast<std::size_t>(n)), source;
  std::iota(target.begin(), target.end(), 0);
  for (std::size_t i = target.size(); i-- > 1;)
    std::swap(target[i], target[static_cast<std::size_t>(below(random, static_cast<Index>(i + 1)))]);
  source.assign(target.rbegin(), target.rend());
  Substitution s;
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> needs;
    if (kind == Rows::random) needs = earlier_rows(random, i, below(random, 7));
    if (kind == Rows::chain && i > 0) needs = {i - 1};
    if (kind == Rows::long_rows) needs = earlier_rows(random, i, i % 31 == 30 ? n : below(random, 3));
    if (kind == Rows::blocks) {
      for (Index j = i - i % 12; j < i; ++j) needs.push_back(j);
    }
    for (const Index j : needs) {
      s.col.push_back(target[static_cast<std::size_t>(j)]);
      s.val.push_back(signed_unit(random) / static_cast<double>(needs.size()));
    }
    s.row_ptr.push_back(static_cast<Offset>(s.col.size()));
    s.scale.push_back(1 + signed_unit(random) / 2);
  }
  s.target = target;
  s.source = source;
  return s;
}

std::string name_of(Rows kind, Index n) { return std::to_string(static_cast<int>(kind)) + " " + std::to_string(n); }

constexpr Rows all_kinds[] = {Rows::random, Rows::chain, Rows::level, Rows::long_rows, Rows::blocks};

/// The sum over the lanes of a row in the order of CudaWarp::row_sum().
template <class T>
T butterfly(std::vector<T> lane) {
  for (std::size_t step = lane.size() / 2; step > 0; step /= 2) {
    std::vector<T> next(lane.size());
    for (std::size_t l = 0; l < lane.size(); ++l) next[l] = lane[l] + lane[l ^ step];
    lane = next;
  }
  return lane[0];
}

/// What a sweep on a GPU gives, to the bit, but for products that are fused with sums there.
template <class T>
std::vector<T> expected(const Substitution& s, const std::vector<T>& in) {
  std::vector<T> out(s.rows());
  const SweepGroups groups;
  for (std::size_t i = 0; i < s.rows(); ++i) {
    const auto lanes = std::size_t{1} << groups.log_lanes(groups.group(0, s.row_ptr[i + 1] - s.row_ptr[i]));
    std::vector<T> sum(lanes, T{0});
    sum[0] = -static_cast<T>(s.scale[i]) * in[static_cast<std::size_t>(s.source[i])];
    const auto begin = static_cast<std::size_t>(s.row_ptr[i]), end = static_cast<std::size_t>(s.row_ptr[i + 1]);
    for (std::size_t k = begin; k < end; ++k)
      sum[(k - begin) % lanes] += static_cast<T>(s.val[k]) * out[static_cast<std::size_t>(s.col[k])];
    out[static_cast<std::size_t>(s.target[i])] = -butterfly(sum);
  }
  return out;
}

/// A warp whose lanes are threads.
template <class T>
struct ThreadWarp {
  int number;
  Barrier* all;
  T* room;  ///< 32 elements of the warp
  unsigned* shared;

  int lane() const { return number; }
  unsigned draw(detail::SweepState* state) const {
    return number == 0 ? std::atomic_ref<unsigned>(state->drawn).fetch_add(1, std::memory_order_relaxed) : 0;
  }
  unsigned of_first(unsigned v) const {
    if (number == 0) *shared = v;
    all->arrive_and_wait();
    const unsigned first = *shared;
    all->arrive_and_wait();
    return first;
  }
  void end(detail::SweepState* state, unsigned warps) const {
    all->arrive_and_wait();
    if (number != 0 || std::atomic_ref<unsigned>(state->ended).fetch_add(1) != warps - 1) return;
    *state = {0, 0, state->runs + 1};
  }
  bool look(const T* p, T& v) const {
    T none;
    std::memset(&none, 0xff, sizeof none);
    v = std::atomic_ref<T>(*const_cast<T*>(p)).load(std::memory_order_relaxed);
    if (std::memcmp(&v, &none, sizeof v) != 0) return true;
    std::this_thread::yield();
    return false;
  }
  void publish(T* p, T v) const {
    T none;
    std::memset(&none, 0xff, sizeof none);
    if (std::memcmp(&v, &none, sizeof v) == 0) v = std::numeric_limits<T>::quiet_NaN();
    std::atomic_ref<T>(*p).store(v, std::memory_order_relaxed);
  }
  void unset(T* p) const { std::memset(p, 0xff, sizeof *p); }
  T row_sum(T v, int lanes) const {
    for (int step = lanes / 2; step > 0; step /= 2) {
      room[number] = v;
      all->arrive_and_wait();
      v += room[number ^ step];
      all->arrive_and_wait();
    }
    return v;
  }
};

/// A sweep as a GPU has it, run by warps of threads.
template <class T>
class Emulation {
 public:
  explicit Emulation(const Substitution& given) : waiting_(2 * given.rows()) {
    SweepGroups groups;
    std::vector<unsigned> group;
    s_ = detail::in_groups(given, groups, group);
    const std::size_t rows[] = {s_.rows()};
    Vector<Host, SweepTile> tiles;
    detail::make_tiles(space_, {{groups, groups}}, Vector<Host, unsigned>(space_, group), rows, &tiles);
    tiles_ = tiles.download();
    std::vector<Index> row(s_.rows());
    place_.resize(s_.col.size());
    for_each(space_, s_.rows(),
             detail::PrepareRows<T>{s_.rows(), s_.target.data(), row.data(), waiting_.data(), &state_});
    for_each(space_, place_.size(), detail::FindPlaces{s_.col.data(), row.data(), place_.data()});
    val_.assign(s_.val.begin(), s_.val.end());
    scale_.assign(s_.scale.begin(), s_.scale.end());
    expect_whole_tiles(groups, group);
  }

  std::vector<T> run(unsigned warps, const std::vector<T>& in) {
    std::vector<T> out(s_.rows());
    const detail::SweepTiles<T> tiles = {.rows = {s_.rows(), s_.row_ptr.data(), s_.col.data(), val_.data(),
                                                  s_.source.data(), s_.target.data(), scale_.data()},
                                         .tile = tiles_.data(),
                                         .count = static_cast<unsigned>(tiles_.size() - 1),
                                         .warps = warps,
                                         .place = place_.data(),
                                         .waiting = waiting_.data(),
                                         .state = &state_};
    run_lanes(static_cast<int>(warps), [&](int, Barrier&) {
      std::vector<T> room(32);
      unsigned shared = 0;
      run_lanes(32, [&](int lane, Barrier& all) {
        detail::solve_tiles(ThreadWarp<T>{lane, &all, room.data(), &shared}, tiles, in.data(), out.data(),
                            static_cast<T*>(nullptr));
      });
    });
    return out;
  }

 private:
  /// Every row has a tile of its own group, and the lanes suffice.
  void expect_whole_tiles(const SweepGroups& groups, const std::vector<unsigned>& group) const {
    EXPECT_EQ(tiles_.front().first, 0);
    EXPECT_EQ(tiles_.back().first, static_cast<Index>(s_.rows()));
    for (std::size_t t = 0; t + 1 < tiles_.size(); ++t) {
      const auto first = static_cast<std::size_t>(tiles_[t].first), end = static_cast<std::size_t>(tiles_[t + 1].first);
      ASSERT_LT(first, end);
      EXPECT_LE(end - first, std::size_t{32} >> tiles_[t].log_lanes);
      EXPECT_EQ(group[first], group[end - 1]);
      EXPECT_EQ(groups.log_lanes(static_cast<Index>(group[first])), tiles_[t].log_lanes);
    }
  }

  Host space_;
  Substitution s_;
  std::vector<SweepTile> tiles_;
  std::vector<Index> place_;
  std::vector<T> val_, scale_, waiting_;
  detail::SweepState state_ = {7, 7, 7};  // PrepareRows resets it
};

template <class T>
void expect_emulation(Rows kind, Index n, unsigned warps, std::uint64_t seed) {
  const Substitution s = substitution(kind, n, seed);
  Emulation<T> sweep(s);
  for (int run = 0; run < 3; ++run) {
    std::vector<T> in = random_vector<T>(n, seed + static_cast<std::uint64_t>(run));
    if (run == 1) in[static_cast<std::size_t>(n / 3)] = std::numeric_limits<T>::quiet_NaN();
    if (run == 2) std::memset(&in[static_cast<std::size_t>(n / 2)], 0xff, sizeof(T));
    const std::vector<T> out = sweep.run(warps, in), right = expected(s, in);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_TRUE(std::isnan(right[i]) ? std::isnan(out[i]) : out[i] == right[i])
          << name_of(kind, n) << ", run " << run << ", element " << i;
    }
  }
}

TEST(SweepTiles, WarpsOfThreadsHaveTheBitsOfOneThread) {
  for (const Rows kind : all_kinds) {
    for (const unsigned warps : {1u, 3u}) {
      expect_emulation<double>(kind, 1, warps, 1);
      expect_emulation<double>(kind, kind == Rows::chain ? 5 : 40, warps, 2);
    }
    expect_emulation<float>(kind, kind == Rows::long_rows ? 100 : 5, 2, 3);
  }
}

TEST(SweepTiles, TwoSweepsHaveTheTilesOfEachAlone) {
  const Host space;
  JoinedGroups groups;
  std::vector<unsigned> group[2], joined;
  Vector<Host, SweepTile> alone[2], both[2];
  std::size_t rows[2];
  for (const int s : {0, 1}) {
    const Index n = s == 0 ? 100 : 61;
    rows[s] = detail::in_groups(substitution(Rows::random, n, 3), groups.of[s], group[s]).rows();
    const std::size_t own[] = {rows[s]};
    detail::make_tiles(space, {{groups.of[s], groups.of[s]}}, Vector<Host, unsigned>(space, group[s]), own, alone + s);
    for (const unsigned g : group[s]) joined.push_back(groups.first(s) + g);
  }
  detail::make_tiles(space, groups, Vector<Host, unsigned>(space, joined), rows, both);
  for (const int s : {0, 1}) {
    ASSERT_EQ(both[s].size(), alone[s].size());
    for (std::size_t t = 0; t < both[s].size(); ++t) {
      EXPECT_EQ(both[s].data()[t].first, alone[s].data()[t].first);
      EXPECT_EQ(both[s].data()[t].log_lanes, alone[s].data()[t].log_lanes);
    }
  }
}

TEST(SweepTiles, RowsOfVeryManyLevelsHaveAllLanes) {
  SweepGroups groups;
  EXPECT_EQ(groups.log_lanes(groups.group(3, 4)), 0);
  EXPECT_EQ(groups.log_lanes(groups.group(3, 5)), 1);
  EXPECT_EQ(groups.log_lanes(groups.group(3, 5000)), 5);
  groups.levels = SweepGroups::most_levels;
  EXPECT_EQ(groups.group(3, 4), 3);
  EXPECT_EQ(groups.log_lanes(3), 5);
  EXPECT_EQ(groups.count(), SweepGroups::most_levels);
}

template <class Case>
class SweepOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  std::vector<Value> run(const Sweep<Home, Value>& sweep, const std::vector<Value>& in) const {
    const auto r = this->put(in);
    auto z = this->put(std::vector<Value>(in.size(), Value{7}));
    sweep.run(r.span(), z.span());
    return z.download();
  }

  void expect_near(const std::vector<Value>& out, const std::vector<Value>& right, const std::string& what) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (std::isnan(right[i])) {
        ASSERT_TRUE(std::isnan(out[i])) << what << " " << i;
      } else {
        ASSERT_NEAR(out[i], right[i], 200 * std::numeric_limits<Value>::epsilon()) << what << " " << i;
      }
    }
  }
};

TYPED_TEST_SUITE(SweepOn, EverySpace, SpaceNames);

TYPED_TEST(SweepOn, SolvesRowsOfEveryShape) {
  using T = typename TypeParam::T;
  for (const Rows kind : all_kinds) {
    for (const Index n : {0, 1, 2, 31, 33, 700, 20000}) {
      if (kind == Rows::long_rows && n > 700) continue;
      const Substitution s = substitution(kind, n, 4);
      const Sweep<typename TypeParam::Space, T> sweep(this->space(), s);
      const auto in = random_vector<T>(n, 5);
      this->expect_near(this->run(sweep, in), expected(s, in), name_of(kind, n));
    }
  }
}

/// Every second run has other elements to wait for.
TYPED_TEST(SweepOn, GivesTheSameBitsOnEveryRun) {
  using T = typename TypeParam::T;
  for (const Rows kind : all_kinds) {
    const Index n = kind == Rows::long_rows ? 700 : 5000;
    const Sweep<typename TypeParam::Space, T> sweep(this->space(), substitution(kind, n, 6));
    const auto in = random_vector<T>(n, 7), other = random_vector<T>(n, 8);
    const auto first = this->run(sweep, in), first_other = this->run(sweep, other);
    for (int run = 0; run < 20; ++run) {
      ASSERT_TRUE(same_bits(this->run(sweep, in), first)) << name_of(kind, n) << ", run " << run;
      ASSERT_TRUE(same_bits(this->run(sweep, other), first_other)) << name_of(kind, n) << ", run " << run;
    }
  }
}

/// The bits of a NaN that marks an element nobody has written yet are no trap.
TYPED_TEST(SweepOn, PassesEveryNanOn) {
  using T = typename TypeParam::T;
  for (const Rows kind : all_kinds) {
    const Index n = 700;
    const Substitution s = substitution(kind, n, 9);
    const Sweep<typename TypeParam::Space, T> sweep(this->space(), s);
    auto in = random_vector<T>(n, 10);
    for (const std::size_t i : {std::size_t{5}, std::size_t{350}}) std::memset(&in[i], 0xff, sizeof(T));
    this->expect_near(this->run(sweep, in), expected(s, in), name_of(kind, n));
    const auto clean = random_vector<T>(n, 11);
    this->expect_near(this->run(sweep, clean), expected(s, clean), name_of(kind, n) + " afterwards");
  }
}

TYPED_TEST(SweepOn, HasTheBytesThatItSays) {
  using T = typename TypeParam::T;
  using OnSpace = Sweep<typename TypeParam::Space, T>;
  for (const Rows kind : {Rows::random, Rows::level, Rows::blocks}) {
    const Substitution s = substitution(kind, 30000, 12);
    const OnSpace sweep(this->space(), s);
    const auto said = static_cast<double>(OnSpace::bytes_of(s.rows(), s.col.size()));
    EXPECT_NEAR(static_cast<double>(sweep.bytes()), said, 0.02 * said + 64) << sweep.way();
  }
}

}  // namespace
}  // namespace ostinato::test
