// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// The size of a system, known before any work on it.
struct SystemSize {
  double rows = 0;
  double entries = 0;  ///< 0: a stencil
  double value_bytes = sizeof(double);
};

template <class T>
SystemSize size_of(const CsrView<T>& a) {
  return {static_cast<double>(a.rows), static_cast<double>(a.nonzeros()), sizeof(T)};
}

/// Seconds that a whole answer is predicted to take on each device.
struct DeviceSeconds {
  double cpu = 0, gpu = 0;
  bool gpu_is_faster() const { return gpu < cpu; }
};

/// The threads of so many that make an answer faster: two at least, and one for each 50,000 entries. On 16 threads of
/// an EPYC memplus (126,000) takes 163 ms, on two 92; bcsstk33 (592,000) 328 and 807 (2026-11).
int useful_threads(const SystemSize& size, int threads);

/// Predicts a whole answer, set-up included, by what it moves: so equal calls decide alike, whatever the machine does.
/// `is_open`: the process has the context of the GPU already, so that opening it costs nothing.
///
/// Limits    How many iterations a system takes isn't known: the usual ones are counted, for any GPU those of an H200
///           (device.cpp). A hard system takes ten times as long as an easy one of its size.
DeviceSeconds predict_seconds(const SystemSize& size, int threads, bool is_open);

/// What is wrong with the name of a device; empty for auto, cpu, cuda and cuda:N.
std::string why_no_device(std::string_view name);

/// The device of an answer.
struct DeviceChoice {
  int gpu = -1;             ///< -1: the CPU
  DeviceSeconds predicted;  ///< also where a device is named
  std::string absent;       ///< why auto takes the CPU although a GPU were faster
};

/// The device that a name stands for: auto is the one that is predicted to take less time. A GPU is looked for, and its
/// context opened, only where it is predicted to be faster.
/// Throws    ArgumentError for another name.
DeviceChoice choose_device(std::string_view name, const SystemSize& size, const Host& host, bool is_open);

/// Calls f(space) with the space of a choice, and returns what f returns. open() opens the GPU: Cuda(choice.gpu), or
/// one that is open already. `host`: the CPU.
/// Throws    DeviceError where the GPU can't be used; what f throws.
template <class Open, class F>
auto with_device(const DeviceChoice& choice, const Host& host, Open&& open, F&& f) {
  if (choice.gpu < 0) return f(host);
  const Cuda cuda = open();  // throws where the build has no CUDA
#ifdef OSTINATO_HAS_CUDA
  return f(cuda);
#else
  return f(host);
#endif
}

}  // namespace ostinato
