// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/structured/passes.hpp>
#include <ostinato/spmv/base/scalar.hpp>

namespace ostinato::multigrid {

/// A V-cycle over a hierarchy, with damped Jacobi or Chebyshev before the coarse grid and after it.
///
/// Memory    4 to 12 bytes for each point of each grid; on Cuda none for the finest grid when a cycle passes over it in
///           one kernel each way (passes.hpp). There, one kernel does the coarse grids, the last of them by a dense
///           matrix (coarse_grids.hpp).
template <class Space>
class Cycle {
 public:
  /// `sweeps`: steps of the smoother before the coarse grid, and as many after it; at least 1.
  Cycle(const Space& space, Hierarchy<Space> hierarchy, Smoother smoother, int sweeps);

  /// The bytes() of a cycle over a hierarchy that is still to be made.
  static std::size_t predicted_bytes(const Space& space, const std::vector<Level<Space>>& grids, int sweeps);

  const Hierarchy<Space>& hierarchy() const { return hierarchy_; }
  double rate() const { return rate_; }        ///< by what the cycle shrank a random error
  std::size_t bytes(std::size_t level) const;  ///< of a level: operator, interpolation and vectors
  std::size_t bytes() const;
  double seconds(std::size_t value_bytes) const;  ///< predicted time of a cycle; value_bytes: of an element of r and z

  /// z = M^-1 r;  *slot = r . z
  /// Exec      Enqueued; allocates nothing.
  void apply(Strided<const float> r, Strided<float> z, Slot<float> slot) const { apply_to<float>(r, z, slot); }
  void apply(Strided<const double> r, Strided<double> z, Slot<double> slot) const { apply_to<double>(r, z, slot); }

 private:
  /// How a cycle goes over a level: up step by step, in one kernel each way, or in one kernel together with all levels
  /// below.
  enum class Way { steps, passes, one_kernel };
  static bool descends_in_a_pass(const Space& space, const Level<Space>& level, int sweeps, Way way);
  static std::vector<Way> ways(const Space& space, const std::vector<Level<Space>>& levels, int sweeps);
  static int fields_of(const std::vector<Way>& ways, std::size_t k);
  static std::size_t levels_above_one_kernel(const std::vector<Way>& ways);
  static std::size_t joined_elements(const std::vector<Level<Space>>& levels, const std::vector<Way>& ways);

  /// The vectors of a level; t has room for the residual, and for every second x.
  struct Vectors {
    Field<Space> b, x, t;
  };

  /// x of a level as c times a vector: the first sweep, from x = 0, is omega b and isn't stored.
  struct Iterate {
    const float* x;
    float c;
  };

  template <class T>
  void apply_to(Strided<const T> r, Strided<T> z, Slot<T> slot) const;
  template <class T>
  void run(const Source<T>& source, const Target<T>& target) const;
  template <class T>
  void pass(std::size_t k, const Source<T>& source, const Target<T>& target) const;
  const float* solve(std::size_t k) const;
  const float* solve_by_passes(std::size_t k) const;
  const float* solve_coarsest() const;
  Iterate correct(std::size_t k) const;
  Iterate descend(std::size_t k) const;
  Iterate ascend(std::size_t k, Iterate x, const float* coarse) const;
  void smooth(std::size_t k, int sweep, Iterate from, float* out) const;
  float omega(std::size_t k, int sweep) const;
  double measure_rate() const;
  void make_vectors();
  Transfer<Space> make_transfers();
  Source<float> unscaled(std::size_t k, const float* b) const;  ///< b of level k as it is
  const Level<Space>& level(std::size_t k) const { return hierarchy_.levels()[k]; }

  /// The one of the level's two vectors that doesn't hold x.
  float* other(std::size_t k, const Iterate& x) const {
    return x.x == vectors_[k].t.data() ? vectors_[k].x.data() : vectors_[k].t.data();
  }

  Space space_;
  Hierarchy<Space> hierarchy_;
  Smoother smoother_;
  int sweeps_;
  std::vector<Way> ways_;
  std::vector<Vectors> vectors_;
  std::vector<Transfer<Space>> transfers_;  ///< of the levels with a pass on the way down; empty for others
  CoarseGrids coarse_grids_;
  Vector<Space, float> joined_;  ///< what the last of them do
  double rate_;
};

}  // namespace ostinato::multigrid
