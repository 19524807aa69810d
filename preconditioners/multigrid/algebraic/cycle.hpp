// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>

namespace ostinato::algebraic {

/// A V-cycle over an algebraic hierarchy, with the same steps of damped Jacobi or of Chebyshev's polynomial of the 4th
/// kind with optimal weights before the coarse grid and after it.
///
/// Memory    16 bytes for each row of each level.
/// Traffic   On each level two products with A a sweep, one with P and one with P^T.
/// Source    Lottes, arXiv:2202.08830; Phillips & Fischer, arXiv:2210.03179 (weights).
template <class Space, class T>
class AlgebraicCycle {
 public:
  /// `sweeps`: steps of the smoother before the coarse grid, and as many after it; at least 1.
  AlgebraicCycle(const Space& space, AlgebraicHierarchy<Space, T> hierarchy, Smoother smoother, int sweeps);

  /// As AlgebraicHierarchy::update(), with this smoother from now on.
  void update(const SpaceCsr<Space, T>& a, double power, Smoother smoother);

  const AlgebraicHierarchy<Space, T>& hierarchy() const { return hierarchy_; }
  Smoother smoother() const { return smoother_; }
  std::size_t bytes(std::size_t level) const;  ///< operators and vectors
  std::size_t bytes() const { return hierarchy_.bytes(); }
  double seconds() const;  ///< predicted time of a cycle

  /// z = M^-1 r;  *slot = r . z
  /// Exec      Enqueued; allocates nothing.
  void apply(std::span<const T> r, std::span<T> z, double* slot) const;

 private:
  struct Vectors {
    Vector<Space, float> b, x, residual, direction;
  };

  void choose_steps();
  void solve(std::size_t k) const;
  void smooth(std::size_t k, bool from_zero) const;
  void find_residual(std::size_t k) const;
  const AlgebraicLevel<Space>& level(std::size_t k) const { return hierarchy_.levels()[k]; }

  Space space_;
  AlgebraicHierarchy<Space, T> hierarchy_;
  Smoother smoother_;
  int sweeps_;
  std::vector<std::vector<SmootherStep>> steps_;  ///< of each level
  mutable std::vector<Vectors> vectors_;
  mutable Vector<Space, double> unused_;
};

}  // namespace ostinato::algebraic
