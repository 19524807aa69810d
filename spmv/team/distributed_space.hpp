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
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// A space of which each rank of a team has a part, in the memory of a space of its own. Loops go over the elements of
/// a rank, sums over those of all ranks. Solvers run on it as they are.
///
/// A sum gathers the sums of the blocks of all ranks, 8 bytes for 2048 elements, and adds them in order: it has the
/// bits of the sum on one rank, where parts begin at multiples of a block (Partition). On a GPU the host takes part in
/// each sum, for which it waits.
///
/// Exec      All ranks call the same functions in the same order, each on one thread. With Cuda each rank has a Cuda of
///           its own, on whichever GPU.
/// Throws    RankError from sums (Team).
template <class Local>
class Distributed : public Local {
  static_assert(Local::has_host_memory || is_cuda<Local>, "there are sums over ranks on Cuda and where the host reads");

 public:
  static constexpr bool has_streams = false;  ///< the host waits in each sum, so that nothing is gained by going ahead

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
    Shared(const Local& local, Team of) : team(std::move(of)), mine(local) {}

    static constexpr std::size_t most_room = 65536;

    /// Puts the blocks of all ranks, of so many bytes each, into `sums`; those of this one are in `mine`, after the
    /// head. All ranks know the room, since all have seen the numbers of blocks so far.
    void gather(std::size_t blocks, std::size_t bytes) {
      const Stopwatch watch;
      const std::size_t ranks = static_cast<std::size_t>(team.size());
      const Head head{static_cast<std::uint32_t>(said), static_cast<std::uint32_t>(blocks)};
      std::memcpy(mine.data(), &head, sizeof head);
      gather_once(room);
      std::size_t most = 0, whole = 0;
      std::uint32_t loudest = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const Head of = head_of(r);
        most = std::max<std::size_t>(most, of.blocks);
        whole += of.blocks;
        loudest = std::max(loudest, of.said);
      }
      heard = static_cast<Ending>(loudest);
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

    Team team;
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
    const std::size_t bytes = sizeof(Head) + own_ * sizeof(Sums);
    shared.mine.make_room(std::max(bytes, shared.room));
  }

  template <class F>
  void for_parts(F f) {
    f(std::size_t{0}, n_, reinterpret_cast<Sums*>(shared_.mine.data() + sizeof(Head)));
  }
  void reduce() { shared_.gather(own_, sizeof(Sums)); }
  std::size_t blocks() const { return shared_.sums.size() / sizeof(Sums); }
  const Sums* data() const { return reinterpret_cast<const Sums*>(shared_.sums.data()); }

 private:
  static constexpr std::size_t block = static_cast<std::size_t>(Partition::block);

  Shared& shared_;
  std::size_t n_, own_;
};

}  // namespace ostinato
