// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/courier.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// A space of which each rank of a team has a part, in the memory of a space of its own. Loops go over the elements of
/// a rank, sums over those of all ranks. Solvers run on it as they are.
///
/// A sum gathers the sums of the blocks of all ranks, 8 bytes for 2048 elements, and adds them in order: it has the
/// bits of the sum on one rank, where parts begin at multiples of a block (Partition). On GPUs kernels read the sums of
/// other ranks and add them in another order, which is the same for any number of ranks, too; or the host does that
/// (PeerBuffers).
///
/// Exec      All ranks call the same functions in the same order, each on one thread. With Cuda each rank has a Cuda of
///           its own, on whichever GPU.
/// Throws    RankError from sums (Team).
template <class Local>
class Distributed : public Local {
  static_assert(Local::has_host_memory || is_cuda<Local>, "there are sums over ranks on Cuda and where the host reads");

 public:
  Distributed(const Local& local, Team team)
      : Local(local), shared_(std::make_shared<Shared>(local, std::move(team))) {}

  const Local& local() const { return *this; }
  const Team& team() const { return shared_->team; }
  bool is_same_place(const Distributed& other) const { return team().is_same(other.team()); }

  template <class Sums>
  class BlockSums;
  template <class Sums>
  BlockSums<Sums> block_sums(std::size_t n) const {
    return BlockSums<Sums>(*shared_, n);
  }

  Part part(std::size_t n) const {
    const std::vector<std::uint64_t> all = team().all_gather(static_cast<std::uint64_t>(n));
    Part part;
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (r < static_cast<std::size_t>(team().rank())) part.begin += all[r];
      part.whole += all[r];
    }
    return part;
  }
  double most(double value) const {
    return team().reduce(value, [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
  }
  bool leads() const { return team().rank() == 0; }
  void say(Ending ending) const { shared_->said = ending; }
  Ending heard() const { return shared_->heard; }

  /// Of all sums since the space was made.
  std::uint64_t reductions() const { return shared_->reductions; }
  double reduction_seconds() const { return shared_->seconds; }  ///< with the time that other ranks took longer

 private:
  /// What goes ahead of the sums of a rank.
  struct Head {
    std::uint32_t said = 0, blocks = 0;
  };

  struct Shared {
    Shared(const Local& of_rank, Team of) : team(std::move(of)), local(of_rank), mine(of_rank) {}

    static constexpr std::size_t most_room = 65536;

    /// Puts the blocks of all ranks, of so many bytes each, into `sums`; those of this one are in `mine`, after the
    /// head. All ranks know the room, since all have seen the numbers of blocks so far.
    void gather(std::size_t blocks, std::size_t bytes) {
      const Stopwatch watch;
      const std::size_t ranks = static_cast<std::size_t>(team.size());
      gather_heads(blocks, room);
      std::size_t most = 0, whole = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        most = std::max<std::size_t>(most, head_of(r).blocks);
        whole += head_of(r).blocks;
      }
      const std::size_t need = sizeof(Head) + most * bytes;
      if (need > room) {
        if (need <= most_room) room = need;
        gather_once(need);
      }
      sums.resize(whole * bytes);
      std::size_t at = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t length = head_of(r).blocks * bytes;
        if (length > 0) std::memcpy(sums.data() + at, all.data() + r * slot + sizeof(Head), length);
        at += length;
      }
      ++reductions;
      seconds += watch.seconds();
    }

    /// Each rank says what it has to say and how many blocks it has, in the first of so many bytes.
    void gather_heads(std::size_t blocks, std::size_t length) {
      const Head head{static_cast<std::uint32_t>(said), static_cast<std::uint32_t>(blocks)};
      mine.make_room(length);
      std::memcpy(mine.data(), &head, sizeof head);
      gather_once(length);
      std::uint32_t loudest = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(team.size()); ++r)
        loudest = std::max(loudest, head_of(r).said);
      heard = static_cast<Ending>(loudest);
    }

    void gather_once(std::size_t length) {
      slot = length;
      mine.make_room(length);
      all.resize(length * static_cast<std::size_t>(team.size()));
      team.all_gather(mine.data(), length, all.data());
    }
    Head head_of(std::size_t rank) const {
      Head head;
      std::memcpy(&head, all.data() + rank * slot, sizeof head);
      return head;
    }

    /// Finds out how the ranks of GPUs join their sums, at the first one.
    void meet() requires is_cuda<Local> {
      if (has_met) return;
      peers = PeerBuffers::make(team, local);
      has_met = true;
    }

    Team team;
    Local local;
    bool has_met = false;
    std::unique_ptr<PeerBuffers> peers;  ///< null without
    Ending said = Ending::none, heard = Ending::none;
    SharedBytes<Local> mine;
    std::vector<std::byte> all, sums;
    std::size_t room = 512;  ///< bytes of a rank that the first gather of a sum takes
    std::size_t slot = 0;    ///< bytes of a rank in `all`
    std::uint64_t reductions = 0;
    double seconds = 0;
  };

  std::shared_ptr<Shared> shared_;
};

template <class Local>
template <class Sums>
class Distributed<Local>::BlockSums {
  static_assert(std::is_trivially_copyable_v<Sums> && alignof(Sums) <= alignof(std::max_align_t));

 public:
  BlockSums(Shared& shared, std::size_t n) : shared_(shared), n_(n), own_((n + block - 1) / block) {
    if constexpr (is_cuda<Local>) shared.meet();
    if (shared.peers != nullptr) {
      shared.peers->turn(own_ * sizeof(Sums));
    } else {
      shared.mine.make_room(std::max(sizeof(Head) + own_ * sizeof(Sums), shared.room));
    }
  }

  template <class F>
  void for_parts(F f) {
    std::byte* const to = shared_.peers != nullptr ? shared_.peers->mine() : shared_.mine.data() + sizeof(Head);
    f(std::size_t{0}, n_, reinterpret_cast<Sums*>(to));
  }
  void reduce() { shared_.gather(own_, sizeof(Sums)); }
  std::size_t blocks() const { return shared_.sums.size() / sizeof(Sums); }
  const Sums* data() const { return reinterpret_cast<const Sums*>(shared_.sums.data()); }

  /// reduce() for a kernel: where it finds the sums of all blocks, or those that the host has added up.
  detail::SumParts<Sums> joined() requires is_cuda<Local> {
    detail::SumParts<Sums> parts;
    if (shared_.peers == nullptr) {
      shared_.local.wait();
      reduce();
      Sums* const total = reinterpret_cast<Sums*>(shared_.mine.data() + sizeof(Head));
      *total = detail::sum_in_lanes(data(), blocks());
      parts.add(total, 1);
      return parts;
    }
    const Stopwatch watch;
    shared_.peers->publish();
    shared_.gather_heads(own_, sizeof(Head));
    shared_.peers->await();
    for (int r = 0; r < shared_.team.size(); ++r)
      parts.add(reinterpret_cast<const Sums*>(shared_.peers->of(r)),
                shared_.head_of(static_cast<std::size_t>(r)).blocks);
    ++shared_.reductions;
    shared_.seconds += watch.seconds();
    return parts;
  }

 private:
  static constexpr std::size_t block = static_cast<std::size_t>(Partition::block);

  Shared& shared_;
  std::size_t n_, own_;
};

/// Copies behind the work of the GPU, as on one.
template <class T>
class Readback<Distributed<Cuda>, T> : public Readback<Cuda, T> {
 public:
  explicit Readback(const Distributed<Cuda>& space) : Readback<Cuda, T>(space.local()) {}
};

}  // namespace ostinato
