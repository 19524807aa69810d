// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/multigrid/cycle.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/multigrid/structured/constant_grid.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/distributed_stencil.hpp>

namespace ostinato {

/// One cycle of structured multigrid over slabs of planes (structured/slab_cycle.hpp), for a matrix of constant
/// coefficients on a grid, of which each rank has some rows. A solve has the bits and iterations of one rank.
///
/// Exec      Collective.
template <class Local, class T>
class SlabMultigrid final : public PreconditionerBase<Distributed<Local>, T> {
 public:
  /// Null where the options ask for another kind, and for a matrix that isn't such a one, or is small.
  /// `mine`: the rows of this rank, with sorted columns of the whole matrix.
  /// Throws    As DistributedMultigrid.
  static std::unique_ptr<SlabMultigrid> make(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                             const MultigridOptions& options, const StopRequest& stop,
                                             const MemoryBudget& memory);
  /// The same for a stencil, of which nothing is looked for.
  static std::unique_ptr<SlabMultigrid> make(const DistributedStencil<Local, T>& a, const MultigridOptions& options,
                                             const StopRequest& stop, const MemoryBudget& memory);

  void apply(Block<const T> r, Block<T> z) const override;
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override;
  const PreconditionerBase<Distributed<Local>, float>* lower() const override { return lower_.get(); }
  std::size_t rows() const override { return rows_; }
  std::size_t bytes() const override;  ///< of this rank
  double rate() const override { return rate_; }
  bool works_in_float() const override { return true; }
  bool capturable() const override { return capturable_; }
  std::vector<PreconditionerLevel> levels() const override { return cycle_.grids(); }
  std::string remarks() const override;
  std::string name() const override { return "multigrid"; }

 private:
  using Space = Distributed<Local>;
  using Map = LinearMap<Space, T>;

  static std::unique_ptr<SlabMultigrid> make(const Map& a, const Partition& rows, const multigrid::ConstantGrid& found,
                                             const MultigridOptions& options, const MemoryBudget& memory);
  SlabMultigrid(const Map& a, const Partition& rows, multigrid::Cycle<Space> cycle);
  double tried(const Map& a, const Partition& rows) const;
  void load_kernels() const;

  class Lower;
  template <class V>
  void cycle(Block<const V> r, Block<V> z, Slot<V> slots) const;

  std::size_t rows_;
  multigrid::Cycle<Space> cycle_;
  std::unique_ptr<PreconditionerBase<Space, float>> lower_;
  double rate_ = 0;
  bool capturable_ = false;
};

OSTINATO_EXTERN_CLASS(SlabMultigrid);

}  // namespace ostinato
