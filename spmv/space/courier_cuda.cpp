// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/courier.hpp>

#include <cstring>
#include <utility>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

struct SharedBytes<Cuda>::Memory {
  Cuda space;
  Cuda::State::Pinned pinned;

  explicit Memory(const Cuda& of) : space(of) {}
  /// Kernels may still write what is given back.
  ~Memory() {
    if (pinned.memory == nullptr) return;
    const OnDevice here(space.state(), OnDevice::Quietly{});
    (void)cuda_succeeds(cudaStreamSynchronize(space.stream()));
    space.state().give_pinned(pinned);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

SharedBytes<Cuda>::SharedBytes(const Cuda& space) : memory_(std::make_unique<Memory>(space)) {}
SharedBytes<Cuda>::~SharedBytes() = default;

void SharedBytes<Cuda>::make_room(std::size_t bytes) {
  Cuda::State::Pinned& held = memory_->pinned;
  if (bytes <= held.bytes) return;
  const OnDevice here(memory_->space);
  Cuda::State& state = memory_->space.state();
  const Cuda::State::Pinned larger = state.take_pinned(bytes);
  (void)cuda_succeeds(cudaStreamSynchronize(state.stream));
  if (held.memory != nullptr) {
    std::memcpy(larger.memory, held.memory, held.bytes);
    state.give_pinned(held);
  }
  held = larger;
  data_ = static_cast<std::byte*>(held.memory);
}

/// A stream, and where it and that of the space wait for each other.
struct Courier::Stream {
  cudaStream_t stream = nullptr;
  cudaEvent_t ready = nullptr, fetched = nullptr, delivered = nullptr;
};

Courier::Courier(const Cuda& space, std::size_t out, std::size_t in)
    : space_(space), out_bytes_(out), in_bytes_(in), out_(space), in_(space) {
  if (out + in == 0) return;
  out_.make_room(out);
  in_.make_room(in);
  const OnDevice here(space_);
  beside_ = std::make_unique<Stream>();
  OSTINATO_CUDA(cudaStreamCreateWithFlags(&beside_->stream, cudaStreamNonBlocking));
  for (cudaEvent_t* const event : {&beside_->ready, &beside_->fetched, &beside_->delivered})
    OSTINATO_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
}

Courier::~Courier() {
  if (beside_ == nullptr) return;
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cuda_succeeds(cudaStreamSynchronize(beside_->stream));
  for (const cudaEvent_t event : {beside_->ready, beside_->fetched, beside_->delivered})
    if (event != nullptr) (void)cuda_succeeds(cudaEventDestroy(event));
  (void)cuda_succeeds(cudaStreamDestroy(beside_->stream));
}

/// The event is recorded without bytes, too: wait() makes sure that what was delivered before has arrived.
void Courier::fetch(const void* from) {
  if (beside_ == nullptr) return;
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventRecord(beside_->ready, space_.stream()));
  OSTINATO_CUDA(cudaStreamWaitEvent(beside_->stream, beside_->ready, 0));
  if (out_bytes_ > 0) OSTINATO_CUDA(cudaMemcpyAsync(out(), from, out_bytes_, cudaMemcpyDeviceToHost, beside_->stream));
  OSTINATO_CUDA(cudaEventRecord(beside_->fetched, beside_->stream));
}

void Courier::wait() {
  if (beside_ == nullptr) return;
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventSynchronize(beside_->fetched));
}

void Courier::deliver(std::initializer_list<Place> places) {
  if (in_bytes_ == 0) return;
  const OnDevice here(space_);
  const std::byte* from = in();
  for (const Place& place : places) {
    if (place.bytes == 0) continue;
    OSTINATO_CUDA(cudaMemcpyAsync(place.to, from, place.bytes, cudaMemcpyHostToDevice, beside_->stream));
    from += place.bytes;
  }
  OSTINATO_CUDA(cudaEventRecord(beside_->delivered, beside_->stream));
  OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), beside_->delivered, 0));
}

}  // namespace ostinato
