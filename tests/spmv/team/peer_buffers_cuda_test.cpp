// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_buffers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <ostinato/spmv/team/peer_access.hpp>
#include <ostinato/spmv/team/peer_memory.hpp>
#include <ostinato/spmv/team/rendezvous.hpp>

#include "support/gpu_ranks.hpp"

namespace ostinato::test::gpus {
namespace {

using CudaRanksPeerBuffers = OnGpus;

int gpus_here() { return std::clamp(Cuda::device_count(), 1, 2); }

TEST_F(CudaRanksPeerBuffers, AreReadByAllWhereverRanksMakeRoom) {
  on_gpu_ranks(
      {1, 2, 3},
      [](const Team& team, const Cuda& gpu) {
        const auto buffers = PeerBuffers::make(team, gpu);
        ASSERT_NE(buffers, nullptr);
        for (std::size_t round = 0; round < 12; ++round) {
          const auto length = [&](int rank) {
            return (round * 7 % 12) * (static_cast<std::size_t>(rank) * 40000 + 900);
          };
          const auto value = [&](int rank, std::size_t k) { return static_cast<int>(k * 3 + round * 1000) + rank * 7; };
          std::vector<std::size_t> bytes;
          for (int r = 0; r < team.size(); ++r) bytes.push_back(length(r) * sizeof(int));
          std::vector<int> mine(length(team.rank()));
          for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = value(team.rank(), k);
          buffers->turn(mine.size() * sizeof(int));
          if (!mine.empty()) gpu.upload(buffers->mine(), mine.data(), mine.size() * sizeof(int));
          buffers->publish();
          team.all_gather(nullptr, 0, nullptr);
          buffers->meet(bytes);
          buffers->await();
          for (int r = 0; r < team.size(); ++r) {
            std::vector<int> found(length(r));
            if (!found.empty()) gpu.download(found.data(), buffers->of(r), found.size() * sizeof(int));
            for (std::size_t k = 0; k < found.size(); ++k) ASSERT_EQ(found[k], value(r, k)) << round << ' ' << r;
          }
        }
      },
      gpus_here());
}

TEST_F(CudaRanksPeerBuffers, GiveBackWhatAllHaveDropped) {
  on_gpu_ranks({2, 3}, [](const Team& team, const Cuda& gpu) {
    constexpr std::size_t bytes = std::size_t{1} << 26;
    constexpr int rounds = 12, most_kept = 4;
    ASSERT_TRUE(reach_each_other(team, gpu));
    const auto free_bytes = [&] {
      team.agree();
      const double free = static_cast<double>(gpu.free_bytes());
      team.agree();
      return free;
    };
    const double before = free_bytes();
    for (int round = 0; round < rounds; ++round) {
      const auto mine = std::make_shared<PeerMemory>(gpu, bytes, !are_threads(team));
      EXPECT_EQ(shown_by_all(team, gpu, mine).size(), static_cast<std::size_t>(team.size()));
    }
    EXPECT_LT(before - free_bytes(), static_cast<double>(most_kept * bytes) * team.size());
  });
}

TEST_F(CudaRanksPeerBuffers, AreOpenedOnce) {
  on_gpu_ranks({2, 3}, [](const Team& team, const Cuda& gpu) {
    ASSERT_TRUE(reach_each_other(team, gpu));
    const auto mine = std::make_shared<PeerMemory>(gpu, 5000, !are_threads(team));
    const auto first = shown_by_all(team, gpu, mine), second = shown_by_all(team, gpu, mine);
    EXPECT_EQ(first, second);
    EXPECT_EQ(first[static_cast<std::size_t>(team.rank())], mine);
    team.agree();
  });
}

}  // namespace
}  // namespace ostinato::test::gpus
