// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Which elements of a vector a rank gets from others, its ghosts, and which of its own it gives them.
///
/// Layout    4 bytes for each element that goes to another rank, and 24 for each neighbour and direction: nothing grows
///           with the number of ranks.
class HaloPlan {
 public:
  HaloPlan() = default;
  /// `ghosts`: numbers of elements in the whole vector that this rank hasn't, ascending.
  /// Exec      Collective.
  HaloPlan(const Team& team, const Partition& parts, std::span<const Index> ghosts);

  std::size_t ghosts() const { return ghosts_; }
  std::size_t below() const { return below_; }             ///< ghosts that come before the rank's own elements
  std::span<const Index> given() const { return given_; }  ///< own elements for others, by rank; counted from 0
  std::size_t bytes() const {
    return given_.capacity() * sizeof(Index) + (to_.capacity() + from_.capacity()) * sizeof(Share) +
           (out_.capacity() + in_.capacity()) * sizeof(detail::Message);
  }
  int neighbours() const { return static_cast<int>(to_.size() > from_.size() ? to_.size() : from_.size()); }

  /// Calls f(rank, begin, count) for the elements of given() that each rank gets.
  template <class F>
  void for_given(F f) const {
    for (const Share& share : to_) f(share.rank, share.begin, share.count);
  }
  /// Where the elements for a rank begin among given(); 0 for a rank that gets none.
  std::size_t begin_of(int rank) const {
    for (const Share& share : to_)
      if (share.rank == rank) return share.begin;
    return 0;
  }
  /// Calls f(rank, begin, count) for the ghosts begin .. begin + count - 1 of each rank that gives some.
  template <class F>
  void for_ghosts(F f) const {
    for (const Share& share : from_) f(share.rank, share.begin, share.count);
  }

  /// Starts an exchange of elements: `given` has the elements of given(), and `below` and `above` get the ghosts.
  /// Requires  The arrays stay until Team::finish_exchange().
  template <class T>
  void start(const Team& team, const T* given, T* below, T* above) {
    start(team, reinterpret_cast<std::byte*>(const_cast<T*>(given)), reinterpret_cast<std::byte*>(below),
          reinterpret_cast<std::byte*>(above), sizeof(T));
  }

 private:
  struct Share {
    int rank;
    std::size_t begin, count;
  };
  void start(const Team& team, std::byte* given, std::byte* below, std::byte* above, std::size_t bytes);

  std::size_t ghosts_ = 0, below_ = 0;
  std::vector<Index> given_;
  std::vector<Share> to_, from_;  ///< of given_ and of the ghosts
  std::vector<detail::Message> out_, in_;
};

}  // namespace ostinato
