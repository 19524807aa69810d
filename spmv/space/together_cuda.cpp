// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/together.hpp>

#include <ostinato/spmv/space/cuda/pinned_copies.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

void download(const Cuda& space, std::span<const Copied> arrays) {
  if (cuda::room_for(arrays) > Cuda::State::staging_bytes) {
    for (const Copied& a : arrays) space.download(a.to, a.from, a.bytes);
    return;
  }
  const OnDevice here(space);
  cuda::enqueue_copies(space, arrays, space.state().staging);
  space.state().wait();
  cuda::hand_out(arrays, space.state().staging);
}

void settle(const Cuda& space) {
  if (!MadeTogether::is_on()) return space.wait();
  // A fill between two kernels orders them fully (cuda/overlap.cuh). The counter is 0 between reductions anyway.
  space.zero(space.state().arrived, sizeof(unsigned));
}

}  // namespace ostinato
