// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/spmv/base/scalar.hpp>

namespace ostinato::algebraic {

/// A V-cycle over an algebraic hierarchy, with the same steps of damped Jacobi or of Chebyshev's polynomial of the 4th
/// kind with optimal weights before the coarse grid and after it. Jacobi is damped by 0.8, and more where an eigenvalue
/// of a symmetric D^-1 A is so large that this would diverge.
///
/// A K-cycle where interpolation is constant on groups: a level below the finest is solved by two steps of flexible CG,
/// or of GCR where A or what smooths it isn't symmetric, with the cycle as preconditioner; the second step is left out
/// where the first leaves at most a quarter of the residual. Lower levels have a V-cycle, so that all levels together
/// cost a bounded multiple of the finest. Such a cycle isn't a linear function of r.
///
/// A preconditioner M that smooths (LevelSmoother) takes the place of D, damped where M^-1 A has eigenvalues near 2 and
/// above.
///
/// Memory    16 bytes for each row of each level, 8 more for each row of a level with inner steps, and 4 more where a
///           preconditioner smooths.
/// Traffic   On each level two products with A a sweep, one with P and one with P^T. An inner step adds one with A, a
///           preconditioner two applications a sweep.
/// Source    Lottes, arXiv:2202.08830; Phillips & Fischer, arXiv:2210.03179 (weights); Notay & Vassilevski, Numer.
///           Linear Algebra Appl. 15 (2008) 473 (K-cycle).
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
  double seconds() const;                            ///< predicted time of a cycle
  bool varies() const { return inner_levels_ > 0; }  ///< a K-cycle

  /// z = M^-1 r;  *slot = r . z
  /// Exec      Enqueued; allocates nothing.
  void apply(std::span<const T> r, std::span<T> z, Slot<T> slot) const;
  /// The same for the finest level's matrix, which is A in float times a power of two: its M^-1.
  void apply_to_level(std::span<const float> r, std::span<float> z, Slot<float> slot) const;

 private:
  struct Vectors {
    std::span<float> b, x, residual, direction;
    std::span<float> correction;  ///< what a preconditioner made of the residual; empty where the diagonal smooths
  };

  struct InnerVectors {
    std::span<float> direction, image;
    double* slots;
  };

  template <class V>
  void run(double factor, std::span<const V> r, std::span<V> z, Slot<V> slot) const;
  void make_vectors();
  void choose_steps();
  template <class F>
  void begin(std::size_t k, std::span<float> x, const F& make_b, Slot<float> slot) const;
  void solve(std::size_t k, std::span<float> x) const;
  void solve_by_steps(std::size_t k) const;
  void begin_next(std::size_t k) const;
  std::span<float> add_correction(std::size_t k, std::span<float> x) const;
  void take_first_step(std::size_t k, std::span<float> x) const;
  SmoothFromZero first_step(std::size_t k, std::span<float> x) const;
  Correction correction(std::size_t k) const {
    return {level(k).inverse.data(), level(k).smoother ? vectors_[k].correction.data() : nullptr};
  }
  void smooth(std::size_t k, std::size_t first, std::span<float> x, std::span<float> residual, const float* b) const;
  const AlgebraicLevel<Space>& level(std::size_t k) const { return hierarchy_.levels()[k]; }
  bool has_inner_steps(std::size_t k) const { return k >= 1 && k <= inner_levels_; }
  bool has_inverse(std::size_t k) const {
    return k + 1 == hierarchy_.levels().size() && hierarchy_.coarse_inverse().has_value();
  }

  Space space_;
  AlgebraicHierarchy<Space, T> hierarchy_;
  Smoother smoother_;
  int sweeps_;
  std::vector<std::vector<SmootherStep>> steps_;  ///< of each level that is smoothed
  std::size_t inner_levels_ = 0;                  ///< 1 .. inner_levels_ have inner steps
  Vector<Space, float> memory_;                   ///< of all vectors
  mutable Vector<Space, double> slots_;           ///< of all inner steps, and one that nobody reads
  std::vector<Vectors> vectors_;
  std::vector<InnerVectors> inner_;  ///< of level k at k - 1
};

}  // namespace ostinato::algebraic
