// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

/// Multigrid on a small matrix whose rows ranks share: each rank has the whole matrix, and all do the same cycle.
///
/// Shapes    rows() and cols() are those of this rank.
/// Traffic   apply() gathers a vector: 4 bytes for each row of the matrix, on each rank. Nothing is sent back.
/// Exec      Collective.
template <class Local, class T>
class GatheredMultigrid final : public LinearMap<Distributed<Local>, float> {
 public:
  using Space = Distributed<Local>;

  /// `mine`: the rows of this rank, which are multiplied by `factor`.
  /// Throws    What Multigrid throws, on all ranks that do; RankError on the others.
  GatheredMultigrid(const Space& space, const Partition& rows, const CsrView<T>& mine, double factor,
                    const MultigridOptions& options, const MemoryBudget& memory);

  /// y = alpha M^-1 x + beta y
  void apply(float alpha, Block<const float> x, float beta, Block<float> y) const override;
  std::size_t bytes() const override { return made_->bytes() + 2 * all_.bytes() + 2 * z_.bytes(); }

  const Multigrid<Local, T>& made() const { return *made_; }

 private:
  using LinearMap<Space, float>::space_;
  Partition rows_;
  std::size_t most_;  ///< rows of a rank
  std::unique_ptr<Multigrid<Local, T>> made_;
  mutable Vector<Local, float> own_, all_;  ///< own_: filled up to the length that all ranks send
  mutable Vector<Local, T> r_, z_;
};

}  // namespace ostinato
