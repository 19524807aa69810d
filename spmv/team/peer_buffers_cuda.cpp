// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_buffers.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/peer_access.hpp>

namespace ostinato {

namespace {

constexpr std::size_t least_room = 4096;

/// What a rank makes room for that needs more than it has.
std::size_t grown(std::size_t bytes, std::size_t room) { return std::max(bytes, 2 * room); }

}  // namespace

/// A stream for copies, and their end.
struct PeerBuffers::Beside {
  cudaStream_t stream = nullptr;
  cudaEvent_t copied = nullptr;
};

PeerBuffers::PeerBuffers(const Team& team, const Cuda& space)
    : team_(team), space_(space), for_processes_(!are_in_one_process(team)) {}

std::unique_ptr<PeerBuffers> PeerBuffers::make(const Team& team, const Cuda& space) {
  if (team.size() > most_ranks || !reach_each_other(team, space)) return nullptr;
  std::unique_ptr<PeerBuffers> made(new PeerBuffers(team, space));
  team.agreed([&] {
    const OnDevice here(space);
    for (auto& mine : made->mine_) mine = made->memory(least_room);
    made->beside_ = std::make_unique<Beside>();
    OSTINATO_CUDA(cudaStreamCreateWithFlags(&made->beside_->stream, cudaStreamNonBlocking));
    OSTINATO_CUDA(cudaEventCreateWithFlags(&made->beside_->copied, cudaEventDisableTiming));
  });
  for (int k = 0; k < 2; ++k) {
    made->shown_[k] = shown_by_all(team, space, made->mine_[k]);
    made->room_[k].assign(made->shown_[k].size(), least_room);
  }
  return made;
}

std::shared_ptr<PeerMemory> PeerBuffers::memory(std::size_t bytes) const {
  return std::make_shared<PeerMemory>(space_, bytes, for_processes_);
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
  turn_ = 1 - turn_;
  const auto me = static_cast<std::size_t>(team_.rank());
  const std::size_t room = room_[turn_][me];
  mine_[turn_] = shown_[turn_][me];  // what a step that failed has made is seen by nobody
  if (bytes <= room) return;
  mine_[turn_] = memory(grown(bytes, room));
}

std::byte* PeerBuffers::mine() { return mine_[turn_]->data(); }
const std::byte* PeerBuffers::of(int rank) const { return shown_[turn_][static_cast<std::size_t>(rank)]->data(); }

void PeerBuffers::publish() { mine_[turn_]->publish(space_); }

/// All ranks count the room of all, so that they know together when to look.
void PeerBuffers::meet(std::span<const std::size_t> bytes) {
  bool is_more = false;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    std::size_t& room = room_[turn_][r];
    if (bytes[r] <= room) continue;
    room = grown(bytes[r], room);
    is_more = true;
  }
  if (!is_more) return;
  outgrown_.insert(outgrown_.end(), shown_[turn_].begin(), shown_[turn_].end());
  shown_[turn_] = shown_by_all(team_, space_, mine_[turn_]);
}

void PeerBuffers::await() {
  const OnDevice here(space_);
  for (const auto& other : shown_[turn_])
    if (other != mine_[turn_]) other->await(space_.stream());
}

void PeerBuffers::copy(std::span<const Copy> copies) {
  const OnDevice here(space_);
  for (const auto& other : shown_[turn_]) other->await(beside_->stream);
  for (const Copy& c : copies)
    OSTINATO_CUDA(cudaMemcpyAsync(c.to, of(c.rank) + c.begin, c.bytes, cudaMemcpyDefault, beside_->stream));
  OSTINATO_CUDA(cudaEventRecord(beside_->copied, beside_->stream));
}

void PeerBuffers::join() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaStreamWaitEvent(space_.stream(), beside_->copied, 0));
}

}  // namespace ostinato
