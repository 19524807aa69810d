// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

namespace ostinato {

/// One cycle of multigrid for a matrix of which each rank has some rows, where SlabMultigrid doesn't take it: plain
/// aggregation, whose groups are those of each rank's own rows (algebraic/distributed_levels.hpp). A level of few rows
/// is gathered, and all ranks do the rest of the cycle (algebraic/gathered_levels.hpp).
///
/// Where ghosts are few, a solve takes as many iterations as on one rank, or one more; with rows numbered at random
/// several times as many (--partition rcm). The same number of ranks gives the same bits on each
/// run; and the same iterations on CPUs and GPUs, as long as both gather the same level, below some 60,000 rows.
///
/// Exec      Collective. On GPUs cycles may be captured where the space can: then kernels wait for those of other
///           ranks.
template <class Local, class T>
class DistributedMultigrid final : public PreconditionerBase<Distributed<Local>, T> {
 public:
  /// The cycle for a matrix; up to 8192 rows are gathered (GatheredMultigrid).
  static std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> make(const DistributedOperator<Local, T>& a,
                                                                         const CsrView<T>& mine,
                                                                         const MultigridOptions& options,
                                                                         const StopRequest& stop,
                                                                         const MemoryBudget& memory);
  /// `mine`: the rows of this rank, with sorted columns of the whole matrix. options: kind automatic or plain, and a
  /// smoother that isn't a preconditioner.
  /// Throws    ArgumentError for other options, where a rank can't make its part, and where a cycle doesn't make a
  ///           random error smaller; MemoryLimitError; RankError on ranks whose part is good. Stopped on all ranks once
  ///           `stop` is made on one.
  DistributedMultigrid(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MultigridOptions& options,
                       const StopRequest& stop, const MemoryBudget& memory);
  ~DistributedMultigrid() override;

  void apply(Block<const T> r, Block<T> z) const override;
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override;
  std::size_t rows() const override;
  std::size_t bytes() const override;  ///< of this rank
  double rate() const override;
  bool works_in_float() const override { return true; }
  bool varies() const override;
  bool capturable() const override;
  std::vector<PreconditionerLevel> levels() const override;
  std::string remarks() const override;
  std::string name() const override { return "multigrid"; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

OSTINATO_EXTERN_CLASS(DistributedMultigrid);

}  // namespace ostinato
