// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/side_stream.hpp>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

SideStream<Cuda>::SideStream(const Cuda& space) : space_(space) {
  const OnDevice here(space_);
  space_.state().open_side();
}

SideStream<Cuda>::~SideStream() {
  try {
    join();
  } catch (const DeviceError&) {  // the next call on the space reports the error
  }
}

void SideStream<Cuda>::mark() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventRecord(space_.state().side.marked, space_.stream()));
}

void SideStream<Cuda>::join() {
  if (!is_behind_) return;
  is_behind_ = false;
  const OnDevice here(space_);
  const Cuda::State::Side& side = space_.state().side;
  OSTINATO_CUDA(cudaEventRecord(side.ended, side.stream));
  OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), side.ended, 0));
}

SideStream<Cuda>::OnSide::OnSide(SideStream& side) : space_(side.space_) {
  const OnDevice here(space_);
  Cuda::State& state = space_.state();
  OSTINATO_CUDA(cudaStreamWaitEvent(state.side.stream, state.side.marked, 0));
  side.is_behind_ = true;
  state.swap_sides();
}

SideStream<Cuda>::OnSide::~OnSide() { space_.state().swap_sides(); }

}  // namespace ostinato
