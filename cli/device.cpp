// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr int most_threads = 512;  ///< Kokkos 3 supports no more

/// With which users say how many threads there are.
constexpr const char* thread_settings[] = {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS", "OMP_THREAD_LIMIT"};

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
               .description =
                   "auto, cpu, cuda or cuda:N; auto takes the first GPU where the whole is predicted to take less time "
                   "on it",
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
  command.add({.names = "--threads",
               .description = "threads on the CPU; 0: OMP_NUM_THREADS, or as many as are of use",
               .value = "N"},
              options.threads, whole(0, most_threads));
}

namespace {

/// The threads of a Host that is made for a file; 0: as many as OpenMP gives.
int threads_for(const DeviceOptions& options, const std::string& matrix) {
  constexpr double packed_entry = 4;  // bytes in a file
  const double entries = file_bytes(matrix) / packed_entry;
  const bool is_asked =
      options.threads > 0 || std::any_of(std::begin(thread_settings), std::end(thread_settings),
                                         [](const char* name) { return std::getenv(name) != nullptr; });
  if (is_asked || entries == 0) return options.threads;
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return options.threads;  // over 1,024 processors
  const int all = std::clamp(CPU_COUNT(&mine), 1, most_threads);
  const int useful = useful_threads({0, entries}, all);
  return useful < all ? useful : 0;
}

}  // namespace

Host make_host(const DeviceOptions& options, const std::string& matrix) {
  try {
    return Host(threads_for(options, matrix));
  } catch (const ArgumentError& e) {
    throw UsageError((options.threads > 0 ? "--threads: " : "") + std::string(e.what()));
  }
}

DeviceInfo device_info(const DeviceOptions& options, const DeviceChoice& choice, std::string description) {
  DeviceInfo info{std::move(description), choice.absent, options.precision, choice.predicted};
  if (options.device != "auto") return info;
  const std::string cpu = seconds_text(choice.predicted.cpu), gpu = seconds_text(choice.predicted.gpu);
  // Advice on how to build is for those who ask for a GPU.
  if (Cuda::build_description() == "built without CUDA") {
    info.remark = "no CUDA in this build";
  } else if (choice.gpu >= 0) {
    info.remark = "~" + gpu + " in all, on the CPU ~" + cpu;
  } else if (choice.absent.empty()) {
    info.remark = "~" + cpu + " in all, on a GPU ~" + gpu;
  }
  return info;
}

std::future<Cuda> open_ahead(const DeviceOptions& options, const std::string& matrix, const Host& host) {
  constexpr double longest_entry = 50;  // bytes of an entry in a file; packed files have fewer
  const bool is_named = options.device != "auto";
  const SystemSize least{0, file_bytes(matrix) / longest_entry, sizeof(float)};
  const int automatic = predict_seconds(least, host.threads(), false).gpu_is_faster() ? 0 : -1;
  const int gpu = is_named ? choose_device(options.device, least, host, false).gpu : automatic;
  if (gpu < 0) return {};
#ifdef OSTINATO_HAS_CUDA
  return std::async(std::launch::async, [gpu] { return Cuda(gpu); });
#else
  if (is_named) throw DeviceError(Cuda::why_absent());
  return {};
#endif
}

}  // namespace ostinato::cli
