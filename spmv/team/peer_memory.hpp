// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/one_process.hpp>
#include <ostinato/spmv/team/team.hpp>

struct CUevent_st;

namespace ostinato {

/// The UUID of a space's GPU: no other GPU has it, in any process.
using GpuNumber = std::array<char, 16>;
GpuNumber number_of_gpu(const Cuda& space);

/// Memory of a GPU that other ranks read and write: that of this rank or, opened here, that of a rank in another
/// process (shown_by_all).
///
/// Layout    Memory for other processes takes whole blocks of 2 MiB: a process that opens a part of a block has the
///           rest of it, too.
/// Exec      The owner frees the memory when all ranks have dropped it. Of other processes it learns that when ranks
///           show each other memory the next time, or its process ends: nobody waits for anybody.
class PeerMemory {
 public:
  /// `for_processes`: the same on all ranks that show each other memory.
  PeerMemory(const Cuda& space, std::size_t bytes, bool for_processes);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool is_for_processes() const { return for_processes_; }
  bool is_on_same_gpu(const PeerMemory& other) const { return gpu_ == other.gpu_; }

  /// What the work of the owner's space so far writes is complete.
  /// Exec      Among threads enqueued. Among processes the host waits: no GPU waits for a process that has ended.
  void publish(const Cuda& space);
  /// Later work of a stream of this rank comes after what the owner has published, and has said so to this rank's host.
  /// Exec      Enqueued.
  void await(Cuda::Stream stream) const;

 private:
  friend std::vector<std::shared_ptr<PeerMemory>> shown_by_all(const Team& team, const Cuda& space,
                                                               const std::shared_ptr<PeerMemory>& mine);
  friend bool processes_reach_each_other(const Team& team, const Cuda& space);
  struct Key;
  struct Handle;
  struct Ledger;

  PeerMemory() = default;
  Handle handle(std::vector<ProcessNumber> readers);
  static std::shared_ptr<PeerMemory> opened(const Cuda& space, const Handle& handle);
  static std::vector<std::shared_ptr<PeerMemory>> shown_by_processes(const Team& team, const Cuda& space,
                                                                     const std::shared_ptr<PeerMemory>& mine);

  int device_ = 0;  ///< whose context has the memory
  GpuNumber gpu_{};
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  CUevent_st* complete_ = nullptr;  ///< null among processes
  bool for_processes_ = false;
  std::unique_ptr<Key> key_;  ///< by which processes know it; null before it is shown to some
  bool is_own_ = true;
};

/// The memory of each rank, as this one reaches it.
/// Exec      Collective.
/// Requires  reach_each_other()
/// Throws    DeviceError where a rank can't open the memory of another one: RankError on the others.
std::vector<std::shared_ptr<PeerMemory>> shown_by_all(const Team& team, const Cuda& space,
                                                      const std::shared_ptr<PeerMemory>& mine);

/// Whether processes, one for each rank, open each other's memory and find there what the owner has written.
/// Exec      Collective.
bool processes_reach_each_other(const Team& team, const Cuda& space);

}  // namespace ostinato
