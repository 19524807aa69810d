// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/spmv/team/distributed_space.hpp>
#include <ostinato/spmv/team/ghost_exchange.hpp>
#include <ostinato/spmv/team/partition.hpp>
#include <ostinato/spmv/team/slab_product.hpp>

namespace ostinato {

/// Slabs of whole planes along the last axis that has more than one point (lines in two dimensions). Their cuts lie at
/// multiples of a power of two planes, as long as no slab gets larger or smaller than the mean by more than an eighth:
/// of a 32nd of the axis, as grids of multigrid like them, and of so many planes that slabs are whole blocks
/// (Partition::block). Only with the latter have sums the bits of one rank.
Partition slab_partition(const Team& team, const Extents& points);

/// A matrix on a grid that is never stored, of which each rank of a team has a slab of planes (StencilOperator).
///
/// A slab is multiplied as if it were a grid of its own, while the planes beside it are under way. Its first and last
/// plane are then multiplied once more, each in a window of it and the planes beside it. The terms of a row are added
/// in the order of one rank: products have the bits of a StencilOperator.
///
/// Shapes    rows() is that of this rank, as are x and y: parts of vectors. facts() is of the whole matrix.
/// Layout    As StencilOperator, for a slab and for two windows of three planes.
/// Traffic   As StencilOperator, that of GhostExchange, and some 200 bytes for each point of a plane that has ghosts
///           beside it. apply_dot reads w and y again, and residual r. On GPUs, apply_dot of vectors in float with
///           w = x is one pass where the grid has three dimensions, lines of whole fours and no periodic axis.
/// Exec      All ranks call all functions together, each on one thread (GhostExchange). A function for coefficients is
///           called for each point of a slab, and for those of the planes beside it.
/// Requires  The same stencil on all ranks.
/// Throws    ArgumentError as StencilOperator, on all ranks. RankError from products.
template <class Local, class T>
class DistributedStencil : public LinearMap<Distributed<Local>, T> {
 public:
  using Space = Distributed<Local>;

  DistributedStencil(const Space& space, const Stencil& stencil)
      : DistributedStencil(space, stencil, slab_partition(space.team(), stencil.extents)) {}
  /// `rows`: whole planes.
  /// Throws    ArgumentError for others.
  DistributedStencil(const Space& space, const Stencil& stencil, const Partition& rows);
  DistributedStencil(const DistributedStencil&) = delete;
  DistributedStencil& operator=(const DistributedStencil&) = delete;

  const Partition& row_parts() const { return row_parts_; }
  const Grid& grid() const { return grid_; }                 ///< the whole one
  const Structure& structure() const { return structure_; }  ///< of the whole matrix, without census and profile
  /// The coefficients of the 27 classes of points (StencilOperator::table()); empty for coefficients by a function.
  const std::vector<double>& table() const { return table_; }
  std::string format() const { return "stencil"; }
  HaloReport report() const;

  /// The diagonal entry of all rows; nothing where they differ.
  std::optional<T> constant_diagonal() const;
  std::vector<T> diagonal() const;  ///< of this rank's rows
  /// The largest sum over a row of |A(i, j) / A(i, i)|.
  double largest_row() const { return largest_row_; }

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override;
  void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const override;
  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override;
  bool capturable() const override { return moving_.ghosts->capturable(); }
  const LinearMap<Space, float>* lower() const override { return lower_.get(); }
  const Facts* facts() const override { return &structure_; }
  std::size_t bytes() const override;

 private:
  /// A plane with ghosts beside it, and the planes beside it.
  struct Window {
    Index first, planes, kept;  ///< planes of the grid; `first` may be -1, for the last one. The one that is kept.
    std::unique_ptr<StencilOperator<Local, T>> a;
    std::size_t begin;  ///< of the elements in x and y of all windows
  };
  struct Rows;  ///< of coefficients by a function
  /// What products with vectors of V exchange, and x and y of the windows; x only where it is arranged.
  template <class V>
  struct Moving {
    std::unique_ptr<GhostExchange<Local, V>> ghosts;
    mutable Vector<Local, V> x, y;

    std::size_t bytes() const { return (ghosts == nullptr ? 0 : ghosts->bytes()) + x.bytes() + y.bytes(); }
  };
  class Lower;

  void find_windows(bool is_periodic);
  std::vector<Index> meet();
  void describe(const Stencil& stencil, Rows& rows);
  void build(const Stencil& stencil, const Rows& rows, std::span<const Index> arranged);
  double largest_row_of(const Rows& rows) const;
  Offset entries_of_classes() const;
  void build_product() requires is_cuda<Local>;
  void dot_of_planes(const float* x, float* y, const float* w, Slot<float> slot) const requires is_cuda<Local>;
  template <class V>
  const V* windows_x(const Moving<V>& moving) const;
  template <class V, class Multiply>
  void multiply(const Moving<V>& moving, bool reads_y, const V* x, V* y, Multiply multiply) const;
  template <class Subtract>
  void find_residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots, Subtract subtract) const;
  std::size_t plane_of(const Window& w) const { return static_cast<std::size_t>(w.first + w.kept - begin_) * plane_; }
  std::size_t kept_in(const Window& w) const { return w.begin + static_cast<std::size_t>(w.kept) * plane_; }

  using LinearMap<Space, T>::space_;
  Partition row_parts_;
  Grid grid_;
  Structure structure_;
  std::vector<double> table_;
  double largest_row_ = 0;
  Offset entries_ = 0;                               ///< of this rank
  Index begin_ = 0, end_ = 0;                        ///< planes of this rank
  std::size_t plane_ = 0;                            ///< points
  std::unique_ptr<StencilOperator<Local, T>> slab_;  ///< null where windows have all planes
  std::vector<Window> windows_;
  Vector<Local, Index> arranged_;  ///< of the ghosts' boundary(), for the windows; empty where they are in its order
  Moving<T> moving_;
  mutable Vector<Local, T> right_;              ///< b of the windows
  Moving<float> in_float_;                      ///< where T is double
  std::optional<detail::SlabProduct> product_;  ///< without vectors
  Vector<Local, double> sums_;                  ///< of product_
  std::unique_ptr<LinearMap<Space, float>> lower_;
  mutable Vector<Local, sum_t<T>> slot_;
};

OSTINATO_EXTERN_CLASS(DistributedStencil);

}  // namespace ostinato
