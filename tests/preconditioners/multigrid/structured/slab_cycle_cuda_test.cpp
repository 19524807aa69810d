// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>

#include "preconditioners/multigrid/structured/slab_cycles.hpp"
#include "support/gpu_ranks.hpp"
#include "support/matrices.hpp"

namespace ostinato::test::gpus {
namespace {

using CudaSlabCycle = OnGpus;
using multigrid::Cycle, multigrid::ConstantGrid, multigrid::make_slab_cycle;
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

// In passes, then in steps: 64^3 points are the last plain grid below 128^3. The last one begins in steps: the lines of
// two grids are halved alone.
const std::initializer_list<Case> in_passes = {
    {{40, 36, 50}, true, 1, 500},      {{44, 36, 48}, true, 1, 500},       {{31, 33, 37}, true, 1, 500},
    {{128, 128, 128}, true, 1, 20000}, {{96, 100, 250}, true, 1, 1 << 18}, {{131, 150, 1}, true, 1, 500},
    {{300, 256, 1}, false, 1, 1000},   {{60, 301, 1}, true, 1, 500, 16},
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

// Ranks may have no plane of the next grid. The hosts carry planes where ranks are more than reach each other.
TEST_F(CudaSlabCycle, HasTheBitsOfOneRankWhereSlabsAreThin) {
  for (const Case& c : {*in_steps.begin(), *in_passes.begin()})
    expect_bits_of_one_rank<double>(c, {PeerBuffers::most_ranks, PeerBuffers::most_ranks + 1});
}

/// z and r . z after some blocks of cycles, each of which begins with what the one before has left: the first of two
/// without a sum behind it. Returns how often the host has called them, too.
template <class T>
std::tuple<std::vector<T>, double, int> after_blocks(const Distributed<Cuda>& space,
                                                     const Cycle<Distributed<Cuda>>& cycle, const Case& c,
                                                     const Partition& rows, bool capturable) {
  constexpr int iterations = 3, blocks = 6;
  const Cuda& gpu = space.local();
  const auto n = static_cast<Index>(c.grid.points());
  std::vector<T> damping = random_vector<T>(n, 5);
  for (T& d : damping) d *= static_cast<T>(3e-4);  // the cycle makes a vector a thousand times larger at most
  const Vector<Cuda, T> first(gpu, piece(slabs::right_hand_side<T>(c.grid.points(), 0), rows, space.team())),
      factor(gpu, piece(damping, rows, space.team()));
  Vector<Cuda, T> r(gpu, first.size(), T{0}), z(gpu, first.size(), T{0});
  Vector<Cuda, double> slots(gpu, 2);
  copy<T>(space, first, r.span());
  GraphCapture<Distributed<Cuda>> run(space, iterations, 1, capturable);
  int calls = 0;
  for (int block = 0; block < blocks; ++block)
    run({}, [&] {
      ++calls;
      cycle.template apply<T>({std::as_const(r).data()}, {z.data()}, nullptr);
      multiply<T>(space, factor, z, r.span());
      cycle.template apply<T>({std::as_const(r).data()}, {z.data()}, slots.data());
      multiply<T>(space, factor, z, r.span());
      subtract_from<T>(space, first, r, r.span(), slots.data() + 1);
    });
  gpu.wait();
  return {z.download(), slots.download()[0], calls};
}

/// Cycles in a CUDA graph, and again without one, give the bits of those that never were in one.
template <class T>
void expect_bits_of_captured_cycles(const Case& c) {
  SCOPED_TRACE(c.text());
  on_gpu_ranks(
      {1, 2, 3},
      [&](const Team& team, const Cuda& gpu) {
        const Distributed<Cuda> space(gpu, team);
        ASSERT_TRUE(space.can_capture());
        const auto a = slabs::stencil_of(c);
        const ConstantGrid found{a.grid(), a.table()};
        for (const Partition& rows : slabs::partitions(team, c.grid)) {
          const auto cycle = make_slab_cycle<Cuda>(space, found, a.structure().norm_inf, rows, c.smoother(), c.sweeps,
                                                   MemoryBudget(gpu, "test"), c.most_gathered);
          ASSERT_TRUE(cycle.has_value());
          const auto [z, dot, calls] = after_blocks<T>(space, *cycle, c, rows, false);
          for (const bool capturable : {true, false}) {
            const auto [z_again, dot_again, calls_again] = after_blocks<T>(space, *cycle, c, rows, capturable);
            EXPECT_TRUE(same_bits(z_again, z));
            EXPECT_EQ(dot_again, dot);
            EXPECT_EQ(calls_again, capturable ? calls / 6 : calls);
          }
        }
      },
      std::min(2, Cuda::device_count()));
}

TEST_F(CudaSlabCycle, HasTheSameBitsInGraphs) {
  for (const Case& c : {Case{{30, 30, 30}, true, 2, 500},
                        {{28, 31, 37}, false, 1, 1000},
                        {{40, 36, 50}, true, 1, 500},
                        {{131, 150, 1}, true, 1, 500},
                        {{128, 128, 128}, true, 1, 20000}}) {
    expect_bits_of_captured_cycles<double>(c);
    expect_bits_of_captured_cycles<float>(c);
  }
}

}  // namespace
}  // namespace ostinato::test::gpus
