// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/rendezvous.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/peer_access.hpp>
#include <ostinato/spmv/team/rank_error.hpp>

namespace ostinato {

/// What a rank shows the others: the words, what only its own kernels touch, and the room. It stays until all of them
/// are done with it.
struct Rendezvous::Shown {
  static constexpr std::size_t line = 256;  // words that one rank polls and others write lie apart

  int device;
  std::byte* memory = nullptr;
  std::size_t size;

  Shown(int on, std::size_t ranks, std::size_t bytes)
      : device(on), size(line + in_lines(2 * ranks * sizeof(std::uint64_t)) + 2 * ranks * bytes) {
    OSTINATO_CUDA(cudaMalloc(reinterpret_cast<void**>(&memory), size));
    OSTINATO_CUDA(cudaMemset(memory, 0, size));
    OSTINATO_CUDA(cudaDeviceSynchronize());
  }
  ~Shown() {
    try {
      const OnDevice here(device);
      (void)cuda_succeeds(cudaFree(memory));
    } catch (const DeviceError&) {  // at the end of a program, after the driver's
    }
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  static std::size_t in_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }
  std::byte* words() const { return memory + line; }
  std::byte* room(std::size_t ranks) const { return words() + in_lines(2 * ranks * sizeof(std::uint64_t)); }
};

Rendezvous::Rendezvous(const Team& team, const Cuda& space, std::size_t bytes, std::uint32_t partners)
    : space_(space), is_late_(space) {
  const auto ranks = static_cast<std::size_t>(team.size()), me = static_cast<std::size_t>(team.rank());
  view_ = {.rank = team.rank(), .ranks = team.size(), .bytes = Shown::in_lines(bytes)};
  view_.partners = partners & ~(std::uint32_t{1} << me);
  std::shared_ptr<Shown> mine;
  team.agreed([&] {
    const OnDevice here(space);
    mine = std::make_shared<Shown>(space.device(), ranks, view_.bytes);
    is_late_.make_room(sizeof(int));
    *reinterpret_cast<int*>(is_late_.data()) = 0;
  });
  shown_ = shown_by_all(team, mine);
  // A kernel that starts early would take the place of another rank's, for which the kernel before it waits.
  const auto on_same = [&](const auto& other) { return other->device == mine->device; };
  if (std::count_if(shown_.begin(), shown_.end(), on_same) > 1) space.state().overlaps = false;
  for (std::size_t r = 0; r < ranks; ++r) {
    view_.said[r] = reinterpret_cast<std::uint64_t*>(shown_[r]->words());
    view_.room[r] = shown_[r]->room(ranks);
  }
  view_.met = reinterpret_cast<std::uint64_t*>(mine->memory);
  view_.arrived = reinterpret_cast<unsigned*>(mine->memory + sizeof(std::uint64_t));
  view_.is_late = reinterpret_cast<int*>(mine->memory + 2 * sizeof(std::uint64_t));
  view_.is_late_for_host = reinterpret_cast<int*>(is_late_.data());
}

/// The kernels of this rank are over before the memory of the others may go.
Rendezvous::~Rendezvous() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cuda_succeeds(cudaStreamSynchronize(space_.stream()));
}

std::size_t Rendezvous::bytes() const { return shown_[static_cast<std::size_t>(view_.rank)]->size; }

void Rendezvous::confirm() const {
  if (*reinterpret_cast<const volatile int*>(is_late_.data()) != 0)
    throw RankError(
        -1, "the GPU of another rank didn't come to a sum or an exchange within 10 s; its last message may say why");
}

}  // namespace ostinato
