// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/readback.hpp>

#include <utility>

#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/pinned_copies.hpp>

namespace ostinato {

namespace {

constexpr unsigned threads = 256;

/// Writes into pinned host memory. Between two graphs this takes half the time of a copy (H200, 2026-11), since no
/// other engine of the GPU has to be waited for.
__global__ void __launch_bounds__(threads) copy_kernel(const void* from, void* to, std::size_t bytes) {
  cuda::pdl_trigger_and_wait();
  const std::size_t words = bytes / sizeof(unsigned);
  for (std::size_t k = threadIdx.x; k < words; k += threads)
    static_cast<unsigned*>(to)[k] = static_cast<const unsigned*>(from)[k];
  for (std::size_t k = words * sizeof(unsigned) + threadIdx.x; k < bytes; k += threads)
    static_cast<char*>(to)[k] = static_cast<const char*>(from)[k];
}

}  // namespace

/// A pinned buffer, for as long as the object lives.
struct PinnedBuffer {
  Cuda::State* state = nullptr;
  Cuda::State::Pinned pinned;

  void take(Cuda::State& from, std::size_t bytes) {
    pinned = from.take_pinned(bytes);
    state = &from;
  }
  ~PinnedBuffer() {
    if (state != nullptr) state->give_pinned(pinned);
  }
};

struct CudaReadback::Buffer : PinnedBuffer {};
struct DownloadBehind<Cuda>::Buffer : PinnedBuffer {};

CudaReadback::CudaReadback(const Cuda& space, std::size_t bytes)
    : space_(space), bytes_(bytes), buffers_(new Buffer[2]) {
  const OnDevice here(space_);
  for (int k = 0; k < 2; ++k) buffers_[k].take(space_.state(), bytes);
}

CudaReadback::~CudaReadback() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cudaStreamSynchronize(space_.stream());
  buffers_.reset();
}

void CudaReadback::start(const void* from) {
  const Cuda::State::Pinned& buffer = buffers_[started_++ % 2].pinned;
  const OnDevice here(space_);
  cuda::launch(space_, copy_kernel, 1, threads, 0, from, buffer.memory, bytes_);
  OSTINATO_CUDA(cudaEventRecord(buffer.copied, space_.stream()));
}

const void* CudaReadback::wait() {
  const Cuda::State::Pinned& buffer = buffers_[read_++ % 2].pinned;
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventSynchronize(buffer.copied));
  return buffer.memory;
}

DownloadBehind<Cuda>::DownloadBehind(const Cuda& space, std::vector<Copied> arrays)
    : space_(space), arrays_(std::move(arrays)), buffer_(new Buffer) {
  const OnDevice here(space_);
  buffer_->take(space_.state(), cuda::room_for(arrays_));
  try {
    cuda::enqueue_copies(space_, arrays_, buffer_->pinned.memory);
    OSTINATO_CUDA(cudaEventRecord(buffer_->pinned.copied, space_.stream()));
  } catch (...) {
    (void)cuda_succeeds(cudaStreamSynchronize(space_.stream()));  // others may take the buffer next
    throw;
  }
}

DownloadBehind<Cuda>::~DownloadBehind() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cudaEventSynchronize(buffer_->pinned.copied);
  buffer_.reset();
}

void DownloadBehind<Cuda>::finish() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventSynchronize(buffer_->pinned.copied));
  cuda::hand_out(arrays_, buffer_->pinned.memory);
}

}  // namespace ostinato
