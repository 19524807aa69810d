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

/// What the cost model knows of a machine.
struct Machine {
  double bandwidth = 0;     ///< bytes a second that a plain copy moves
  double latency = 0;       ///< seconds to start one product
  double load_latency = 0;  ///< seconds that a thread waits for memory; 0 where prefetching hides it
  double term_seconds = 0;  ///< for one value times one x, when caches feed both
  std::size_t cache_bytes = 0;
  bool device = false;
  std::size_t shared_bytes = 0;  ///< of a block of threads; on devices
  double sector_seconds = 0;     ///< in which the second-level cache hands out 32 bytes; 0 where it holds nobody up
  double cache_gain = 1;         ///< how much faster than memory that cache is, in a plain copy
};

/// What was measured on one model of GPU (bench/machine.cpp): the part of a Machine that no driver tells.
struct Calibration {
  std::string_view device;       ///< the GPU's name
  std::string_view measured;     ///< when
  double clocked_bandwidth = 0;  ///< bytes a second that the memory is clocked for
  double copy_share = 0;         ///< of that, in a plain copy
  double latency = 0;            ///< this and the rest as in Machine
  double load_latency = 0;
  double sector_seconds = 0;
  double term_seconds = 0;
  double cache_gain = 1;
};

/// All GPUs that were measured. The first stands for those that were not.
std::span<const Calibration> calibrations();

/// The entry of that GPU, with the bandwidth that its memory is clocked for. For one without an entry, the first: what
/// bounds throughput grows and shrinks with the clocked bandwidth, latencies stay.
Calibration calibration_of(std::string_view device, double clocked_bandwidth);

/// The GPU's name as `calibrations` have it.
std::string device_name(const Cuda& space);

Machine machine_of(const Calibration& measured, std::size_t cache_bytes, std::size_t shared_bytes);
Machine machine_of(const Host& space);
Machine machine_of(const Cuda& space);

}  // namespace ostinato
