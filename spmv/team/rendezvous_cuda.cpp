// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/rendezvous.hpp>

#include <algorithm>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/team/peer_memory.hpp>
#include <ostinato/spmv/team/rank_error.hpp>

namespace ostinato {

namespace {

constexpr std::size_t line = 256;  // words that one rank polls and others write lie apart

std::size_t in_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

/// What a rank shows the others: what only its own kernels touch, the words, and the room.
class Layout {
 public:
  Layout(std::size_t ranks, std::size_t bytes)
      : words_(in_lines(2 * ranks * sizeof(std::uint64_t))), room_(2 * ranks * bytes) {}

  std::size_t bytes() const { return line + words_ + room_; }
  static std::uint64_t* words(const PeerMemory& of) { return reinterpret_cast<std::uint64_t*>(of.data() + line); }
  std::byte* room(const PeerMemory& of) const { return of.data() + line + words_; }

 private:
  std::size_t words_, room_;
};

std::shared_ptr<PeerMemory> zeros(const Cuda& space, std::size_t bytes, bool for_processes) {
  auto memory = std::make_shared<PeerMemory>(space, bytes, for_processes);
  const OnDevice here(space);
  OSTINATO_CUDA(cudaMemset(memory->data(), 0, bytes));
  OSTINATO_CUDA(cudaDeviceSynchronize());
  return memory;
}

}  // namespace

Rendezvous::Rendezvous(const Team& team, const Cuda& space, std::size_t bytes, std::uint32_t partners)
    : space_(space), shares_addresses_(are_in_one_process(team)), is_late_(space) {
  const auto ranks = static_cast<std::size_t>(team.size()), me = static_cast<std::size_t>(team.rank());
  view_ = {.rank = team.rank(), .ranks = team.size(), .bytes = in_lines(bytes)};
  view_.partners = partners & ~(std::uint32_t{1} << me);
  const Layout layout(ranks, view_.bytes);
  const auto mine = team.agreed([&] {
    is_late_.make_room(sizeof(int));
    *reinterpret_cast<int*>(is_late_.data()) = 0;
    return zeros(space, layout.bytes(), !shares_addresses_);
  });
  shown_ = shown_by_all(team, space, mine);
  // A kernel that starts early would take the place of another rank's, for which the kernel before it waits.
  const auto on_same = [&](const auto& other) { return other->is_on_same_gpu(*mine); };
  if (std::count_if(shown_.begin(), shown_.end(), on_same) > 1) space.state().overlaps = false;
  for (std::size_t r = 0; r < ranks; ++r) {
    view_.said[r] = Layout::words(*shown_[r]);
    view_.room[r] = layout.room(*shown_[r]);
  }
  view_.met = reinterpret_cast<std::uint64_t*>(mine->data());
  view_.arrived = reinterpret_cast<unsigned*>(mine->data() + sizeof(std::uint64_t));
  view_.is_late = reinterpret_cast<int*>(mine->data() + 2 * sizeof(std::uint64_t));
  view_.is_late_for_host = reinterpret_cast<int*>(is_late_.data());
}

/// The kernels of this rank are over before the memory of the others may go.
Rendezvous::~Rendezvous() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cuda_succeeds(cudaStreamSynchronize(space_.stream()));
}

std::size_t Rendezvous::bytes() const { return shown_[static_cast<std::size_t>(view_.rank)]->bytes(); }

void Rendezvous::confirm() const {
  if (*reinterpret_cast<const volatile int*>(is_late_.data()) != 0)
    throw RankError(
        -1, "the GPU of another rank didn't come to a sum or an exchange within 10 s; its last message may say why");
}

}  // namespace ostinato
