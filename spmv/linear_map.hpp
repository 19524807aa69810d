// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/block.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// A matrix as solvers see it: the one list of what it can do. Operator, StencilOperator and stored formats are such.
/// A class of your own is one, or has members of the same names, of which all but rows, cols and apply may be missing
/// (spmv/linear_operator.hpp).
///
/// Shapes    A: rows() x cols().  x: cols() rows.  y, w, b, r: rows() rows. Blocks of a call have as many columns as
///           each other, and there is a slot for each column.
/// Exec      Works on the stream of the space, in whose memory blocks and slots are.
/// Requires  Inputs and outputs don't overlap, but w may be x or y.
template <class Space, class T>
class LinearMap {
 public:
  using space_type = Space;
  using value_type = T;

  LinearMap(const Space& space, std::size_t rows, std::size_t cols) : space_(space), rows_(rows), cols_(cols) {}
  virtual ~LinearMap() = default;

  const Space& space() const { return space_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  /// y = alpha A x + beta y, all elements of y. With beta = 0, y isn't read: it may hold anything, even NaN.
  virtual void apply(T alpha, Block<const T> x, T beta, Block<T> y) const = 0;

  /// y = A x;  slots[k] = w_k . y_k
  virtual void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const {
    apply(T{1}, x, T{0}, y);
    for (int k = 0; k < y.columns; ++k) dot<T>(space_, w.column(k), y.column(k), slots + k);
  }

  /// r = b - A x;  slots[k] = r_k . r_k
  virtual void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const {
    apply(T{1}, x, T{0}, r);
    for (int k = 0; k < r.columns; ++k) subtract_from<T>(space_, b.column(k), r.column(k), r.column(k), slots + k);
  }

  /// accurate_residual(outer, inner, x, b, r, slots) sets r = b - outer A (inner x) with twice the digits and
  /// slots[k] = r_k . r_k; outer and inner are powers of two. Returns false where it can't, and did nothing.
  virtual bool accurate_residual(double, double, Block<const T>, Block<const T>, Block<T>, Slot<T>) const {
    return false;
  }

  /// The same A, in double, for vectors in float: an element of y is added up in double and rounded once. So its error
  /// is small beside y itself, however far the terms of a row cancel, and vectors take half the traffic. Null where
  /// there is none.
  virtual const LinearMap<Space, float>* lower() const { return nullptr; }

  /// A^T; null where there is none. Methods such as LSMR need it.
  virtual const LinearMap* adjoint() const { return nullptr; }

  /// The 2-norms of the columns, in the memory of the space. Empty where they aren't known; LSMR estimates them then.
  virtual std::span<const double> column_norms() const { return {}; }

  /// What is known of A; null where nothing is.
  virtual const Facts* facts() const { return nullptr; }

  /// A number that changes when a captured apply is out of date, because apply now enqueues other work.
  virtual int revision() const { return 0; }

  /// apply only enqueues kernels, with the same arguments on every call, so that CUDA may capture apply into a graph
  /// and replay it.
  virtual bool capturable() const { return false; }

  virtual std::size_t bytes() const { return 0; }  ///< memory that the stored matrix takes

  /// False for another GPU or stream, which solvers refuse.
  virtual bool works_on(const Space& space) const { return space.is_same_place(space_); }

 protected:
  LinearMap(const LinearMap&) = default;
  LinearMap(LinearMap&&) = default;
  LinearMap& operator=(const LinearMap&) = default;
  LinearMap& operator=(LinearMap&&) = default;

  Space space_;

 private:
  std::size_t rows_, cols_;
};

}  // namespace ostinato
