// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

struct AlgebraicOptions {
  CoarseningOptions coarsening;
  int entries = 4;     ///< of a row of the interpolation, at most; classical
  int aggressive = 0;  ///< how many of the finest levels are coarsened twice at once; classical
  /// Where there are near-null vectors, smoothed aggregation takes the place of classical interpolation.
  std::optional<NearNullSpace> near_null = {};
  double threshold = 0.15;  ///< of strong blocks, for smoothed aggregation (SmoothedAggregation)
  /// How rows belong to points, for pairwise aggregation, which then takes the place of the other two.
  std::optional<Points> pairs = {};
};

/// A level: its matrix and how to get to the next level, each in the format that was chosen for it.
template <class Space>
struct AlgebraicLevel {
  Operator<Space, float> a;
  Vector<Space, float> inverse;                    ///< of the diagonal
  double largest = 0;                              ///< a bound of the eigenvalues of D^-1 A
  std::optional<Operator<Space, float>> prolong;   ///< from the next level; none on the last level
  std::optional<Operator<Space, float>> restrict;  ///< the transpose of `prolong`
  std::optional<Groups<Space>> groups;             ///< in the place of both: the interpolation is constant on groups

  std::size_t bytes() const;
};

/// The matrices of algebraic multigrid: an interpolation P, and A = P^T A P on the next level, until a level is small, or no longer becomes smaller. Classical multigrid
/// takes coarse rows by PMIS and extended+i interpolation; the other kinds are smoothed aggregation (SmoothedAggregation) and pairs (PairwiseAggregation). The matrices are made in T and kept in float, times a power
/// of two (power()) that keeps them in its range; negative where the diagonal of A is.
///
/// Exec      In the memory of the space; the inverse of the last level is made on the host. Waits.
/// Throws    ArgumentError when the matrices leave the range of the numbers, or rows with many entries make the next level
///           too dense; std::bad_alloc; DeviceError.
template <class Space, class T>
class AlgebraicHierarchy {
 public:
  explicit AlgebraicHierarchy(const Analysis<Space, T>& analysis, const AlgebraicOptions& options = {});

  const std::vector<AlgebraicLevel<Space>>& levels() const { return levels_; }
  /// The inverse of the last level's matrix, full; none where the last level is too large for that.
  const std::optional<Operator<Space, float>>& coarse_inverse() const { return coarse_inverse_; }
  double power() const { return power_; }
  double complexity() const;  ///< entries of all levels in those of A

 private:
  /// Makes levels until next(A) gives no matrix.
  template <class F>
  void add_levels(const Space& space, SpaceCsr<Space, T> a, F next);
  std::optional<SpaceCsr<Space, T>> interpolated(const Space& space, const SpaceCsr<Space, T>& a,
                                                 const std::optional<SpaceCsr<Space, T>>& p, Offset vectors);
  void add_level(const Space& space, const CsrView<T>& a);
  void invert(const Space& space, const SpaceCsr<Space, T>& a);

  double power_ = 1;
  std::vector<AlgebraicLevel<Space>> levels_;
  std::optional<Operator<Space, float>> coarse_inverse_;
};

}  // namespace ostinato::algebraic
