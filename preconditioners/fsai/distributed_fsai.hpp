// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/fsai/approximate_factor.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

namespace ostinato {

/// fsai (fsai.hpp) of a matrix of which each rank has some rows: M^-1 = G^T G, with the factor of the whole matrix. The
/// same G, and the same bits, on any number of ranks.
///
/// Exec      The constructor gets the rows of the ghosts, with pattern=a2 also those of their ghosts, and makes rows of
///           G for these, too, which are thrown away.
/// Traffic   A product with G and one with G^T, each with a halo.
/// Throws    ArgumentError on all ranks when the matrix isn't symmetric with a diagonal of one sign, or holds NaN or
///           infinity, and for pattern=adaptive, whose rows may reach anywhere.
template <class Local, class T>
class DistributedFsai final : public PreconditionerBase<Distributed<Local>, T> {
 public:
  /// `mine`: the rows of this rank, canonical, with columns of the whole matrix.
  DistributedFsai(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const FsaiOptions& options);

  void apply(Block<const T> r, Block<T> z) const override;
  /// slots[k] = |G r_k|^2, which is r_k . z_k and never negative
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override;
  std::size_t rows() const override { return between_.size(); }
  std::size_t bytes() const override { return g_.bytes() + between_.bytes(); }
  bool equals_transpose() const override { return true; }
  bool capturable() const override { return g_.capturable(); }
  std::string name() const override { return "fsai"; }

 private:
  using Base = PreconditionerBase<Distributed<Local>, T>;

  static Csr<T> factor(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const FsaiOptions& options);
  DistributedFsai(const DistributedOperator<Local, T>& a, const Csr<T>& g);

  DistributedOperator<Local, T> g_;  ///< its adjoint is G^T
  mutable Vector<Local, T> between_;
};

OSTINATO_EXTERN_CLASS(DistributedFsai);

}  // namespace ostinato
