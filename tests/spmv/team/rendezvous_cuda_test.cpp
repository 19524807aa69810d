// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/rendezvous.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/peer_access.hpp>

#include "support/gpu_ranks.hpp"
#include "support/matrices.hpp"
#include "support/pieces.hpp"

// Kernels of ranks that wait for each other, in captured blocks. Ranks share one GPU, or have one each where there are
// two.

namespace ostinato::test::gpus {
namespace {

using CudaRanksRendezvous = OnGpus;
using DistributedCuda = Distributed<Cuda>;

constexpr int iterations_of_a_block = 3, blocks = 12;

int gpus_here() { return Cuda::device_count() < 2 ? 1 : 2; }

/// Calls iterate() in blocks, and returns how often the host has called it.
template <class F>
int run_blocks(const DistributedCuda& space, bool capturable, F iterate) {
  GraphCapture<DistributedCuda> run(space, iterations_of_a_block, 1, capturable);
  int calls = 0;
  for (int k = 0; k < blocks; ++k)
    run({}, [&] {
      ++calls;
      iterate();
    });
  space.local().wait();
  return calls;
}

TEST_F(CudaRanksRendezvous, SumsAreThoseOfOtherWays) {
  for (const Index n : {0, 1, 2049, 100000, 700001, 4300000}) {
    SCOPED_TRACE(n);
    const std::vector<double> x = random_vector<double>(n, 3), y = random_vector<double>(n, 4);
    double alone = 0;
    on_gpu_ranks(
        {1, 2, 3},
        [&](const Team& team, const Cuda& gpu) {
          const DistributedCuda space(gpu, team);
          const Partition rows = Partition::by_rows(team, n);
          const Vector<Cuda, double> other(gpu, piece(y, rows, team));
          const auto halved = [&](bool capturable) {
            Vector<Cuda, double> mine(gpu, piece(x, rows, team)), slot(gpu, 1);
            const int calls = run_blocks(space, capturable, [&] {
              dot<double>(space, mine, other, slot.data());
              scale<double>(space, 0.5, mine, mine);
            });
            EXPECT_EQ(calls, iterations_of_a_block * (capturable ? 2 : blocks));
            return slot.download()[0];
          };
          const std::uint64_t before = space.reductions();
          const double captured = halved(true);
          EXPECT_EQ(space.reductions() - before, iterations_of_a_block * blocks);
          EXPECT_EQ(captured, halved(false));
          if (team.size() == 1) alone = captured;
          EXPECT_EQ(captured, alone);
        },
        gpus_here());
  }
}

TEST_F(CudaRanksRendezvous, GhostsComeWithoutSumsInBetween) {
  const std::vector<std::pair<std::string, Csr<double>>> matrices = {
      {"variable3d", generate<double>("variable3d", {.n = 24})},
      {"mesh2d", generate<double>("mesh2d", {.n = 90})},
      {"odd", odd_matrix(9000, 9000)}};
  for (const auto& [name, a] : matrices) {
    SCOPED_TRACE(name);
    const std::vector<double> x = random_vector<double>(a.rows, 3);
    on_gpu_ranks(
        {1, 2, 3},
        [&, &a = a](const Team& team, const Cuda& gpu) {
          const DistributedCuda space(gpu, team);
          const Partition rows = Partition::by_rows(team, a.rows);
          const DistributedOperator<Cuda, double> part(space, rows, piece(a, rows.begin(team), rows.end(team)));
          EXPECT_TRUE(part.capturable());
          const auto repeated = [&](bool capturable) {
            Vector<Cuda, double> mine(gpu, piece(x, rows, team)), product(gpu, mine.size(), 0.0), slot(gpu, 1);
            const int calls = run_blocks(space, capturable, [&] {
              part.apply(0.001, mine.span(), 0.5, product.span());
              part.apply(0.001, product.span(), 0.5, mine.span());
              part.apply_dot(mine.span(), product.span(), mine.span(), slot.data());
            });
            EXPECT_EQ(calls, iterations_of_a_block * (capturable ? 2 : blocks));
            return std::pair{mine.download(), slot.download()[0]};
          };
          const auto captured = repeated(true), plain = repeated(false);
          EXPECT_EQ(captured.first, plain.first);
          EXPECT_EQ(captured.second, plain.second);
        },
        gpus_here());
  }
}

TEST_F(CudaRanksRendezvous, GiveUpARankThatStaysAway) {
  const Stopwatch watch;
  on_gpu_ranks(
      {2},
      [&](const Team& team, const Cuda& gpu) {
        const Vector<Cuda, double> x(gpu, 5000, 1.0);
        Vector<Cuda, double> slot(gpu, 1);
        ASSERT_TRUE(reach_each_other(team, gpu));
        const Rendezvous alone(team, gpu, 4096);
        if (team.rank() == 0) {
          detail::sum_over_ranks(gpu, x.size(), Dot<double>{x.data(), x.data()}, alone.view(), slot.data(),
                                 static_cast<Sums<1>*>(nullptr));
          gpu.wait();
          EXPECT_THROW(alone.confirm(), RankError);
        }
        team.agree();
        if (team.rank() == 1) {
          EXPECT_NO_THROW(alone.confirm());
        }
        dot<double>(DistributedCuda(gpu, team), x, x, slot.data());
        EXPECT_EQ(slot.download()[0], 5000.0 * team.size());
      },
      gpus_here());
  EXPECT_GT(watch.seconds(), 5);
}

}  // namespace
}  // namespace ostinato::test::gpus
