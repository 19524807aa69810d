// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <ostinato/spmv/cost/machine.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

namespace {

// One line for each GPU, as bench_machine prints it: device, date, clocked bandwidth, share of it that a copy reaches,
// seconds for a launch, a dependent load, a sector and a term, and the gain of the second-level cache.
//
// How the H200's figures were measured: launch, with an empty kernel; load, a load from the second-level cache with its
// address computation; sector, csr on random columns (116 us for 16 M entries in 10^6 columns, 6.2 TB/s); term, masked
// and mirrored diagonals (5.7e11 terms a second); gain, csr on matrices of 1 to 20 MB.
constexpr Calibration known[] = {
    {"NVIDIA H200", "2026-11", 4.814e12, 0.89, 2.5e-6, 0.7e-6, 5.1e-12, 1.75e-12, 1.5},
};

}  // namespace

std::span<const Calibration> calibrations() { return known; }

Calibration calibration_of(std::string_view device, double clocked_bandwidth) {
  const auto at =
      std::find_if(std::begin(known), std::end(known), [&](const Calibration& c) { return c.device == device; });
  const bool is_known = at != std::end(known);
  Calibration c = is_known ? *at : known[0];
  if (!(clocked_bandwidth > 0)) return c;  // some drivers don't report the clock rate
  if (!is_known) {
    const double slower = c.clocked_bandwidth / clocked_bandwidth;
    c.sector_seconds *= slower;
    c.term_seconds *= slower;
  }
  c.clocked_bandwidth = clocked_bandwidth;
  return c;
}

std::string device_name(const Cuda& space) {
  const std::string text = space.description();
  return text.substr(0, text.find(','));
}

Machine machine_of(const Calibration& c, std::size_t cache_bytes, std::size_t shared_bytes) {
  return {c.copy_share * c.clocked_bandwidth,
          c.latency,
          c.load_latency,
          c.term_seconds,
          cache_bytes,
          true,
          shared_bytes,
          c.sector_seconds,
          c.cache_gain};
}

Machine machine_of(const Cuda& space) {
  return machine_of(calibration_of(device_name(space), space.bandwidth()), space.cache_bytes(), space.shared_bytes());
}

// One thread of an EPYC (2026-11), nine of which take all that its memory gives. Threads make everything faster alike.
Machine cpu_machine(int threads) {
  constexpr int most = 9;
  const double speed = std::min(threads, most);
  Machine m;
  m.bandwidth = 45e9 * speed;
  m.latency = 2e-6 / speed;
  m.term_seconds = 2.2e-10 / threads;
  m.cache_bytes = std::size_t{32} << 20;
  m.entry_seconds = 3.7e-10 / speed;
  m.call_seconds = 1.5e-7 / speed;
  return m;
}

Machine machine_of(const Host& space) { return cpu_machine(space.threads()); }

}  // namespace ostinato
