// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_buffers.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/peer_access.hpp>

namespace ostinato {

/// What a rank shows the others. It stays until all of them are done with it.
struct PeerBuffers::Shown {
  int device = 0;
  std::byte* memory[2] = {};
  std::size_t bytes[2] = {};
  cudaEvent_t complete[2] = {};
  std::vector<std::byte*> outgrown;  ///< others may still read these

  explicit Shown(int on) : device(on) {}
  ~Shown() {
    try {
      const OnDevice here(device);
      for (std::byte* const old : outgrown) (void)cuda_succeeds(cudaFree(old));
      for (int k = 0; k < 2; ++k) {
        if (memory[k] != nullptr) (void)cuda_succeeds(cudaFree(memory[k]));
        if (complete[k] != nullptr) (void)cuda_succeeds(cudaEventDestroy(complete[k]));
      }
    } catch (const DeviceError&) {  // at the end of a program, after the driver's
    }
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
};

/// A stream for copies, and their end.
struct PeerBuffers::Beside {
  cudaStream_t stream = nullptr;
  cudaEvent_t copied = nullptr;
};

PeerBuffers::PeerBuffers(const Cuda& space) : space_(space) {}

std::unique_ptr<PeerBuffers> PeerBuffers::make(const Team& team, const Cuda& space) {
  if (team.size() > most_ranks || !reach_each_other(team, space)) return nullptr;
  std::unique_ptr<PeerBuffers> made(new PeerBuffers(space));
  made->rank_ = team.rank();
  std::shared_ptr<Shown> mine;
  team.agreed([&] {
    const OnDevice here(space);
    mine = std::make_shared<Shown>(space.device());
    for (cudaEvent_t& event : mine->complete) OSTINATO_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    made->beside_ = std::make_unique<Beside>();
    OSTINATO_CUDA(cudaStreamCreateWithFlags(&made->beside_->stream, cudaStreamNonBlocking));
    OSTINATO_CUDA(cudaEventCreateWithFlags(&made->beside_->copied, cudaEventDisableTiming));
  });
  made->shown_ = shown_by_all(team, mine);
  return made;
}

/// The copies and kernels of this rank are over before the memory of the others may go.
PeerBuffers::~PeerBuffers() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cuda_succeeds(cudaStreamSynchronize(space_.stream()));
  if (beside_ != nullptr) {
    if (beside_->stream != nullptr) (void)cuda_succeeds(cudaStreamSynchronize(beside_->stream));
    if (beside_->copied != nullptr) (void)cuda_succeeds(cudaEventDestroy(beside_->copied));
    if (beside_->stream != nullptr) (void)cuda_succeeds(cudaStreamDestroy(beside_->stream));
  }
}

void PeerBuffers::turn(std::size_t bytes) {
  constexpr std::size_t least = 4096;
  turn_ = 1 - turn_;
  Shown& mine = *shown_[static_cast<std::size_t>(rank_)];
  if (bytes <= mine.bytes[turn_]) return;
  const OnDevice here(space_);
  const std::size_t room = std::max({bytes, least, 2 * mine.bytes[turn_]});
  void* made = nullptr;
  OSTINATO_CUDA(cudaMalloc(&made, room));
  if (mine.memory[turn_] != nullptr) mine.outgrown.push_back(mine.memory[turn_]);
  mine.memory[turn_] = static_cast<std::byte*>(made);
  mine.bytes[turn_] = room;
}

std::byte* PeerBuffers::mine() { return shown_[static_cast<std::size_t>(rank_)]->memory[turn_]; }
const std::byte* PeerBuffers::of(int rank) const { return shown_[static_cast<std::size_t>(rank)]->memory[turn_]; }

void PeerBuffers::publish() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventRecord(shown_[static_cast<std::size_t>(rank_)]->complete[turn_], space_.stream()));
}

void PeerBuffers::await() {
  const OnDevice here(space_);
  for (std::size_t r = 0; r < shown_.size(); ++r)
    if (static_cast<int>(r) != rank_)
      OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), shown_[r]->complete[turn_], 0));
}

void PeerBuffers::copy(std::span<const Copy> copies) {
  const OnDevice here(space_);
  for (const auto& other : shown_) OSTINATO_CUDA(cudaStreamWaitEvent(beside_->stream, other->complete[turn_], 0));
  for (const Copy& c : copies)
    OSTINATO_CUDA(cudaMemcpyAsync(c.to, of(c.rank) + c.begin, c.bytes, cudaMemcpyDefault, beside_->stream));
  OSTINATO_CUDA(cudaEventRecord(beside_->copied, beside_->stream));
}

void PeerBuffers::join() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), beside_->copied, 0));
}

}  // namespace ostinato
