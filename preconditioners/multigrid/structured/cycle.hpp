// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

namespace ostinato::multigrid {

/// A V-cycle over a hierarchy, with damped Jacobi before the coarse grid and after it.
template <class Space, class T>
class Cycle {
 public:
  /// `sweeps`: steps of Jacobi before the coarse grid, and as many after it; at least 1.
  Cycle(const Space& space, Hierarchy<Space, T> hierarchy, int sweeps);

  const Hierarchy<Space, T>& hierarchy() const { return hierarchy_; }
  double rate() const { return rate_; }  ///< by what the cycle shrank a random error

  /// z = M^-1 r;  *slot = r . z
  /// Exec      Enqueued; allocates nothing.
  void apply(Strided<const T> r, Strided<T> z, double* slot) const;

 private:
  /// x of a level as c times a vector: the first sweep, from x = 0, is omega b and isn't stored.
  struct Iterate {
    const float* x;
    float c;
  };

  Iterate solve(std::size_t k) const;
  Iterate descend(const Level<Space>& level, const Level<Space>& next) const;
  Iterate ascend(const Level<Space>& level, Iterate x, const float* coarse) const;
  void smooth(const Level<Space>& level, Iterate from, float* out) const;
  double measure_rate() const;

  /// The one of the level's two vectors that doesn't hold x.
  static float* other(const Level<Space>& level, const Iterate& x) {
    return x.x == level.t.data() ? level.x.data() : level.t.data();
  }

  Space space_;
  Hierarchy<Space, T> hierarchy_;
  int sweeps_;
  double rate_;
};

}  // namespace ostinato::multigrid
