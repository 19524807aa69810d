// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/readback.hpp>

#include <stdexcept>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

struct CudaReadback::Buffer {
  Cuda::State* state = nullptr;
  Cuda::State::Pinned pinned;

  void take(Cuda::State& from) {
    pinned = from.take_pinned();
    state = &from;
  }
  ~Buffer() {
    if (state != nullptr) state->give_pinned(pinned);
  }
};

CudaReadback::CudaReadback(const Cuda& space, std::size_t bytes)
    : space_(space), bytes_(bytes), buffers_(new Buffer[2]) {
  if (bytes > Cuda::State::Pinned::bytes) throw std::length_error("CudaReadback: too many bytes");
  const OnDevice here(space_);
  for (int k = 0; k < 2; ++k) buffers_[k].take(space_.state());
}

CudaReadback::~CudaReadback() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cudaStreamSynchronize(space_.stream());
  buffers_.reset();
}

void CudaReadback::start(const void* from) {
  const Cuda::State::Pinned& buffer = buffers_[started_++ % 2].pinned;
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaMemcpyAsync(buffer.memory, from, bytes_, cudaMemcpyDeviceToHost, space_.stream()));
  OSTINATO_CUDA(cudaEventRecord(buffer.copied, space_.stream()));
}

const void* CudaReadback::wait() {
  const Cuda::State::Pinned& buffer = buffers_[read_++ % 2].pinned;
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventSynchronize(buffer.copied));
  return buffer.memory;
}

}  // namespace ostinato
