// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/slab_memory.hpp>
#include <ostinato/spmv/space/courier.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// Gets a run of elements of a vector: those that this rank hasn't come from the ranks that have them. All addresses
/// are known from the set-up on.
///
/// Each rank writes what others want into their memory, by one kernel, and then all meet (SlabMemory): a host waits for
/// no GPU. In captured cycles that kernel meets those of the others, too. Without shared memory the elements go through
/// the hosts.
///
/// Exec      Collective.
template <class Local>
class SlabExchange {
 public:
  /// Where elements come in the memory of this rank: those before its own, and those behind. An array of double takes
  /// two floats an element.
  struct Landing {
    float* below;
    Index below_first;  ///< the number of the element that comes at `below`
    float* above;
    Index above_first;
    std::size_t apart = 0;  ///< floats from an array to the next one that gets the same elements
  };

  SlabExchange() = default;
  /// `parts`: what ranks have. begin, end: what this one wants. value_bytes: of the largest elements.
  SlabExchange(const SlabMemory<Local>& memory, const Partition& parts, Index begin, Index end, const Landing& landing,
               std::size_t value_bytes);

  /// `own`: the elements of this rank. `array`: the number of the array that gets the others.
  /// Requires  What reads the elements that came before has been enqueued on all ranks before their latest meeting.
  ///           Work that reads them now is enqueued behind.
  template <class V>
  void run(const V* own, std::size_t array = 0) const;

 private:
  /// Elements that come from a rank, or go to one.
  struct Run {
    int rank;
    std::size_t first, count;  ///< of those that a rank comes with: counted from its first one
    float* to;                 ///< where element 0 of the landing is, on the rank that gets them
    std::size_t within, apart;
  };
  struct Asked;

  void ask(const Partition& parts, Index begin, Index end, float* to, Index first, std::size_t apart);
  void answer();
  template <class V>
  static V* target(const Run& run, std::size_t array) {
    return reinterpret_cast<V*>(run.to + array * run.apart) + run.within;
  }
  template <class V>
  void write_to_others(const V* own, std::size_t array) const;
  template <class V>
  void go_through_hosts(const V* own, std::size_t array) const;

  const SlabMemory<Local>* memory_ = nullptr;
  std::vector<Run> in_, out_;
  std::size_t runs_below_ = 0;  ///< of in_
  std::size_t sent_ = 0;        ///< elements
  // Where GPUs don't share memory:
  mutable Vector<Local, float> packed_;
  std::conditional_t<is_cuda<Local>, std::unique_ptr<Courier>, std::nullptr_t> courier_{};
};

}  // namespace ostinato::multigrid
