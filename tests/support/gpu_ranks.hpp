// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato::test {

/// Tests of ranks that are threads, each with a stream of its own on a GPU.
class OnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Calls work(team, gpu) on so many ranks for each number, which share the first `gpus` GPUs.
template <class F>
void on_gpu_ranks(std::initializer_list<int> sizes, F work, int gpus = 1) {
  for (const int size : sizes) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    Team::run(size, [&](const Team& team) {
      team.set_patience(30);
      work(team, team.agreed([&] { return Cuda(team.rank() % gpus); }));
    });
  }
}

}  // namespace ostinato::test
