// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/courier.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/halo_steps.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/spmv/team/rendezvous.hpp>

namespace ostinato {

/// What the products of a rank exchange, and how long that took.
struct HaloReport {
  std::int64_t rows = 0, entries = 0;  ///< of this rank
  std::int64_t boundary_rows = 0;      ///< of these: rows that need ghosts
  std::int64_t ghosts = 0;             ///< elements that a product gets from other ranks
  int neighbours = 0;
  bool from_gpus = false;       ///< ghosts and sums go from GPU to GPU, not through the memory of the hosts
  std::size_t bytes = 0;        ///< that a product sends and receives
  std::uint64_t exchanges = 0;  ///< since the operator was made
  double seconds = 0;           ///< that these waited, after the interior rows were done
};

/// The ghosts of a product, which are under way while rows that need none are multiplied.
///
///   exchange.start(x);      ghosts are under way
///   ...                     work that reads x
///   exchange.finish(x);     boundary() is complete
///
/// Traffic   16 bytes for each ghost and each element that goes to another rank, in double precision.
/// Exec      Collective. On GPUs the ghosts are copied beside the work, from GPU to GPU or, where these don't reach
///           each other, by the hosts, which then wait. In captured iterations they are given and waited for by kernels
///           (Rendezvous).
/// Throws    RankError.
template <class Local, class T>
class GhostExchange {
 public:
  /// `own`: the own elements that boundary() has beside the ghosts, counted from 0; one may come twice.
  GhostExchange(const Distributed<Local>& space, HaloPlan halo, std::span<const Index> own);
  /// All elements of a vector that is divided so: boundary() is the whole vector, on each rank.
  GhostExchange(const Distributed<Local>& space, const Partition& parts);
  GhostExchange(const GhostExchange&) = delete;
  GhostExchange& operator=(const GhostExchange&) = delete;

  void start(const T* x) const;
  void finish(const T* x) const;
  /// The ghosts that come before the rank's own elements, the own elements, the ghosts that come after them.
  std::span<const T> boundary() const { return x_.span(); }

  const HaloPlan& plan() const { return halo_; }
  std::size_t owns() const { return own_.size(); }

  /// Whether start() and finish() may be captured.
  bool capturable() const;
  /// Whether the work is being captured and kernels meet those of other ranks, all of whose memory they reach: one that
  /// takes the place of start() and finish() meets them by rendezvous(), and reads their x.
  bool meets_in_kernels() const requires is_cuda<Local> {
    return is_captured() && gpu_.rendezvous != nullptr && gpu_.rendezvous->shares_addresses();
  }
  const detail::RendezvousView& rendezvous() const requires is_cuda<Local> { return gpu_.rendezvous->view(); }
  std::size_t bytes() const;
  /// What is known of the ghosts; the rows are the caller's to add.
  HaloReport report() const;

 private:
  /// How the ghosts come on GPUs: they are copied from the memory of the others, or go through that of the host. In
  /// captured products kernels give and take them.
  struct BetweenGpus {
    std::unique_ptr<PeerBuffers> peers;
    std::vector<std::size_t> given_bytes;  ///< that each rank publishes
    std::vector<PeerBuffers::Copy> copies;
    std::unique_ptr<Courier> courier;
    std::shared_ptr<Rendezvous> rendezvous;
    detail::Shares given, ghosts;
    bool takes_captures = false;
  };
  struct None {};

  bool is_captured() const {
    if constexpr (is_cuda<Local>) return space_.captures();
    return false;
  }
  bool has_partners() const requires is_cuda<Local> {
    return gpu_.rendezvous != nullptr && gpu_.rendezvous->view().partners != 0;
  }
  void meet_peers() requires is_cuda<Local>;
  void meet_in_kernels() requires is_cuda<Local>;
  void start_on_gpu(const T* x) const requires is_cuda<Local>;
  void finish_on_gpu(const T* x) const requires is_cuda<Local>;

  Distributed<Local> space_;
  mutable HaloPlan halo_;
  Vector<Local, Index> given_, own_;
  mutable Vector<Local, T> sent_, x_;
  [[no_unique_address]] std::conditional_t<is_cuda<Local>, BetweenGpus, None> gpu_;
  mutable std::uint64_t exchanges_ = 0;
  mutable double seconds_ = 0;
};

OSTINATO_EXTERN_CLASS(GhostExchange);

}  // namespace ostinato
