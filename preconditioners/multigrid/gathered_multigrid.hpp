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
#include <ostinato/spmv/team/ghost_exchange.hpp>

namespace ostinato {

/// Multigrid of any kind for a small matrix whose rows ranks share: each rank has the whole matrix, and all do the same
/// cycle, which is that of one rank.
///
/// Traffic   An application gathers a vector. Nothing is sent back.
/// Exec      Collective.
template <class Local, class T>
class GatheredMultigrid final : public PreconditionerBase<Distributed<Local>, T> {
 public:
  using Space = Distributed<Local>;

  /// `mine`: the rows of this rank, with sorted columns of the whole matrix.
  /// Throws    As DistributedMultigrid.
  GatheredMultigrid(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MultigridOptions& options,
                    const StopRequest& stop, const MemoryBudget& memory);

  void apply(Block<const T> r, Block<T> z) const override;
  std::size_t rows() const override { return rows_; }
  std::size_t bytes() const override { return made_->bytes() + gather_.bytes() + z_.bytes(); }  ///< of this rank
  double rate() const override { return made_->rate(); }
  bool works_in_float() const override { return true; }
  bool varies() const override { return made_->varies(); }
  bool symmetric() const override { return made_->symmetric(); }
  bool capturable() const override { return gather_.capturable(); }
  std::vector<PreconditionerLevel> levels() const override { return made_->levels(); }
  std::string remarks() const override { return made_->remarks() + ", on each rank"; }
  std::string name() const override { return "multigrid"; }

 private:
  using PreconditionerBase<Space, T>::space_;
  std::size_t first_, rows_;  ///< of this rank
  GhostExchange<Local, T> gather_;
  std::unique_ptr<Multigrid<Local, T>> made_;
  mutable Vector<Local, T> z_;
};

OSTINATO_EXTERN_CLASS(GatheredMultigrid);

}  // namespace ostinato
