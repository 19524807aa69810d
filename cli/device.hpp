// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <string>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
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
  std::string remark;  ///< why "auto" chose it; empty otherwise
  std::string precision;
  DeviceSeconds predicted;  ///< of a whole answer on each device
};

/// Returns a Host with the requested number of threads. Where none is requested, a small file gets the threads that
/// make a system of its size faster: Kokkos opens each loop with all threads that there are.
/// Throws    UsageError when there can't be so many.
Host make_host(const DeviceOptions& options, const std::string& matrix);

DeviceInfo device_info(const DeviceOptions& options, const DeviceChoice& choice, std::string description);

template <class T>
SystemSize size_of(const Csr<T>& a) {
  return ostinato::size_of(a.view());
}
inline SystemSize size_of(const SystemSize& size) { return size; }

/// Opens the GPU on a thread of its own: one that is named, or that "auto" is sure to take by the size of the file.
/// Nothing where there is none to open.
/// Throws    DeviceError in a build without CUDA.
std::future<Cuda> open_ahead(const DeviceOptions& options, const std::string& matrix, const Host& host);

/// Calls given = read.operator()<T>() and, with the device that is chosen by size_of(given),
/// f.operator()<T>(space, info, given). A GPU is opened meanwhile. Only this function turns device and precision into
/// types. `matrix`: the file that is read, or another name.
template <class Read, class F>
int with_device(const DeviceOptions& options, const std::string& matrix, Read&& read, F&& f) {
  const Host host = make_host(options, matrix);
  const auto in_precision = [&]<class T>() {
    std::future<Cuda> ahead = open_ahead(options, matrix, host);
    auto given = read.template operator()<T>();
    const SystemSize size = size_of(given);
    const DeviceChoice choice = choose_device(options.device, size, host, false);
    const auto open = [&] { return ahead.valid() ? ahead.get() : Cuda(choice.gpu); };
    return ostinato::with_device(choice, host, open, [&](const auto& space) {
      return f.template operator()<T>(space, device_info(options, choice, space.description()), std::move(given));
    });
  };
  return options.precision == "single" ? in_precision.template operator()<float>()
                                       : in_precision.template operator()<double>();
}

}  // namespace ostinato::cli
