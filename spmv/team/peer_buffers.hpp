// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Memory of a GPU that the GPUs of the other ranks read, where all ranks are threads of one process. The host waits
/// for no GPU: kernels and copies wait for each other.
///
///   buffers.turn(bytes);     the other one of two arrays, with room for so much
///   ...                      enqueues what writes buffers.mine()
///   buffers.publish();       enqueued: mine() is complete
///   team.all_gather(..);     any step of all ranks: all have published
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

  /// Null where a rank is another process, or a GPU doesn't reach another one's memory, and for more ranks.
  /// Exec      Collective. From then on the GPUs reach each other's memory, for the whole process.
  static std::unique_ptr<PeerBuffers> make(const Team& team, const Cuda& space);
  ~PeerBuffers();
  PeerBuffers(const PeerBuffers&) = delete;
  PeerBuffers& operator=(const PeerBuffers&) = delete;

  void turn(std::size_t bytes);
  std::byte* mine();
  void publish();
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
  struct Shown;
  struct Beside;
  explicit PeerBuffers(const Cuda& space);

  Cuda space_;
  int rank_ = 0, turn_ = 0;
  std::vector<std::shared_ptr<Shown>> shown_;  ///< of each rank
  std::unique_ptr<Beside> beside_;
};

}  // namespace ostinato
