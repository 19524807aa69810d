// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
