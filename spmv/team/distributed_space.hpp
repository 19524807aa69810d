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
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/peer_access.hpp>
#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/spmv/team/rendezvous.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// A space of which each rank of a team has a part, in the memory of a space of its own. Loops go over the elements of
/// a rank, sums over those of all ranks. Solvers run on it as they are.
///
/// A sum gathers the sums of the blocks of all ranks, 8 bytes for 2048 elements, and adds them in order: it has the
/// bits of the sum on one rank, where parts begin at multiples of a block (Partition). On GPUs kernels read the sums of
/// other ranks and add them in another order, which is the same for any number of ranks, too; or the host does that
/// (PeerBuffers). In captured iterations the kernels of all ranks wait for each other (Rendezvous).
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

  /// Whether iterations can be captured, and kernels of the ranks wait for each other in them.
  /// Exec      Collective, as the next two.
  bool can_capture() const requires is_cuda<Local> { return shared_->meet(), shared_->may_wait; }
  /// Whether it holds on all ranks. Says and hears, as a sum does.
  bool all(bool here) const { return shared_->is_said_by_all(here); }
  /// Until end_capture() sums are kernels that wait for those of other ranks, which the returned object keeps possible.
  std::shared_ptr<Rendezvous> begin_capture() const requires is_cuda<Local> { return shared_->begin_capture(); }
  void end_capture() const requires is_cuda<Local> { shared_->captures = false; }
  /// Kernels meet there, too: the next sum or block that the hosts meet for throws where one of them gave a rank up.
  void meet_in(const std::shared_ptr<Rendezvous>& there) const requires is_cuda<Local> { shared_->meet_in(there); }
  /// Makes room for captured sums over n elements of this rank, which a solve would wait for.
  /// Exec      Collective, as the next one.
  void expect_sums(std::size_t n) const {
    if constexpr (is_cuda<Local>) shared_->expect_sums(n);
  }
  /// Whether a captured sum found too little room on some rank, for which the next capture will have more.
  bool makes_room() const requires is_cuda<Local> { return shared_->makes_room(); }
  bool captures() const requires is_cuda<Local> { return shared_->captures; }
  void add_reductions(std::uint64_t replayed) const { shared_->reductions += replayed; }

  /// Of all sums since the space was made.
  std::uint64_t reductions() const { return shared_->reductions; }
  double reduction_seconds() const { return shared_->seconds; }  ///< with the time that other ranks took longer

 private:
  static constexpr std::size_t block = static_cast<std::size_t>(Partition::block);

  /// What goes ahead of the sums of a rank.
  struct Head {
    std::uint32_t said = 0, blocks = 0;
  };

  /// How the ranks of GPUs join their sums.
  struct Meeting {
    bool has_met = false;                ///< has found out the rest, at the first sum
    std::unique_ptr<PeerBuffers> peers;  ///< null without
    std::vector<std::size_t> published;  ///< bytes of each rank
    bool may_wait = false;               ///< kernels for each other
    bool captures = false;
    std::size_t most_bytes = 32768, captured_bytes = 0;  ///< of the sums of a rank's blocks; that there is room for
    std::shared_ptr<Rendezvous> rendezvous;
    std::vector<std::weak_ptr<Rendezvous>> met;  ///< all in which kernels of this space may give a rank up
  };
  struct None {};

  struct Shared : std::conditional_t<is_cuda<Local>, Meeting, None> {
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

    bool is_said_by_all(bool here) {
      if constexpr (is_cuda<Local>) confirm();
      gather_heads(here ? 1 : 0, sizeof(Head));
      bool everywhere = true;
      for (std::size_t r = 0; r < static_cast<std::size_t>(team.size()); ++r)
        everywhere = everywhere && head_of(r).blocks == 1;
      return everywhere;
    }

    /// That each rank has published, after gather_heads().
    const std::vector<std::size_t>& bytes_of_blocks(std::size_t bytes) requires is_cuda<Local> {
      this->published.resize(static_cast<std::size_t>(team.size()));
      for (std::size_t r = 0; r < this->published.size(); ++r) this->published[r] = head_of(r).blocks * bytes;
      return this->published;
    }

    void meet() requires is_cuda<Local> {
      if (this->has_met) return;
      this->peers = PeerBuffers::make(team, local);
      this->may_wait = this->peers != nullptr && may_wait_in_kernels(team, local);
      this->has_met = true;
    }
    void meet_in(const std::shared_ptr<Rendezvous>& there) requires is_cuda<Local> {
      std::erase_if(this->met, [](const auto& old) { return old.expired(); });
      this->met.push_back(there);
    }
    void confirm() requires is_cuda<Local> {
      for (const auto& there : this->met)
        if (const auto kept = there.lock()) kept->confirm();
    }
    void expect_sums(std::size_t n) requires is_cuda<Local> {
      constexpr std::size_t of_a_sum = 2 * sizeof(double);  // few methods make more sums at once
      meet();
      this->most_bytes = std::max(this->most_bytes, (n + block - 1) / block * of_a_sum);
      if (this->may_wait) make_room();
    }
    bool makes_room() requires is_cuda<Local> { return team.most(this->most_bytes) > this->captured_bytes; }
    void make_room() requires is_cuda<Local> {
      constexpr std::size_t of_a_number = 16;  // and one goes ahead
      this->captured_bytes = std::max(this->captured_bytes, team.most(this->most_bytes));
      const std::size_t need = (this->captured_bytes / sizeof(double) + 1) * of_a_number;
      if (this->rendezvous == nullptr || this->rendezvous->view().bytes < need)
        meet_in(this->rendezvous = std::make_shared<Rendezvous>(team, local, need));
    }
    std::shared_ptr<Rendezvous> begin_capture() requires is_cuda<Local> {
      make_room();
      this->captures = true;
      return this->rendezvous;
    }

    Team team;
    Local local;
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
    if constexpr (is_cuda<Local>) {
      shared.most_bytes = std::max(shared.most_bytes, own_ * sizeof(Sums));
      if (shared.captures) return;
      shared.meet();
      if (shared.peers != nullptr) {
        shared.peers->turn(own_ * sizeof(Sums));
        return;
      }
    }
    shared.mine.make_room(std::max(sizeof(Head) + own_ * sizeof(Sums), shared.room));
  }

  template <class F>
  void for_parts(F f) {
    f(std::size_t{0}, n_, reinterpret_cast<Sums*>(place()));
  }
  void reduce() { shared_.gather(own_, sizeof(Sums)); }
  std::size_t blocks() const { return shared_.sums.size() / sizeof(Sums); }
  const Sums* data() const { return reinterpret_cast<const Sums*>(shared_.sums.data()); }

  bool is_captured() const requires is_cuda<Local> { return shared_.captures; }
  /// Where a captured kernel does all of it.
  /// Throws    NotCapturable where there is too little room.
  const detail::RendezvousView& rendezvous() const requires is_cuda<Local> {
    if (own_ * sizeof(Sums) > shared_.captured_bytes) throw NotCapturable("a sum is longer than those before");
    ++shared_.reductions;
    return shared_.rendezvous->view();
  }

  /// reduce() for a kernel: where it finds the sums of all blocks, or those that the host has added up.
  detail::SumParts<Sums> joined() requires is_cuda<Local> {
    if (shared_.captures) throw NotCapturable("the host joins a sum");
    shared_.confirm();
    detail::SumParts<Sums> parts;
    if (shared_.peers == nullptr) {
      shared_.local.wait();
      reduce();
      Sums* const total = reinterpret_cast<Sums*>(place());
      *total = detail::sum_in_lanes(data(), blocks());
      parts.add(total, 1);
      return parts;
    }
    const Stopwatch watch;
    shared_.peers->publish();
    shared_.gather_heads(own_, sizeof(Head));
    shared_.peers->meet(shared_.bytes_of_blocks(sizeof(Sums)));
    shared_.peers->await();
    for (int r = 0; r < shared_.team.size(); ++r)
      parts.add(reinterpret_cast<const Sums*>(shared_.peers->of(r)),
                shared_.head_of(static_cast<std::size_t>(r)).blocks);
    ++shared_.reductions;
    shared_.seconds += watch.seconds();
    return parts;
  }

 private:
  /// For the sums of this rank.
  std::byte* place() {
    if constexpr (is_cuda<Local>) {
      if (shared_.peers != nullptr) return shared_.peers->mine();
    }
    return shared_.mine.data() + sizeof(Head);
  }

  Shared& shared_;
  std::size_t n_, own_;
};

