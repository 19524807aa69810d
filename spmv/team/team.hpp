// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/team/channel.hpp>
#include <ostinato/spmv/team/rank_error.hpp>

namespace ostinato {

/// The ranks that share a system, each with its rows, as one of them sees them. Copies are equivalent.
///
/// Exec      All ranks call all functions in the same order, each on one thread at a time. A call ends on all ranks, or
///           throws on all: where a rank has failed, doesn't come within the patience, or isn't there any more.
/// Throws    RankError. A team that has thrown it, but for agree(), has come apart and isn't used any more.
class Team {
 public:
  using Bytes = std::vector<std::byte>;

  static Team alone();  ///< one rank; nothing is ever waited for

  /// The ranks of a team within this process; each belongs to a thread of its own.
  static std::vector<Team> threads(int size);
  /// Calls work(team) on a thread of its own for each of `size` ranks, and returns when all have ended.
  /// Throws    What the first rank threw that failed by itself.
  static void run(int size, const std::function<void(const Team&)>& work);

  /// The processes that were started together: `communicator` points to an MPI_Comm; null stands for all of them. MPI
  /// is initialised where the program hasn't done that, and then finalised at its end.
  ///
  /// Exec      Opens the object libostinato_mpi.so: beside the library or the program, or OSTINATO_MPI says where.
  /// Throws    ArgumentError that says why there is no MPI.
  static Team mpi(const void* communicator = nullptr);
  /// One rank over a back end of another kind, such as one of a test.
  static Team over(std::shared_ptr<detail::Channel> channel) { return Team(std::move(channel)); }
  /// The number of processes that a launcher such as mpirun has started together, as its environment says; 1 without.
  static int launched();
  static int launched_rank();  ///< the number of this process among them

  int rank() const { return channel_->rank(); }
  int size() const { return channel_->size(); }
  bool is_same(const Team& other) const { return channel_ == other.channel_; }

  /// Seconds that a call waits for the others; 300 at first. Ranks may set it apart.
  double patience() const { return *patience_; }
  void set_patience(double seconds) const { *patience_ = seconds; }

  /// all[r] := what rank r has. `bytes` is the same on all ranks.
  void all_gather(const void* mine, std::size_t bytes, void* all) const;
  /// What each rank has, of any length.
  std::vector<Bytes> all_gather_v(std::span<const std::byte> mine) const;
  /// Bytes for a rank or, of a letter that has come, from it.
  struct Letter {
    int rank;
    Bytes bytes;
  };
  /// Gives each letter, at most one for a rank, to its rank; returns those that came, in order of the ranks. A rank
  /// keeps nothing for ranks that it writes no letter and gets none from.
  std::vector<Letter> exchange(const std::vector<Letter>& to) const;
  /// Rank r gets to[r] of each rank; returns what came from each.
  std::vector<Bytes> exchange_v(const std::vector<Bytes>& to) const;

  template <class T>
  std::vector<T> all_gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather(&mine, sizeof(T), all.data());
    return all;
  }
  /// What f(a, b) makes of the values of all ranks, in order of the ranks.
  template <class T, class F>
  T reduce(const T& mine, F f) const {
    const std::vector<T> all = all_gather(mine);
    T total = all[0];
    for (std::size_t r = 1; r < all.size(); ++r) total = f(total, all[r]);
    return total;
  }
  template <class T>
  T sum(T mine) const {
    return reduce(mine, [](T a, T b) { return a + b; });
  }
  template <class T>
  T most(T mine) const {
    return reduce(mine, [](T a, T b) { return a < b ? b : a; });
  }
  template <class T>
  T least(T mine) const {
    return reduce(mine, [](T a, T b) { return b < a ? b : a; });
  }

  /// Messages between some ranks; the memory stays until finish_exchange().
  void start_exchange(std::span<const detail::Message> to, std::span<const detail::Message> from) const {
    channel_->start_exchange(to, from);
  }
  void finish_exchange() const;

  /// Ends a step on all ranks. Where ranks bring an exception, each of them throws its own and the others throw
  /// RankError with the text of the first, or Stopped where that is one. The team stays whole.
  void agree(const std::exception_ptr& mine = {}) const;
  /// A step of set-up that may fail on some ranks, and in which no rank waits for another.
  template <class F>
  auto agreed(F step) const -> decltype(step()) {
    std::exception_ptr failed;
    if constexpr (std::is_void_v<decltype(step())>) {
      try {
        step();
      } catch (...) {
        failed = std::current_exception();
      }
      agree(failed);
    } else {
      std::unique_ptr<decltype(step())> made;
      try {
        made = std::make_unique<decltype(step())>(step());
      } catch (...) {
        failed = std::current_exception();
      }
      agree(failed);
      return std::move(*made);
    }
  }

  /// Work in which ranks wait for each other, at its end as well. Where a rank throws, the others throw RankError with
  /// its text, wherever they wait, and the team has come apart.
  template <class F>
  auto together(F work) const -> decltype(work()) {
    try {
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        agree();
      } else {
        auto result = work();
        agree();
        return result;
      }
    } catch (const RankError&) {
      throw;  // who failed has told all others
    } catch (...) {
      fail(std::current_exception());
      throw;
    }
  }

 private:
  explicit Team(std::shared_ptr<detail::Channel> channel)
      : channel_(std::move(channel)), patience_(std::make_shared<double>(300)) {}

  void fail(const std::exception_ptr& why) const noexcept;
  void leave_with_others() const;  ///< where one has failed
  std::vector<Letter> deliver(std::span<const detail::Message> out) const;
  template <class IsDone>
  void wait(IsDone is_done, const char* what) const;

  std::shared_ptr<detail::Channel> channel_;
  std::shared_ptr<double> patience_;
};

}  // namespace ostinato
