// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of a cycle on a level of constant coefficients in two kernels, on Cuda: down in one pass over the grid, up
// in another. What lies between (x, the residual) isn't stored. Cycle does the same with the steps of cycle_steps.hpp
// elsewhere.

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/structured/own_planes.hpp>

namespace ostinato::multigrid {

/// Whether there is the kernel `descend` for a level, and `ascend`, and whether it is faster than single steps.
template <class Space>
bool has_descent(const Space&, const Level<Space>&) {
  return false;
}
template <class Space>
bool has_ascent(const Space&, const Level<Space>&) {
  return false;
}
bool has_descent(const Cuda& space, const Level<Cuda>& level);
bool has_ascent(const Cuda& space, const Level<Cuda>& level);

/// A stencil from the 5 x 5 x 5 (5 x 5) fine points around a coarse one, or from the coarse points around a fine one:
/// step (x, y, z) has coefficient x + 2 + 5 (y + 2) + 25 (z + 2).
template <class Space>
struct TransferStencil {
  Part<Space> by_class = {};     ///< coefficient c of the coarse points of class k is by_class[c * 125 + k]
  std::vector<float> even = {};  ///< of most coarse points
};

/// What passes do between a level and the next.
template <class Space>
struct Transfer {
  float omega = 0;                   ///< damping of the sweep
  bool plain = false;                ///< of a plain level, which needs no stencils
  TransferStencil<Space> down = {};  ///< P^T (I - omega A) S, where S is the scale of the source
  TransferStencil<Space> up = {};    ///< S (I - omega A) P, in two dimensions

  bool is_there() const { return plain || down.by_class.size() > 0; }
  std::size_t bytes() const { return down.by_class.bytes() + up.by_class.bytes(); }
  static std::size_t bytes_of(const Level<Space>& level) {
    const std::size_t coefficients = level.plain ? 0 : level.dimensions > 2 ? 125 : 2 * 25;
    return coefficients * scaled_classes * sizeof(float);
  }
};

/// A transfer to make, between a level and the next.
template <class Space>
struct TransferOf {
  const Level<Space>* level;
  float omega;
  Coefficients root;          ///< S
  const EvenPart* even_root;  ///< what most points have in common
};

/// Exec      Enqueued: a kernel for all levels.
/// Requires  has_descent(space, level) for each level.
template <class Space>
std::vector<Transfer<Space>> make_transfers(const Space&, const std::vector<TransferOf<Space>>&) {
  return {};
}
std::vector<Transfer<Cuda>> make_transfers(const Cuda& space, const std::vector<TransferOf<Cuda>>& wanted);

/// b of the next level := P^T (b - A omega b), where b is the source.
/// Exec      Enqueued.
/// Requires  has_descent(space, level); the transfer was made for the scale of this source.
/// `own`: the planes of a rank, where has_ascent(space, level); null for all.
/// Traffic   Reads the source once.
template <class T>
void descend(const Cuda& space, const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<T>& source,
             float* b_of_next, const OwnPlanes<T>* own = nullptr);

/// The target := x + omega (b - A x), where x = omega b + P coarse.
/// Exec      Enqueued.
/// Requires  has_ascent(space, level); as descend(). `coarse` and the target are where point 0 would be.
/// Traffic   Reads the source once and writes the target once.
template <class T>
void ascend(const Cuda& space, const Level<Cuda>& level, const Transfer<Cuda>& transfer, const Source<T>& source,
            const float* coarse, const Target<T>& target, const OwnPlanes<T>* own = nullptr);

}  // namespace ostinato::multigrid
