// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>

#include "spmv/team/distributed_stencils.hpp"
#include "support/gpu_ranks.hpp"

namespace ostinato::test::stencils {
namespace {

using CudaRanksStencil = OnGpus;

template <class T>
void expect_bits_of_one_gpu(int gpus) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const Found<T> one = of_one<T>(Cuda(0), named.stencil);
    on_gpu_ranks(
        {1, 2, 3, PeerBuffers::most_ranks + 1},
        [&](const Team& team, const Cuda& gpu) { expect_bits_of_one(team, gpu, named.stencil, one); }, gpus);
  }
}

TEST_F(CudaRanksStencil, HasTheBitsOfOneGpu) { expect_bits_of_one_gpu<double>(1); }
TEST_F(CudaRanksStencil, HasTheBitsOfOneGpuInFloat) { expect_bits_of_one_gpu<float>(1); }

TEST_F(CudaRanksStencil, HasTheBitsOfOneGpuOnTwo) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_bits_of_one_gpu<double>(2);
}

TEST_F(CudaRanksStencil, HasTheBitsOfOneGpuForVectorsInFloat) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const std::vector<float> one = of_one_in_float(Cuda(0), named.stencil);
    on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
      EXPECT_EQ(of_slabs_in_float(team, gpu, named.stencil), one);
    });
  }
}

TEST_F(CudaRanksStencil, SumsWithTheBitsOfOneRankWhereSlabsAreWholeBlocks) {
  const Stencil stencil = unsymmetric_stencil({64, 16, 24}, true);  // two planes are a block
  double alone = 0;
  const auto dot_of = [&](const Team& team, const Cuda& gpu) {
    return of_slabs<double>(team, gpu, stencil, slab_partition(team, stencil.extents)).dot;
  };
  on_gpu_ranks({1}, [&](const Team& team, const Cuda& gpu) { alone = dot_of(team, gpu); });
  on_gpu_ranks({2, 3}, [&](const Team& team, const Cuda& gpu) { EXPECT_EQ(dot_of(team, gpu), alone); });
}

struct DotsInFloat {
  std::vector<float> y;
  double dot = 0, of_another = 0;
};

/// y of the last of some products, each of the y before it, and its sums. Vectors of odd ranks lie anywhere.
DotsInFloat dots_in_float(const Team& team, const Cuda& gpu, const Stencil& stencil, const Partition& rows,
                          bool capturable) {
  const Distributed<Cuda> space(gpu, team);
  const DistributedStencil<Cuda, double> a(space, stencil, rows);
  const std::size_t n = a.rows(), shift = static_cast<std::size_t>(team.rank() % 2);
  const std::vector<float> whole = random_vector<float>(rows.rows(), 3), more = random_vector<float>(rows.rows(), 4);
  const auto there = [&](const std::vector<float>& v) {
    std::vector<float> own(shift, 0.0f);
    own.insert(own.end(), v.begin() + rows.begin(team), v.begin() + rows.end(team));
    return Vector<Cuda, float>(gpu, std::span<const float>(own));
  };
  Vector<Cuda, float> x = there(whole), y = there(whole);
  const Vector<Cuda, float> w = there(more);
  Vector<Cuda, double> slots(gpu, 2);
  const Out<float> x_part = x.span().subspan(shift), y_part = y.span().subspan(shift);
  const In<float> w_part(w.data() + shift, n);
  GraphCapture<Distributed<Cuda>> run(space, 2, 1, capturable);
  for (int block = 0; block < 3; ++block)
    run({}, [&] {
      a.lower()->apply_dot(In<float>(x_part), y_part, In<float>(x_part), slots.data());
      scale<float>(space, 0.05f, In<float>(y_part), x_part);
      a.lower()->apply_dot(In<float>(x_part), y_part, w_part, slots.data() + 1);
    });
  std::vector<float> by_apply(n);
  {
    Vector<Cuda, float> z(gpu, n);
    a.lower()->apply(1, In<float>(x_part), 0, z.span());
    by_apply = z.download();
  }
  std::vector<float> found = y.download();
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shift));
  EXPECT_EQ(found, by_apply);
  const std::vector<double> dots = slots.download();
  return {joined(team, found), dots[0], dots[1]};
}

// Lines and planes that fill tiles, and others; on ranks of few planes.
TEST_F(CudaRanksStencil, MultipliesAndSumsInOnePassWithTheBitsOfOneRank) {
  for (const bool star : {true, false}) {
    for (const Extents& e : {Extents{64, 64, 24}, {260, 17, 9}, {12, 350, 6}, {128, 33, 2}}) {
      SCOPED_TRACE(std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z));
      const Stencil stencil = laplacian_stencil(e, star);
      DotsInFloat alone;
      on_gpu_ranks(
          {1, 2, 3},
          [&](const Team& team, const Cuda& gpu) {
            for (const Partition& rows : partitions(team, e)) {
              for (const bool capturable : {true, false}) {
                const DotsInFloat found = dots_in_float(team, gpu, stencil, rows, capturable);
                if (team.size() == 1) alone = found;
                EXPECT_EQ(found.y, alone.y);
                EXPECT_EQ(found.dot, alone.dot);
                EXPECT_NEAR(found.of_another, alone.of_another, 1e-9 * std::abs(alone.of_another));
              }
            }
          },
          std::min(2, Cuda::device_count()));
      double expected = 0, size = 0;
      const std::vector<float> w = random_vector<float>(static_cast<Index>(e.points()), 4);
      for (std::size_t i = 0; i < w.size(); ++i) {
        expected += static_cast<double>(w[i]) * static_cast<double>(alone.y[i]);
        size += std::abs(static_cast<double>(w[i]) * static_cast<double>(alone.y[i]));
      }
      EXPECT_NEAR(alone.of_another, expected, 1e-13 * size);
    }
  }
}

TEST_F(CudaRanksStencil, KnowsItsDiagonal) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    on_gpu_ranks({1, 3}, [&](const Team& team, const Cuda& gpu) {
      const Distributed<Cuda> space(gpu, team);
      const Distributed<Host> host(Host(1), team);
      const DistributedStencil<Cuda, double> a(space, named.stencil);
      const DistributedStencil<Host, double> on_host(host, named.stencil);
      EXPECT_EQ(a.diagonal(), on_host.diagonal());
      EXPECT_EQ(a.largest_row(), on_host.largest_row());
    });
  }
}

}  // namespace
}  // namespace ostinato::test::stencils
