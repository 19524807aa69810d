// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/spmv/team/rendezvous.hpp>

namespace ostinato::multigrid {

/// The vectors of a cycle over slabs: floats of each rank, 0 at first. On GPUs that reach each other, ranks write into
/// the memory of others, and then meet: by events and hosts or, in captured cycles, in kernels. Otherwise messages of
/// the hosts carry what goes from rank to rank.
template <class Local>
class SlabMemory {
 public:
  /// Exec      Collective. Waits.
  SlabMemory(const Distributed<Local>& space, std::size_t floats) : space_(space) {
    const Team& team = space.team();
    if constexpr (is_cuda<Local>) {
      if (team.size() > 1) turns_ = PeerBuffers::make(team, space.local());
      if (turns_ != nullptr) peers_ = PeerBuffers::make(team, space.local());
      if (peers_ != nullptr && space.can_capture()) rendezvous_ = std::make_unique<Rendezvous>(team, space.local(), 0);
    }
    const std::size_t bytes = std::max<std::size_t>(1, floats) * sizeof(float);
    team.agreed([&] {
      if constexpr (is_cuda<Local>) {
        if (peers_ != nullptr) {
          peers_->turn(bytes);
          first_ = reinterpret_cast<float*>(peers_->mine());
        }
      }
      if (!is_shared()) {
        own_ = Vector<Local, float>(space.local(), bytes / sizeof(float));
        first_ = own_.data();
      }
      space.zero(first_, bytes);
      space.wait();  // others may write from now on
    });
    if constexpr (is_cuda<Local>) {
      if (is_shared()) peers_->meet(team.all_gather(bytes));
      if (is_shared()) no_bytes_.assign(static_cast<std::size_t>(team.size()), 0);
    }
  }

  const Distributed<Local>& space() const { return space_; }
  const Team& team() const { return space_.team(); }
  float* data() const { return first_; }
  bool is_shared() const {
    if constexpr (is_cuda<Local>) return peers_ != nullptr;
    return false;
  }
  /// Where the memory of another rank begins.
  /// Requires  is_shared()
  float* of(int rank) const {
    if constexpr (is_cuda<Local>) return reinterpret_cast<float*>(const_cast<std::byte*>(peers_->of(rank)));
    return nullptr;
  }

  /// Later work of this rank comes after what all ranks have enqueued so far. So a rank may write what others read
  /// before their latest meeting.
  /// Exec      Collective. Enqueued; the host waits for other hosts alone.
  /// Requires  is_shared()
  void meet() const requires is_cuda<Local> {
    if (rendezvous_ != nullptr) rendezvous_->confirm();
    turns_->turn(0);
    turns_->publish();
    team().all_gather(nullptr, 0, nullptr);
    turns_->meet(no_bytes_);
    turns_->await();
  }

  /// Whether kernels of the ranks meet, each of which comes after all that a rank has enqueued before it.
  bool meets_in_kernels() const {
    if constexpr (is_cuda<Local>) return space_.captures();
    return false;
  }
  /// Where they do. In the place of meet(), and as often on all ranks.
  /// Requires  is_shared(), meets_in_kernels()
  const ostinato::detail::RendezvousView& rendezvous() const requires is_cuda<Local> {
    if (rendezvous_ == nullptr) throw NotCapturable("the hosts of ranks meet");
    rendezvous_->confirm();
    return rendezvous_->view();
  }

 private:
  template <class OnGpus>
  using IfOnGpus = std::conditional_t<is_cuda<Local>, std::unique_ptr<OnGpus>, std::nullptr_t>;

  Distributed<Local> space_;
  IfOnGpus<PeerBuffers> turns_{}, peers_{};  ///< peers_ has the memory, and takes a single turn
  IfOnGpus<Rendezvous> rendezvous_{};        ///< of all ranks; null where kernels can't wait for each other
  std::vector<std::size_t> no_bytes_;        ///< of each rank
  Vector<Local, float> own_;
  float* first_ = nullptr;
};

}  // namespace ostinato::multigrid
