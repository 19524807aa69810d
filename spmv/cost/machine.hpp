// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ostinato {

class Host;
class Cuda;

/// The facts about a machine that the cost model uses.
struct Machine {
  double bandwidth = 0;     ///< bytes a second in a plain copy
  double latency = 0;       ///< seconds to start one product
  double load_latency = 0;  ///< seconds that a thread waits for memory; 0 where prefetching hides it
  double term_seconds = 0;  ///< for one multiplication of a value with x and its addition, when caches feed both
  std::size_t cache_bytes = 0;
  bool device = false;
  std::size_t shared_bytes = 0;  ///< shared memory of a thread block, on a GPU
  double sector_seconds = 0;     ///< for a 32-byte sector from the second-level cache; 0 where that is no limit
  double cache_gain = 1;         ///< bandwidth of the cache over that of memory, in a plain copy
  int threads = 1;               ///< on the CPU: threads whose start and share of the work count
  double entry_seconds = 0;      ///< on the CPU: for an entry of csr, from a cache, on one of `threads`
  double call_seconds = 0;       ///< on the CPU: for a product of next to nothing
};

/// What was measured on one model of GPU (bench/machine.cpp): the part of a Machine that no driver reports.
struct Calibration {
  std::string_view device;       ///< the GPU's name
  std::string_view measured;     ///< year and month
  double clocked_bandwidth = 0;  ///< bytes a second at the memory's clock rate
  double copy_share = 0;         ///< share of clocked_bandwidth that a plain copy reaches
  double latency = 0;            ///< this member and the following ones are as in Machine
  double load_latency = 0;
  double sector_seconds = 0;
  double term_seconds = 0;
  double cache_gain = 1;
};

/// All GPUs that were measured. The first GPU stands for every GPU that wasn't.
std::span<const Calibration> calibrations();

/// The entry of a GPU, with `clocked_bandwidth` in place of the measured one when that is positive. A GPU without an
/// entry gets the first entry: sector_seconds and term_seconds are scaled by the clocked bandwidth, latencies stay.
Calibration calibration_of(std::string_view device, double clocked_bandwidth);

/// The GPU's name as calibrations() has it.
std::string device_name(const Cuda& space);

/// The machine of a calibration, with the cache and shared memory that the driver reports.
Machine machine_of(const Calibration& measured, std::size_t cache_bytes, std::size_t shared_bytes);

/// A typical CPU with so many threads. Nothing is measured, so that equal calls choose equal formats.
Machine cpu_machine(int threads);

/// The machine that a space runs on. A Host is the typical CPU, on which threads make everything faster alike: so every
/// machine chooses the same formats, with any number of threads. A space that doesn't tell is a thread of it.
Machine machine_of(const Host& space);
Machine machine_of(const Cuda& space);
template <class Space>
Machine machine_of(const Space&) {
  return cpu_machine(1);
}

}  // namespace ostinato
