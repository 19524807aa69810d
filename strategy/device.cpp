// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/device.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

struct DeviceFigures {
  double open = 0;       ///< seconds that a process spends once to open the device, and to give it back at its end
  double set_up = 0;     ///< seconds that any answer takes
  double upload = 0;     ///< for a byte of the matrix
  double iteration = 0;  ///< for its starts and waits
  double byte = 0;       ///< for a byte that is read or written
};

// Whole processes of `ostinato solve` on an NVIDIA H200, and on one thread of the EPYC beside it (2026-11). Matrices of
// 0.6 to 15 million entries, and stencils, took a third to three times as long as is predicted; a grid that is found in
// a matrix, whose multigrid takes a dozen iterations, a seventh.
constexpr DeviceFigures h200 = {0.36, 0.02, 1 / 7e9, 40e-6, 1 / 4e12}, epyc_thread = {0, 0.002, 0, 4e-6, 1 / 8.6e9};
constexpr double one_thread_share = 0.15;  ///< of an answer, whatever the number of threads
constexpr double entries_of_thread = 50e3;

DeviceFigures cpu_figures(int threads) {
  DeviceFigures f = epyc_thread;
  f.byte *= one_thread_share + (1 - one_thread_share) / threads;
  return f;
}

// A matrix is read so often by analysis, numbering and preconditioner, and by an iteration together with as much of M
// and some vectors. A stencil has multigrid, whose cycles are as many for any size.
struct UsualAnswer {
  double set_up_reads, iterations, matrix_reads, vectors;
};
constexpr UsualAnswer of_matrix = {60, 300, 2, 12}, of_stencil = {0, 12, 0, 20};

double answer_seconds(const SystemSize& size, const DeviceFigures& f) {
  const bool is_stored = size.entries > 0;
  const UsualAnswer& usual = is_stored ? of_matrix : of_stencil;
  const double matrix = is_stored ? (size.value_bytes + sizeof(Index)) * size.entries + sizeof(Offset) * size.rows : 0;
  const double iteration = usual.matrix_reads * matrix + usual.vectors * size.value_bytes * size.rows;
  const double moved = usual.set_up_reads * matrix + usual.iterations * iteration;
  return f.set_up + matrix * f.upload + usual.iterations * f.iteration + moved * f.byte;
}

/// The N of "cuda:N"; nothing for another name.
std::optional<int> numbered_gpu(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint16_t gpu = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), gpu);
  return error == std::errc() && end == name.data() + name.size() ? std::optional<int>(gpu) : std::nullopt;
}

}  // namespace

int useful_threads(const SystemSize& size, int threads) {
  constexpr double least = 2;
  return static_cast<int>(
      std::min<double>(threads, std::max(least, std::max(size.entries, size.rows) / entries_of_thread)));
}

DeviceSeconds predict_seconds(const SystemSize& size, int threads, bool is_open) {
  return {answer_seconds(size, cpu_figures(useful_threads(size, threads))),
          answer_seconds(size, h200) + (is_open ? 0 : h200.open)};
}

std::string why_no_device(std::string_view name) {
  const std::string device = lower(name);
  if (device == "auto" || device == "cpu" || device == "cuda" || numbered_gpu(device)) return {};
  return "'" + device + "' is unknown; known: auto, cpu, cuda, cuda:N";
}

DeviceChoice choose_device(std::string_view name, const SystemSize& size, const Host& host, bool is_open) {
  if (const std::string why = why_no_device(name); !why.empty()) throw ArgumentError("device: " + why);
  const std::string device = lower(name);
  DeviceChoice choice{-1, predict_seconds(size, host.threads(), is_open), {}};
  if (device != "auto" && device != "cpu") choice.gpu = numbered_gpu(device).value_or(0);
  if (device != "auto" || !choice.predicted.gpu_is_faster()) return choice;
  choice.absent = Cuda::why_absent();
  choice.gpu = choice.absent.empty() ? 0 : -1;
  return choice;
}

}  // namespace ostinato
