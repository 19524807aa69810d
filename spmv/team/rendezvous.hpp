// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ostinato/spmv/space/courier.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/rendezvous.hpp>
#include <ostinato/spmv/team/peer_memory.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// The memory in which kernels of a rank meet those of other ranks (space/rendezvous.hpp).
///
/// Layout    2 ranks() bytes bytes on each GPU.
/// Requires  The ranks reach each other's memory, and may wait in kernels (peer_access.hpp).
class Rendezvous {
 public:
  static constexpr std::uint32_t all_ranks = ~std::uint32_t{0};

  /// `bytes`: that a rank writes for another one at most, the same on all ranks. `partners`: a bit for each rank that
  /// this one waits for, and that waits for it.
  /// Exec      Collective.
  Rendezvous(const Team& team, const Cuda& space, std::size_t bytes, std::uint32_t partners = all_ranks);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  const detail::RendezvousView& view() const { return view_; }
  /// Whether a rank may read what another one points to, in any memory of its space: they are threads.
  bool shares_addresses() const { return shares_addresses_; }
  std::size_t bytes() const;  ///< of the GPU
  /// Throws    RankError once a kernel has given up another rank.
  void confirm() const;

 private:
  Cuda space_;
  std::vector<std::shared_ptr<PeerMemory>> shown_;  ///< of each rank
  bool shares_addresses_;
  SharedBytes<Cuda> is_late_;
  detail::RendezvousView view_;
};

}  // namespace ostinato
