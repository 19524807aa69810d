// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/device.hpp>

#include <gtest/gtest.h>

#include <utility>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::test {
namespace {

constexpr SystemSize small[] = {
    {960, 15844}, {3312, 20793}, {11397, 150645}, {4929, 33185}, {26064, 177168}  // nos3 to wang3
};
constexpr SystemSize large = {1e6, 7e6}, stencil = {512.0 * 512 * 512, 0}, small_stencil = {32.0 * 32 * 32, 0};

TEST(Device, IsTheCpuForSmallSystems) {
  for (const SystemSize& size : small) {
    for (const int threads : {1, 2, 16}) {
      const DeviceSeconds s = predict_seconds(size, threads, false);
      EXPECT_FALSE(s.gpu_is_faster()) << size.rows << " rows, " << threads << " threads: " << s.cpu << ", " << s.gpu;
      EXPECT_GT(s.cpu, 0);
      EXPECT_GE(s.gpu, 0.25) << "opening";
    }
  }
  EXPECT_FALSE(predict_seconds(small_stencil, 2, false).gpu_is_faster());
}

TEST(Device, IsTheGpuForLargeSystems) {
  for (const int threads : {1, 2, 4}) EXPECT_TRUE(predict_seconds(large, threads, false).gpu_is_faster()) << threads;
  EXPECT_TRUE(predict_seconds(stencil, 16, false).gpu_is_faster());
}

TEST(Device, IsTheGpuSoonerWhereItIsOpen) {
  int by_open = 0;
  for (double rows = 1e3; rows < 1e7; rows *= 2) {
    const SystemSize size{rows, 7 * rows};
    const DeviceSeconds fresh = predict_seconds(size, 2, false), open = predict_seconds(size, 2, true);
    EXPECT_EQ(open.cpu, fresh.cpu);
    EXPECT_LT(open.gpu, fresh.gpu);
    by_open += open.gpu_is_faster() && !fresh.gpu_is_faster();
  }
  EXPECT_GT(by_open, 0);
}

TEST(Device, HasAsManyThreadsAsAreOfUse) {
  EXPECT_EQ(useful_threads(small[0], 16), 2);
  EXPECT_EQ(useful_threads(small[0], 1), 1);
  EXPECT_EQ(useful_threads({4884, 290378}, 16), 5);
  EXPECT_EQ(useful_threads(large, 16), 16);
  EXPECT_EQ(useful_threads(small_stencil, 16), 2);
  EXPECT_EQ(useful_threads(stencil, 16), 16);
  for (int threads = 1; threads < 64; threads *= 2) {
    for (const SystemSize& size : {large, stencil})
      EXPECT_LT(predict_seconds(size, 2 * threads, false).cpu, predict_seconds(size, threads, false).cpu);
    EXPECT_LE(predict_seconds(small[0], 2 * threads, false).cpu, predict_seconds(small[0], threads, false).cpu);
  }
}

// Whole processes on an H200 machine, on 2 and on 16 threads and on the GPU (2026-11).
TEST(Device, IsPredictedWithinAFactorOfThree) {
  struct Measured {
    SystemSize size;
    int threads;
    DeviceSeconds took;
  };
  const double points = 256.0 * 256 * 256;
  for (const Measured& m : {Measured{{1e6, 7e6}, 2, {4.56, 0.54}}, Measured{{1e6, 7e6}, 16, {1.49, 0.54}},
                            Measured{{48600, 1181120}, 2, {1.70, 0.50}}, Measured{{48600, 1181120}, 16, {0.65, 0.50}},
                            Measured{{8738, 591904}, 2, {0.81, 0.38}}, Measured{{90000, 626000}, 16, {0.32, 0.46}},
                            Measured{{points, 0}, 2, {2.12, 0.39}}, Measured{{points, 0}, 16, {0.55, 0.39}}}) {
    const DeviceSeconds s = predict_seconds(m.size, m.threads, false);
    for (const auto& [predicted, took] : {std::pair(s.cpu, m.took.cpu), std::pair(s.gpu, m.took.gpu)}) {
      EXPECT_LT(predicted, 3 * took) << m.size.rows << " rows, " << m.threads << " threads";
      EXPECT_GT(predicted, took / 3) << m.size.rows << " rows, " << m.threads << " threads";
    }
  }
}

TEST(Device, IsTheNamedOneWhateverTheSize) {
  const Host host;
  EXPECT_EQ(choose_device("cpu", large, host, false).gpu, -1);
  EXPECT_EQ(choose_device("cuda", small[0], host, false).gpu, 0);
  EXPECT_EQ(choose_device("CUDA:3", small[0], host, false).gpu, 3);
  EXPECT_THROW(choose_device("tpu", large, host, false), ArgumentError);
}

TEST(Device, IsTheCpuWhereThereIsNoGpu) {
  const DeviceChoice none = choose_device("auto", small[0], Host(), false);
  EXPECT_EQ(none.gpu, -1);
  EXPECT_EQ(none.absent, "") << "no GPU was looked for";

  const DeviceChoice sought = choose_device("auto", stencil, Host(), false);
  EXPECT_EQ(sought.gpu, sought.absent.empty() ? 0 : -1);
  EXPECT_EQ(sought.absent, Cuda::why_absent());
}

}  // namespace
}  // namespace ostinato::test
