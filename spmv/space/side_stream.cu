// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/side_stream.hpp>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

SideStream<Cuda>::SideStream(const Cuda& space, int number) : space_(space), number_(number) {
  if (number < 0 || number >= Cuda::State::most_sides) throw ArgumentError("SideStream: the number is 0 or 1");
  const OnDevice here(space_);
  space_.state().open(space_.state().sides[number_]);
}

SideStream<Cuda>::~SideStream() {
  try {
    join();
  } catch (const DeviceError&) {  // the next call on the space reports the error
  }
}

void SideStream<Cuda>::mark() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventRecord(space_.state().sides[number_].marked, space_.stream()));
}

void SideStream<Cuda>::join() {
  if (!is_behind_) return;
  is_behind_ = false;
  const OnDevice here(space_);
  const Cuda::State::Side& side = space_.state().sides[number_];
  OSTINATO_CUDA(cudaEventRecord(side.ended, side.stream));
  OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), side.ended, 0));
}

SideStream<Cuda>::OnSide::OnSide(SideStream& side) : space_(side.space_), number_(side.number_) {
  const OnDevice here(space_);
  Cuda::State& state = space_.state();
  Cuda::State::Side& other = state.sides[number_];
  OSTINATO_CUDA(cudaStreamWaitEvent(other.stream, other.marked, 0));
  side.is_behind_ = true;
  state.swap_with(other);
}

SideStream<Cuda>::OnSide::~OnSide() { space_.state().swap_with(space_.state().sides[number_]); }

}  // namespace ostinato
