// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato::test {

/// Tests of ranks, each with a stream of its own on a GPU.
class OnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Calls work(team, gpu) on so many ranks of this process for each number, which share the first `gpus` GPUs. Where
/// mpirun has started the program, the processes are the ranks, once for all numbers but 1: then each is one by itself.
template <class F>
void on_gpu_ranks(std::initializer_list<int> sizes, F work, int gpus = 1) {
  const auto work_on_gpu = [&](const Team& team) {
    team.set_patience(30);
    work(team, team.agreed([&] { return Cuda(team.rank() % gpus); }));
  };
  bool are_processes_done = false;
  for (const int size : sizes) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    if (size == 1 || Team::launched() == 1) {
      Team::run(size, work_on_gpu);
    } else if (!std::exchange(are_processes_done, true)) {
      const Team team = Team::mpi();
      team.together([&] { work_on_gpu(team); });
    }
  }
}

}  // namespace ostinato::test
