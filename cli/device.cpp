// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <ostinato/spmv/base/error.hpp>

#include "command_line.hpp"
#include "exit_code.hpp"

namespace ostinato::cli {

namespace {

constexpr int most_threads = 512;  ///< Kokkos 3 supports no more

std::string unknown_device(std::string& name) {
  name = lower(name);
  return why_no_device(name);
}

/// "mixed" is a name of the program's design, so that a script that has it is told more than that it is unknown.
std::string unknown_precision(std::string& name) {
  if (name == "mixed") return "'mixed' is planned and can't be had yet; known: double, single";
  return one_of("double, single")(name);
}

}  // namespace

void add_device_options(Command& command, DeviceOptions& options) {
  command.add({.names = "--device",
               .description = "auto, cpu, cuda or cuda:N; auto takes the first GPU if there is one",
               .value = "NAME",
               .words = "auto, cpu, cuda",
               .check = unknown_device},
              options.device);
  command.add({.names = "--precision",
               .description = "double or single",
               .value = "NAME",
               .words = "double, single",
               .check = unknown_precision},
              options.precision);
  command.add({.names = "--threads", .description = "threads on the CPU; 0: OMP_NUM_THREADS, or all", .value = "N"},
              options.threads, whole(0, most_threads));
}

Host make_host(const DeviceOptions& options) {
  try {
    return Host(options.threads);
  } catch (const ArgumentError& e) {
    throw UsageError((options.threads > 0 ? "--threads: " : "") + std::string(e.what()));
  }
}

DeviceInfo device_info(const DeviceOptions& options, std::string description) {
  std::string absent = options.device == "auto" ? Cuda::why_absent() : "";
  // Advice on how to build is for those who ask for a GPU.
  if (!absent.empty() && Cuda::build_description() == "built without CUDA") absent = "no CUDA in this build";
  return {std::move(description), std::move(absent), options.precision};
}

}  // namespace ostinato::cli
