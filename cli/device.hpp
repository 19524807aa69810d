// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/strategy/device.hpp>

namespace ostinato::cli {

class Command;

/// The options for the device and the precision of a command.
struct DeviceOptions {
  std::string device = "auto";
  std::string precision = "double";
  int threads = 0;
};

void add_device_options(Command& command, DeviceOptions& options);

/// The chosen space, as the reports name it.
struct DeviceInfo {
  std::string description;
  std::string remark;  ///< why "auto" chose the CPU; empty otherwise
  std::string precision;
};

/// Returns a Host with the requested number of threads.
/// Throws    UsageError when there can't be so many.
Host make_host(const DeviceOptions& options);

DeviceInfo device_info(const DeviceOptions& options, std::string description);

/// Calls f.operator()<T>(space, info). Only this function turns device and precision into types.
template <class F>
int with_device(const DeviceOptions& options, F&& f) {
  const Host host = make_host(options);
  const auto on = [&](const auto& space) {
    const DeviceInfo info = device_info(options, space.description());
    return options.precision == "single" ? f.template operator()<float>(space, info)
                                         : f.template operator()<double>(space, info);
  };
  return ostinato::with_device(options.device, host, on);
}

}  // namespace ostinato::cli
