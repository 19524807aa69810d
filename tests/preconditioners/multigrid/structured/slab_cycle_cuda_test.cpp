// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <ostinato/spmv/team/peer_buffers.hpp>

#include "preconditioners/multigrid/structured/slab_cycles.hpp"
#include "support/gpu_ranks.hpp"

namespace ostinato::test::gpus {
namespace {

using CudaSlabCycle = OnGpus;
using slabs::Case;

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
    difference = std::max(difference, std::abs(static_cast<double>(found[i]) - static_cast<double>(wanted[i])));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(difference, 1e-5 * largest);
}

/// One rank gives what make_cycle() does, but for rounding; others give the bits of one. r . z has the same bits where
/// the finest grid is passed over.
template <class T>
void expect_bits_of_one_rank(const Case& c, std::initializer_list<int> sizes = {2, 3}, int gpus = 1) {
  SCOPED_TRACE(c.text());
  const auto alone = slabs::of_one_rank<T>(Cuda(), c);
  slabs::Answers<T> first;
  on_gpu_ranks({1}, [&](const Team& team, const Cuda& gpu) {
    first = slabs::of_slabs<T>(team, gpu, c, Partition::by_rows(team, static_cast<Index>(c.grid.points())));
  });
  ASSERT_EQ(first.z.size(), alone.z.size());
  for (std::size_t k = 0; k < alone.z.size(); ++k) expect_near(first.z[k], alone.z[k]);
  slabs::expect_dots(first);
  on_gpu_ranks(
      sizes,
      [&](const Team& team, const Cuda& gpu) {
        for (const Partition& rows : slabs::partitions(team, c.grid)) {
          const auto found = slabs::of_slabs<T>(team, gpu, c, rows);
          ASSERT_EQ(found.z.size(), first.z.size());
          for (std::size_t k = 0; k < first.z.size(); ++k) EXPECT_TRUE(same_bits(found.z[k], first.z[k]));
          slabs::expect_dots(found);
          if (c.sweeps == 1 && c.star && c.grid.z > 3) {
            EXPECT_EQ(found.dots, first.dots);
          }
        }
      },
      gpus);
}

const std::initializer_list<Case> in_steps = {
    {{30, 30, 30}, true, 2, 500},
    {{28, 31, 37}, false, 1, 1000},
    {{42, 80, 3}, true, 1, 500},
    {{90, 101, 1}, false, 2, 500},
};

// In passes, then in steps: 64^3 points are the last plain grid below 128^3.
const std::initializer_list<Case> in_passes = {
    {{40, 36, 50}, true, 1, 500},      {{44, 36, 48}, true, 1, 500},       {{31, 33, 37}, true, 1, 500},
    {{128, 128, 128}, true, 1, 20000}, {{96, 100, 250}, true, 1, 1 << 18}, {{131, 150, 1}, true, 1, 500},
    {{300, 256, 1}, false, 1, 1000},
};

TEST_F(CudaSlabCycle, HasTheBitsOfOneRankInSteps) {
  for (const Case& c : in_steps) expect_bits_of_one_rank<double>(c);
  expect_bits_of_one_rank<float>(*in_steps.begin());
}

TEST_F(CudaSlabCycle, HasTheBitsOfOneRankInPasses) {
  for (const Case& c : in_passes) {
    expect_bits_of_one_rank<double>(c);
    expect_bits_of_one_rank<float>(c);
  }
}

TEST_F(CudaSlabCycle, HasTheBitsOfOneRankOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  for (const auto& cases : {in_steps, in_passes})
    for (const Case& c : cases) expect_bits_of_one_rank<double>(c, {2, 5}, 2);
}

// Where the hosts carry the planes.
TEST_F(CudaSlabCycle, HasTheBitsOfOneRankWithMoreRanksThanReachEachOther) {
  for (const Case& c : {*in_steps.begin(), *in_passes.begin()})
    expect_bits_of_one_rank<double>(c, {PeerBuffers::most_ranks + 1});
}

}  // namespace
}  // namespace ostinato::test::gpus
