// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_buffers.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include <ostinato/spmv/space/cuda/state.cuh>

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

namespace {

/// A number that no other process has.
std::array<std::uint32_t, 4> process_number() {
  static const auto number = [] {
    std::random_device random;
    return std::array<std::uint32_t, 4>{random(), random(), random(), random()};
  }();
  return number;
}

/// Whether the current GPU reaches the memory of another one, from now on.
bool reaches(int from, int to) {
  int can = 0;
  if (from == to) return true;
  if (!cuda_succeeds(cudaDeviceCanAccessPeer(&can, from, to)) || can == 0) return false;
  const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
  return cuda_succeeds(code) || code == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace

PeerBuffers::PeerBuffers(const Cuda& space) : space_(space) {}

std::unique_ptr<PeerBuffers> PeerBuffers::make(const Team& team, const Cuda& space) {
  const auto processes = team.all_gather(process_number());
  const bool is_one = std::all_of(processes.begin(), processes.end(), [&](const auto& p) { return p == processes[0]; });
  if (!is_one || team.size() > most_ranks) return nullptr;
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
  for (const std::shared_ptr<Shown>* const other : team.all_gather<const std::shared_ptr<Shown>*>(&mine))
    made->shown_.push_back(*other);
  bool reaches_all = false;
  team.agreed([&] {
    const OnDevice here(space);
    reaches_all = std::all_of(made->shown_.begin(), made->shown_.end(),
                              [&](const auto& other) { return reaches(space.device(), other->device); });
  });
  if (team.least(reaches_all ? 1 : 0) == 0) made.reset();  // all have taken their copies of `mine`
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

std::size_t PeerBuffers::bytes() const {
  const Shown& mine = *shown_[static_cast<std::size_t>(rank_)];
  return mine.bytes[0] + mine.bytes[1];
}

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
