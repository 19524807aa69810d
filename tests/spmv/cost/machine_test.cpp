// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/cost/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include <ostinato/spmv/cost/traffic.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/run_self.hpp"

namespace ostinato::test {
namespace {

/// A calibration in which all numbers differ, so that no test passes with two of them exchanged.
constexpr Calibration made_up{"GPU", "2026", 2e12, 0.5, 1e-6, 2e-6, 3e-12, 4e-12, 1.25};

TEST(Calibration, OfAKnownDeviceIsItsEntry) {
  for (const Calibration& entry : calibrations()) {
    const Calibration c = calibration_of(entry.device, 4.8e12);

    EXPECT_EQ(c.device, entry.device);
    EXPECT_EQ(c.clocked_bandwidth, 4.8e12);
    EXPECT_EQ(c.copy_share, entry.copy_share);
    EXPECT_EQ(c.latency, entry.latency);
    EXPECT_EQ(c.load_latency, entry.load_latency);
    EXPECT_EQ(c.sector_seconds, entry.sector_seconds);
    EXPECT_EQ(c.term_seconds, entry.term_seconds);
    EXPECT_EQ(c.cache_gain, entry.cache_gain);
  }
}

TEST(Calibration, OfAnUnknownDeviceIsScaledByTheClockedBandwidth) {
  const Calibration& first = calibrations().front();

  const Calibration c = calibration_of("a GPU of next year", 2 * first.clocked_bandwidth);

  EXPECT_EQ(c.device, first.device);
  EXPECT_EQ(c.clocked_bandwidth, 2 * first.clocked_bandwidth);
  EXPECT_DOUBLE_EQ(c.sector_seconds, first.sector_seconds / 2);
  EXPECT_DOUBLE_EQ(c.term_seconds, first.term_seconds / 2);
  EXPECT_EQ(c.copy_share, first.copy_share);
  EXPECT_EQ(c.latency, first.latency);
  EXPECT_EQ(c.load_latency, first.load_latency);
  EXPECT_EQ(c.cache_gain, first.cache_gain);
}

TEST(Calibration, StaysAsItIsWhereTheDriverDoesNotTellTheClock) {
  const Calibration& first = calibrations().front();

  const Calibration c = calibration_of("a GPU of next year", 0);

  EXPECT_EQ(c.clocked_bandwidth, first.clocked_bandwidth);
  EXPECT_EQ(c.sector_seconds, first.sector_seconds);
}

TEST(Calibration, HasEveryDeviceOnceAndWhole) {
  for (const Calibration& a : calibrations()) {
    for (const Calibration& b : calibrations()) EXPECT_EQ(&a == &b, a.device == b.device);
    EXPECT_FALSE(a.measured.empty());
    for (const double v :
         {a.clocked_bandwidth, a.copy_share, a.latency, a.load_latency, a.sector_seconds, a.term_seconds, a.cache_gain})
      EXPECT_GT(v, 0) << a.device;
    EXPECT_LT(a.copy_share, 1) << a.device;
  }
}

TEST(Machine, TakesItsPartOfACalibration) {
  const Machine m = machine_of(made_up, 1000, 100);

  EXPECT_EQ(m.bandwidth, 1e12);
  EXPECT_EQ(m.latency, 1e-6);
  EXPECT_EQ(m.load_latency, 2e-6);
  EXPECT_EQ(m.sector_seconds, 3e-12);
  EXPECT_EQ(m.term_seconds, 4e-12);
  EXPECT_EQ(m.cache_gain, 1.25);
  EXPECT_EQ(m.cache_bytes, 1000u);
  EXPECT_EQ(m.shared_bytes, 100u);
  EXPECT_TRUE(m.device);
}

TEST(Machine, OfTheHostHasNeitherSectorsNorSharedMemory) {
  const Machine m = machine_of(Host());

  EXPECT_FALSE(m.device);
  EXPECT_EQ(m.sector_seconds, 0);
  EXPECT_EQ(m.load_latency, 0);
  EXPECT_EQ(m.shared_bytes, 0u);
  EXPECT_EQ(m.cache_gain, 1);
  EXPECT_GT(m.latency, 0);
  EXPECT_GT(m.cache_bytes, 0u);
}

TEST(CpuMachine, HasEachFigure) {
  const Machine m = cpu_machine(3);

  for (const double v : {m.bandwidth, m.latency, m.term_seconds, m.entry_seconds, m.call_seconds}) EXPECT_GT(v, 0);
  EXPECT_GT(cpu_machine(1).cache_bytes, 0u);
}

TEST(CpuMachine, IsTheSameOnEachCall) {
  const Machine first = machine_of(Host()), again = machine_of(Host());

  EXPECT_EQ(first.bandwidth, again.bandwidth);
  EXPECT_EQ(first.latency, again.latency);
  EXPECT_EQ(first.entry_seconds, again.entry_seconds);
  EXPECT_EQ(first.cache_bytes, again.cache_bytes);
}

TEST(MachineOfTheHost, DISABLED_IsPrinted) {
  const Machine m = machine_of(Host());
  std::printf("machine: %a %a\n", m.bandwidth, m.term_seconds);
}

/// The host's bandwidth and term_seconds in a new process with `threads` threads.
std::pair<double, double> host_with_threads(int threads) {
  const std::string line = line_of_disabled_case("MachineOfTheHost.DISABLED_IsPrinted", "machine:", threads);
  std::pair<double, double> found{0, 0};
  EXPECT_EQ(std::sscanf(line.c_str(), " %la %la", &found.first, &found.second), 2) << line;
  return found;
}

TEST(MachineOfTheHost, GetsFasterWithItsThreadsUpToWhatMemoryGives) {
  constexpr double slowest_thread = 1e9, fastest_memory = 2e12;  // bytes a second, generously
  const auto [one_bandwidth, one_term] = host_with_threads(1);
  EXPECT_GT(one_bandwidth, slowest_thread);
  EXPECT_GT(one_term, 0);
  double bandwidth = one_bandwidth, term = one_term;
  for (const int threads : {2, 4, 16, 64}) {
    SCOPED_TRACE(threads);
    const auto [next_bandwidth, next_term] = host_with_threads(threads);
    EXPECT_GE(next_bandwidth, bandwidth);
    EXPECT_LE(next_bandwidth, threads * one_bandwidth * (1 + 1e-12));
    EXPECT_LE(next_bandwidth, fastest_memory);
    EXPECT_LT(next_term, term);
    EXPECT_GE(next_term, one_term / threads * (1 - 1e-12));
    bandwidth = next_bandwidth;
    term = next_term;
  }
  EXPECT_GT(bandwidth, one_bandwidth);
}

TEST(Machine, OfAGpuIsItsCalibrationCuda) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  const Cuda space;

