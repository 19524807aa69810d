// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/level.hpp>
#include <ostinato/preconditioners/multigrid/strided.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::multigrid {

/// What the finest level of a cycle takes and gives: z = factor times what the cycle makes of r;  *slot = r . z.
template <class T>
struct Ends {
  Strided<const T> r;
  Strided<T> z;
  Slot<T> slot;
  double factor;
};

/// A level of a cycle, which stands for one grid, or for several that it does at once. A maker links each level to the
/// one below, and keeps what the levels refer to.
///
/// Exec      What is const is enqueued and allocates nothing.
template <class Space>
class CycleLevel {
 public:
  virtual ~CycleLevel() = default;

  /// Smooths from x = 0, and makes b of the next level. `visit`: 0, 1, ... while ascend() asks for another one.
  virtual void descend(int visit) const = 0;
  /// Corrects x by the x of the next level, and smooths. Returns x, or null where the level has to be visited again.
  /// `coarse`: null on the last level.
  virtual const float* ascend(int visit, const float* coarse) const = 0;

  // What the finest level does in the place of descend() and of ascend().
  virtual void enter(const Ends<float>& ends) const = 0;
  virtual void enter(const Ends<double>& ends) const = 0;
  virtual void leave(const Ends<float>& ends, const float* coarse) const = 0;
  virtual void leave(const Ends<double>& ends, const float* coarse) const = 0;

  /// Where b is, for who makes that by other means than a level above; null where a level has no place for it.
  virtual float* right_hand_side() const { return nullptr; }

  virtual std::size_t elements() const = 0;  ///< of its vectors
  virtual void place(float* memory) = 0;     ///< gives the vectors room for so many elements
  virtual int visits() const { return 1; }   ///< at most, for each visit of the level above
  /// Predicted time of a visit. value_bytes: of an element of the vectors that it reads and writes.
  virtual double seconds(std::size_t value_bytes) const = 0;
  virtual void describe(std::vector<PreconditionerLevel>& all) const = 0;  ///< adds its grids
};

/// A cycle over levels, the finest first: a V-cycle, or a K-cycle where levels have several visits. The vectors of all
/// levels are one piece of memory: some thirty allocations take a GPU's time of a small level.
template <class Space>
class Cycle {
 public:
  using Levels = std::vector<std::unique_ptr<CycleLevel<Space>>>;

  /// `power`: by how much the cycle's A is larger than A. `zeroed`: whether the vectors are to begin as 0.
  Cycle(const Space& space, Levels levels, double power, bool zeroed) : levels_(std::move(levels)), power_(power) {
    std::size_t total = 0;
    for (const auto& level : levels_) total += level->elements();
    memory_ = Vector<Space, float>(space, total);
    if (zeroed) space.zero(memory_.data(), memory_.bytes());
    float* next = memory_.data();
    for (const auto& level : levels_) level->place(std::exchange(next, next + level->elements()));
  }

  /// z = M^-1 r;  *slot = r . z
  template <class T>
  void apply(Strided<const T> r, Strided<T> z, Slot<T> slot) const {
    run(Ends<T>{r, z, slot, power_});
  }
  /// The same with another factor in the place of the power.
  template <class T>
  void run(const Ends<T>& ends) const {
    levels_.front()->enter(ends);
    levels_.front()->leave(ends, solve(1));
  }

  /// x of the first level for the b in its right_hand_side().
  const float* solve() const { return solve(0); }
  /// x of the first level for another b, which it may visit several times.
  const float* solve_for(const float* b) const {
    levels_.front()->enter(Ends<float>{{b}, {nullptr}, nullptr, 1});
    return solve_entered(0);
  }

  const Levels& levels() const { return levels_; }
  double power() const { return power_; }
  void set_power(double power) { power_ = power; }
  bool varies() const {
    return std::any_of(levels_.begin(), levels_.end(), [](const auto& level) { return level->visits() > 1; });
  }

  /// Predicted time; value_bytes: of an element of r and z.
  double seconds(std::size_t value_bytes) const {
    double total = 0, visits = 1;
    for (const auto& level : levels_) {
      visits *= level->visits();
      total += visits * level->seconds(level == levels_.front() ? value_bytes : sizeof(float));
    }
    return total;
  }

  /// The grids; their bytes are those of the operators and of all that the cycle keeps.
  std::vector<PreconditionerLevel> grids() const {
    std::vector<PreconditionerLevel> all;
    for (const auto& level : levels_) level->describe(all);
    return all;
  }

 private:
  /// x of level k for its b; null where there is no such level.
  const float* solve(std::size_t k) const {
    if (k == levels_.size()) return nullptr;
    levels_[k]->descend(0);
    return solve_entered(k);
  }
  /// The same after the first way down.
  const float* solve_entered(std::size_t k) const {
    for (int visit = 0;; levels_[k]->descend(++visit)) {
      if (const float* const x = levels_[k]->ascend(visit, solve(k + 1))) return x;
    }
  }

  Levels levels_;
  Vector<Space, float> memory_;
  double power_;
};

}  // namespace ostinato::multigrid
