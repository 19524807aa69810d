// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/ghost_exchange.hpp>
#include <ostinato/spmv/team/halo_steps.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

/// A matrix of which each rank of a team has some rows.
///
/// Interior rows, which need elements of x of their own rank alone, are multiplied while the elements for the others,
/// the boundary rows, are under way. The terms of a row are added in the same order on any number of ranks: products
/// have the bits of one rank, unless they are csr on GPUs.
///
/// Shapes    rows() and cols() are those of this rank, as are x and y: parts of vectors. facts() is of the whole
///           matrix.
/// Layout    Interior rows in dia where the whole matrix has few diagonals, well filled, else in csr; boundary rows in
///           csr, with the columns that they need alone. On GPUs sliced-ell stands for csr, unless few long rows
///           would pad it to more than eight slots an entry.
/// Traffic   As Operator, and that of GhostExchange.
/// Exec      All ranks call all functions together, each on one thread (GhostExchange).
/// Throws    ArgumentError on all ranks where the rows of one aren't valid: RankError on the others. RankError from
///           products.
template <class Local, class T>
class DistributedOperator : public LinearMap<Distributed<Local>, T> {
 public:
  using Space = Distributed<Local>;

  /// A square matrix: x is divided as the rows are. `mine`: the rows of this rank, with columns of the whole matrix.
  /// `format`: "auto", "csr" ("sliced-ell" on a GPU) or "dia", the same on all ranks. `known`: the facts of the whole
  /// matrix, where all ranks have them, which then needn't be found; null otherwise.
  DistributedOperator(const Space& space, const Partition& rows, const CsrView<T>& mine,
                      const std::string& format = "auto", const Facts* known = nullptr)
      : DistributedOperator(space, rows, rows, mine, format, known) {}
  DistributedOperator(const Space& space, const Partition& rows, const Partition& cols, const CsrView<T>& mine,
                      const std::string& format = "auto", const Facts* known = nullptr);

  /// Makes the transpose, which lsmr needs. `mine`: the rows as before.
  void add_adjoint(const CsrView<T>& mine);

  const Partition& row_parts() const { return row_parts_; }
  const Partition& column_parts() const { return column_parts_; }
  const std::string& format() const { return format_; }  ///< of the interior rows
  HaloReport report() const;

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override;
  void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const override;
  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override;
  const LinearMap<Space, T>* adjoint() const override { return adjoint_.get(); }
  bool capturable() const override { return ghosts_->capturable(); }
  const Facts* facts() const override { return &facts_; }
  std::size_t bytes() const override;

 private:
  struct Cut;
  /// For the kernels that multiply the boundary and join the sums of blocks of w . y; empty where rows are csr.
  struct Join {
    Vector<Cuda, double> sums;
    Vector<Cuda, Index> first_of;  ///< blocks + 1: among the rows of the boundary
    Vector<Cuda, Offset> ptr;
    Vector<Cuda, Index> col, ghost_place;
    Vector<Cuda, T> val;
    Vector<Cuda, std::uint8_t> ghost_rank;

    std::size_t bytes() const {
      return sums.bytes() + first_of.bytes() + ptr.bytes() + col.bytes() + val.bytes() + ghost_place.bytes() +
             ghost_rank.bytes();
    }
  };
  struct None {};

  void build(Cut cut);
  void build_join(const Cut& cut) requires is_cuda<Local>;
  bool joins_on_gpu() const {
    if constexpr (is_cuda<Local>) return gpu_.first_of.size() > 0;
    return false;
  }
  detail::BoundaryRows<T> boundary_rows() const requires is_cuda<Local>;
  detail::Ghosts<T> ghosts_there() const requires is_cuda<Local>;
  void apply_on_gpu(T alpha, const T* x, T beta, T* y) const requires is_cuda<Local>;
  void dot_on_gpu(const T* x, T* y, const T* w, Slot<T> slot) const requires is_cuda<Local>;
  template <class Interior, class Boundary>
  void multiply(const T* x, Interior interior, Boundary boundary) const;
  void join_dot(const T* w, const T* y, Slot<T> slot) const requires is_host<Local>;

  using LinearMap<Space, T>::space_;
  Partition row_parts_, column_parts_;
  std::string format_;
  Facts facts_;
  Offset entries_ = 0;
  std::unique_ptr<Operator<Local, T>> interior_, boundary_;  ///< null without rows
  std::vector<std::size_t> boundary_blocks_;                 ///< blocks of rows that have some of the boundary
  std::unique_ptr<GhostExchange<Local, T>> ghosts_;          ///< x of the boundary
  Vector<Local, Index> rows_;                                ///< of the boundary, own numbers
  mutable Vector<Local, T> y_;                               ///< of the boundary
  mutable Vector<Local, sum_t<T>> slot_;
  [[no_unique_address]] std::conditional_t<is_cuda<Local>, Join, None> gpu_;
  std::unique_ptr<DistributedOperator> adjoint_;
};

/// The entries of a rank's rows in its own columns, with own numbers: a block of the main diagonal.
template <class T>
Csr<T> own_block(const Team& team, const Partition& parts, const CsrView<T>& mine);

OSTINATO_EXTERN_CLASS(DistributedOperator);

}  // namespace ostinato
