// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {
template <class T>
struct StencilRows;
template <class Space, class A>
class LowerOf;
}  // namespace detail

/// A matrix on a grid that is never stored: products are made from its stencil. Solvers and Multigrid take it as they
/// take an Operator.
///
/// Shapes    apply: x and y have a number for each point of the grid, along x first, then y, then z, in the memory of
///           the space. They don't overlap.
/// Layout    With constant coefficients all points with the same place along each axis (at its beginning, between, at
///           its end) have the same row: a table of 27 rows is all that is stored. Coefficients by a function are
///           stored in T, one array over all points for each neighbour.
/// Traffic   A product reads x and writes y: 16 bytes a row in double precision, if x is read once. Coefficients by a
///           function add 8 bytes for each neighbour: 56 bytes a row for 7 points.
/// Exec      The constructor works on the host and uploads the result (Cuda::upload). The other functions are
///           asynchronous on Cuda and allocate nothing. On Host several threads may apply one const operator at once.
/// Throws    ArgumentError for a stencil that isn't valid; DimensionError from apply, naming the shapes; DeviceError,
///           as Operator.
/// Limits    One unknown a point, at most 2^31 - 1 points. Products on a grid with periodic axes are made by a general
///           kernel, which is slower.
template <class Space, class T>
class StencilOperator {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;

  StencilOperator(const Space& space, const Stencil& stencil);
  /// An object that was moved from has no rows, and its products throw ArgumentError.
  StencilOperator(StencilOperator&& other) noexcept;
  StencilOperator& operator=(StencilOperator&& other) noexcept;
  ~StencilOperator();

  Index rows() const { return structure_.rows; }
  Index cols() const { return structure_.cols; }
  const Space& space() const { return space_; }
  const Structure& structure() const { return structure_; }  ///< without census and profile
  const Facts& facts() const { return structure_; }
  const Grid& grid() const { return grid_; }
  std::size_t bytes() const { return coefficients_.bytes(); }
  int revision() const { return revision_.number(); }  ///< changes when another operator is assigned

  /// The coefficients of the 27 classes of points, table()[class * 27 + neighbour]: a class is the sum of 0, 1 or 2
  /// along x, 3 times that along y and 9 times that along z; a neighbour is 13 + dx + 3 dy + 9 dz. Empty where the
  /// coefficients are stored by point.
  const std::vector<double>& table() const { return table_; }

  /// The stored coefficients, in the memory of the space: those of one neighbour after those of the other, of the
  /// points themselves last, for the neighbours that a stencil of grid() has.
  std::span<const T> coefficients() const { return coefficients_.span(); }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const;

  /// y = A x;  *slot = w . y, in one pass. The slot is in the memory of the space.
  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, Slot<T> slot) const;

  /// For vectors in float; null where T is float.
  const LinearMap<Space, float>* lower() const;

  /// r = b - A x;  *slot = r . r, in one pass.
  void residual(std::span<const T> x, std::span<const T> b, std::span<T> r, Slot<T> slot) const;

  /// r = b - outer A (inner x), added up with twice the digits (spmv/algebra/accurate_residual.hpp);  *slot = r . r.
  /// Returns true.
  bool accurate_residual(double outer, double inner, std::span<const T> x, std::span<const T> b, std::span<T> r,
                         Slot<T> slot) const;

 private:
  void require_shapes(std::size_t x, std::size_t y) const;
  detail::StencilRows<T> view() const;
  bool mixed_dot_of_fours(const float* x, float* y, const float* w, Slot<float> slot) const
      requires(std::is_same_v<T, double>&& is_cuda<Space>);

  using Lower = detail::LowerOf<Space, StencilOperator>;
  friend Lower;
  template <class Product>
  void mixed(const Product& p, const float* w, Slot<float> slot) const;

  Space space_;
  Grid grid_;
  Structure structure_;
  std::vector<double> table_;
  Vector<Space, T> coefficients_;
  std::unique_ptr<Lower> lower_;  ///< where T is double
  Revision revision_;
  FirstLook look_;
};

template <class Space>
StencilOperator(const Space&, const Stencil&) -> StencilOperator<Space, double>;

OSTINATO_EXTERN_CLASS(StencilOperator);

}  // namespace ostinato
