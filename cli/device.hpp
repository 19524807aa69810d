// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "command_line.hpp"

namespace ostinato::cli {

/// Where and in which precision a command works.
struct DeviceOptions {
  std::string device = "auto";
  std::string precision = "double";
  int threads = 0;
};

void add_device_options(Command& command, DeviceOptions& options);

/// The space that was settled on, as the reports name it.
struct DeviceInfo {
  std::string description;
  std::string remark;  ///< why auto took the CPU; empty otherwise
  std::string precision;
};

/// The number of the GPU to use, or -1 for the CPU.
int chosen_gpu(const DeviceOptions& options);

/// A Host with the threads asked for. Throws UsageError when they can't be had.
Host make_host(const DeviceOptions& options);

DeviceInfo device_info(const DeviceOptions& options, std::string description);

/// Calls f.operator()<T>(space, info): the one place where device and precision become types.
template <class F>
int with_device(const DeviceOptions& options, F&& f) {
  const Host host = make_host(options);
  const auto on = [&](const auto& space) {
    const DeviceInfo info = device_info(options, space.description());
    return options.precision == "single" ? f.template operator()<float>(space, info)
                                         : f.template operator()<double>(space, info);
  };
  const int gpu = chosen_gpu(options);
  return gpu < 0 ? on(host) : on(Cuda(gpu));
}

}  // namespace ostinato::cli
