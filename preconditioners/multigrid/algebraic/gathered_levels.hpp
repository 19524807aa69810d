// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/ghost_exchange.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::algebraic {

/// What lower levels need to know of the levels above.
struct LevelsAbove {
  std::vector<Offset> entries;  ///< of each
  bool is_symmetric;            ///< the finest one's matrix
  double factor;                ///< by which the matrices are multiplied
};

/// The lower levels of plain aggregation, from one on that has become small: each rank has all of its matrix, and does
/// the same rest of the cycle.
///
/// Shapes    rows() and cols() are those of this rank.
/// Traffic   apply() gathers a vector: 4 bytes for each row of the matrix, on each rank. Nothing is sent back.
/// Exec      Collective.
template <class Local, class T>
class GatheredLevels final : public LinearMap<Distributed<Local>, float> {
 public:
  using Space = Distributed<Local>;

  /// `mine`: the rows of this rank.
  /// Throws    As AlgebraicHierarchy, on all ranks that do; RankError on the others.
  GatheredLevels(const Space& space, const Partition& rows, const CsrView<T>& mine, const LevelsAbove& above,
                 const MultigridOptions& options, const MemoryBudget& memory);

  /// y = alpha M^-1 x + beta y
  void apply(float alpha, Block<const float> x, float beta, Block<float> y) const override;
  bool capturable() const override { return gather_.capturable(); }
  std::size_t bytes() const override { return made_->bytes() + gather_.bytes(); }

  InnerLevels inner_above() const { return inner_above_; }  ///< of the levels above
  bool varies() const { return cycle_->varies(); }
  std::vector<PreconditionerLevel> grids() const { return cycle_->grids(); }

 private:
  void make(Csr<T> whole, const LevelsAbove& above, const MultigridOptions& options, const MemoryBudget& memory);

  using LinearMap<Space, float>::space_;
  std::size_t first_;  ///< row of this rank
  GhostExchange<Local, float> gather_;
  std::optional<AlgebraicHierarchy<Local, T>> made_;  ///< to which the cycle refers
  std::optional<multigrid::Cycle<Local>> cycle_;
  InnerLevels inner_above_;
};

OSTINATO_EXTERN_CLASS(GatheredLevels);

}  // namespace ostinato::algebraic
