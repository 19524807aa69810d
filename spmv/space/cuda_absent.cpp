// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// What only the Cuda class has, in a build without CUDA. The functions that Host has, too, are made by the build, and
// throw (cmake/cuda_stubs.sh).

#include <string>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

namespace {

constexpr const char* absent =
    "this build of ostinato has no CUDA; build it with the CUDA toolkit (OSTINATO_CUDA=on ./dev build), or use the CPU";

[[noreturn]] void fail() { throw DeviceError(absent); }

}  // namespace

struct Cuda::State {};

Cuda::Cuda(int) { fail(); }
Cuda::Cuda(int, Stream) { fail(); }
int Cuda::device() const { fail(); }
Cuda::Stream Cuda::stream() const { fail(); }
int Cuda::multiprocessors() const { fail(); }
std::size_t Cuda::cache_bytes() const { fail(); }
std::size_t Cuda::shared_bytes() const { fail(); }
double Cuda::bandwidth() const { fail(); }
void require_device_memory(const Cuda&, const void*, const char*) { fail(); }
int Cuda::device_count() noexcept { return 0; }
std::string Cuda::why_absent(int) { return absent; }
std::string Cuda::build_description() { return "built without CUDA"; }

}  // namespace ostinato

/// Stands for each function that needs a Cuda object, which nobody can have.
extern "C" [[noreturn]] void ostinato_no_cuda() { throw ostinato::DeviceError(ostinato::absent); }
#include <ostinato_generated/cuda_stubs.inc>
