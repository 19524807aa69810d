// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
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

/// A CPU, as Machine has it but for one thread.
struct Cpu {
  double thread_bandwidth = 0;  ///< bytes a second that one thread reads from memory
  int feeding_threads = 0;      ///< threads that take all that the memory gives
  double start_seconds = 0;     ///< of a parallel step
  double entry_seconds = 0, term_seconds = 0, call_seconds = 0;
  std::size_t cache_bytes = 0;  ///< where the system doesn't tell
};

// The geometric means of an EPYC of 2026 (45 GB/s a thread, 0.37 ns an entry, 0.15 us a call) and a Xeon of 2.8 GHz
// (12.5 GB/s, 0.69 ns, 0.28 us). Nine threads of the EPYC take all that its memory gives (2026-11).
constexpr Cpu typical = {.thread_bandwidth = 24e9,
                         .feeding_threads = 9,
                         .start_seconds = 2e-6,
                         .entry_seconds = 5.0e-10,
                         .term_seconds = 3.0e-10,
                         .call_seconds = 2.0e-7,
                         .cache_bytes = std::size_t{32} << 20};

/// The last cache that Linux tells of, or 0. (In a virtual machine sysconf() may tell of the whole socket's.)
std::size_t last_cache() {
  constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{1} << 30;
  std::size_t kibibytes = 0;
  for (const char* index : {"3", "2"}) {
    std::ifstream file(std::string("/sys/devices/system/cpu/cpu0/cache/index") + index + "/size");
    if (file >> kibibytes && kibibytes > 0) return std::clamp(kibibytes * 1024, least, most);
  }
  return 0;
}

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

Machine cpu_machine(int threads, std::size_t cache_bytes) {
  Machine m;
  m.threads = threads;
  m.bandwidth = typical.thread_bandwidth * std::min(threads, typical.feeding_threads);
  m.latency = typical.start_seconds;
  m.entry_seconds = typical.entry_seconds;
  m.term_seconds = typical.term_seconds / threads;
  m.call_seconds = typical.call_seconds;
  m.cache_bytes = cache_bytes > 0 ? cache_bytes : typical.cache_bytes;
  return m;
}

Machine machine_of(const Host& space) {
  static const std::size_t cache_bytes = last_cache();
  return cpu_machine(space.threads(), cache_bytes);
}

}  // namespace ostinato