/// Captures once all ranks can and one of them finds that it pays. Each rank launches its graph when all have theirs,
/// and nothing else before all have launched: a graph waits for those of the others, and the host may wait for it.
class RanksTogether {
 public:
  explicit RanksTogether(const Distributed<Cuda>& space) : space_(space) {}

  const Cuda& space() const { return space_.local(); }
  bool may_capture(bool here) const { return space_.all(here) && space_.can_capture(); }
  bool any(bool here) const { return !space_.all(!here); }
  bool all(bool here) const { return space_.all(here); }
  bool makes_room() const { return space_.makes_room(); }

  template <class F>
  void captured(F enqueue) {
    rendezvous_ = space_.begin_capture();
    const std::uint64_t before = space_.reductions();
    try {
      enqueue();
    } catch (...) {
      space_.end_capture();
      space_.add_reductions(before - space_.reductions());
      throw;
    }
    space_.end_capture();
    reductions_ = space_.reductions() - before;
    space_.add_reductions(-reductions_);
  }
  /// A graph that can't be launched leaves others waiting, until they give up.
  bool launch(CudaGraph& graph) const {
    space_.team().agreed([&] { graph.launch(); });
    space_.add_reductions(reductions_);
    return true;
  }

 private:
  Distributed<Cuda> space_;
  std::shared_ptr<Rendezvous> rendezvous_;  ///< of the graph
  std::uint64_t reductions_ = 0;            ///< of a block
};

/// The first block is captured: what it needs was made when the operators were (expect_sums).
template <>
class GraphCapture<Distributed<Cuda>> : public CapturedBlocks<RanksTogether> {
 public:
  GraphCapture(const Distributed<Cuda>& space, int iterations, int period, bool capturable)
      : CapturedBlocks(RanksTogether(space), iterations, period, capturable, 0) {}
};

/// Copies behind the work of the GPU, as on one.
template <class T>
class Readback<Distributed<Cuda>, T> : public Readback<Cuda, T> {
 public:
  explicit Readback(const Distributed<Cuda>& space) : Readback<Cuda, T>(space.local()) {}
};

}  // namespace ostinato