  const Machine m = machine_of(space);
  const Calibration c = calibration_of(device_name(space), space.bandwidth());

  EXPECT_EQ(space.description().rfind(device_name(space) + ", ", 0), 0u) << space.description();
  EXPECT_EQ(m.bandwidth, c.copy_share * c.clocked_bandwidth);
  EXPECT_EQ(m.sector_seconds, c.sector_seconds);
  EXPECT_EQ(m.cache_bytes, space.cache_bytes());
  EXPECT_EQ(m.shared_bytes, space.shared_bytes());
}

TEST(Traffic, IsFasterByTheCacheGainUpToHalfOfTheCache) {
  const Machine m = machine_of(made_up, 1000, 0);

  EXPECT_DOUBLE_EQ(formats::stream_seconds(m, 499, 0.5), 499 / (1e12 * 0.5 * 1.25));
  EXPECT_DOUBLE_EQ(formats::stream_seconds(m, 500, 0.5), 500 / (1e12 * 0.5));
}

TEST(Traffic, CountsSectorsOfTheMatrixAndOfX) {
  const Machine m = machine_of(made_up, 1000, 0);
  Structure s;
  s.nonzeros = 100;
  Profile profile;
  profile.sectors = 32;
  profile.hot[2] = 0;
  s.profile = std::make_shared<const Profile>(profile);

  EXPECT_DOUBLE_EQ(formats::gather_seconds(s, m, 3200), 200 * 3e-12);
  EXPECT_DOUBLE_EQ(formats::gather_seconds(s, m, 3200, 0.5), 150 * 3e-12);
  EXPECT_DOUBLE_EQ(formats::gather_seconds(s, machine_of(Host()), 3200), 0);
}

}  // namespace
}  // namespace ostinato::test
