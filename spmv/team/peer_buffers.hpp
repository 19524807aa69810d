// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/team/peer_memory.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Memory of a GPU that the GPUs of the other ranks read, where they reach it (peer_access.hpp). Among threads the host
/// waits for no GPU: kernels and copies wait for each other. Among processes publish() waits.
///
///   buffers.turn(bytes);     the other one of two arrays, with room for so much
///   ...                      enqueues what writes buffers.mine()
///   buffers.publish();       enqueued: mine() is complete
///   team.all_gather(..);     any step of all ranks: all have published
///   buffers.meet(bytes);     what each rank has given to turn(): where one has made more room, all look where it is
///   buffers.await();         enqueued: later work of the space comes after what all ranks have published
///   ...                      enqueues what reads buffers.of(rank); or buffers.copy(..), which goes beside
///
/// Two arrays are enough: who publishes the next one has enqueued what reads this one, and who waits for the next one
/// may write this one again.
///
/// Requires  All ranks take all turns together.
class PeerBuffers {
 public:
  static constexpr int most_ranks = detail::most_sum_parts;

  /// Null where a GPU doesn't reach the memory of another rank, and for more ranks.
  /// Exec      Collective.
  static std::unique_ptr<PeerBuffers> make(const Team& team, const Cuda& space);
  ~PeerBuffers();
  PeerBuffers(const PeerBuffers&) = delete;
  PeerBuffers& operator=(const PeerBuffers&) = delete;

  void turn(std::size_t bytes);
  std::byte* mine();
  void publish();
  /// Exec      Collective where a rank has more room than before.
  void meet(std::span<const std::size_t> bytes);
  void await();
  const std::byte* of(int rank) const;

  struct Copy {
    int rank;
    std::size_t begin;  ///< of what the rank has published, in bytes
    void* to;
    std::size_t bytes;
  };
  /// Copies beside the work of the space, after what all ranks have published. Work of the space that comes after
  /// join() comes after the copies.
  void copy(std::span<const Copy> copies);
  void join();

 private:
  struct Beside;
  PeerBuffers(const Team& team, const Cuda& space);
  std::shared_ptr<PeerMemory> memory(std::size_t bytes) const;

  Team team_;
  Cuda space_;
  bool for_processes_;
  int turn_ = 0;
  std::shared_ptr<PeerMemory> mine_[2];
  std::vector<std::shared_ptr<PeerMemory>> shown_[2];  ///< of each rank
  std::vector<std::size_t> room_[2];                   ///< that each rank has, as all of them count
  std::vector<std::shared_ptr<PeerMemory>> outgrown_;  ///< kernels and copies may still use these
  std::unique_ptr<Beside> beside_;
};

}  // namespace ostinato
