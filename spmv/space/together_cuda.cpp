// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/together.hpp>

#include <cstring>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

namespace {

/// The bytes that an array takes in the staging buffer.
std::size_t room(const Copied& a) { return (a.bytes + 15) / 16 * 16; }

}  // namespace

void download(const Cuda& space, std::span<const Copied> arrays) {
  std::size_t total = 0;
  for (const Copied& a : arrays) total += room(a);
  if (total > Cuda::State::staging_bytes) {
    for (const Copied& a : arrays) space.download(a.to, a.from, a.bytes);
    return;
  }
  const OnDevice here(space);
  char* const staging = space.state().staging;
  std::size_t at = 0;
  for (const Copied& a : arrays) {
    if (a.bytes > 0)
      OSTINATO_CUDA(cudaMemcpyAsync(staging + at, a.from, a.bytes, cudaMemcpyDeviceToHost, space.stream()));
    at += room(a);
  }
  space.state().wait();
  at = 0;
  for (const Copied& a : arrays) {
    if (a.bytes > 0) std::memcpy(a.to, staging + at, a.bytes);
    at += room(a);
  }
}

void settle(const Cuda& space) {
  if (!MadeTogether::is_on()) return space.wait();
  // A fill between two kernels orders them fully (cuda/overlap.cuh). The counter is 0 between reductions anyway.
  space.zero(space.state().arrived, sizeof(unsigned));
}

}  // namespace ostinato
