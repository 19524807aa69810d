// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// What is known of a matrix that is a function. Solvers trust it.
template <class T>
struct FunctionOptions {
  std::size_t cols = 0;    ///< 0: as many as rows
  bool symmetric = false;  ///< A equals its transpose: "auto" begins with MINRES, and LSMR needs no `transposed`
  bool positive_definite = false;  ///< symmetric, and x . A x > 0: "auto" begins with CG
  /// transposed(x, y) sets y = A^T x, as LSMR needs it. Empty: there is none, unless A is symmetric.
  std::function<void(std::span<const T> x, std::span<T> y)> transposed = {};
};

/// A matrix that is a function: f(x, y) sets y = A x. make_operator() makes one of a lambda.
///
/// Shapes    A: rows x cols.  x: std::span<const T> of cols elements.  y: std::span<T> of rows elements, which may hold
///           NaN.
/// Exec      As f. On Cuda x and y are device memory, and f enqueues its work on the stream of the space. apply with a
///           beta other than 0 allocates a vector; the solvers don't ask for it. Several threads may solve with the
///           operator at once where they may call f at once.
/// Requires  f is called through a const reference.
template <class Space, class T, class F>
class FunctionOperator {
 public:
  using space_type = Space;
  using value_type = T;

  /// Throws    ArgumentError for a symmetric matrix that isn't square.
  FunctionOperator(const Space& space, std::size_t rows, F f, FunctionOptions<T> options = {})
      : space_(space),
        rows_(rows),
        cols_(options.cols == 0 ? rows : options.cols),
        f_(std::move(f)),
        transposed_(std::move(options.transposed)) {
    if (!options.symmetric && !options.positive_definite) return;
    if (rows_ != cols_) throw ArgumentError("make_operator: a symmetric matrix has as many columns as rows");
    structure_.emplace();
    structure_->rows = structure_->cols = static_cast<Index>(rows_);
    structure_->longest_row = unknown_terms;
    structure_->mean_row = unknown_terms;
    structure_->symmetric = true;
    structure_->positive_diagonal = options.positive_definite;
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const Space& space() const { return space_; }
  const Structure* structure() const { return structure_ ? &*structure_ : nullptr; }  ///< null: nothing is known
  bool has_transpose() const { return structure_.has_value() || transposed_ != nullptr; }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  /// Throws    DimensionError.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    require_shapes("apply", rows_, cols_, x.size(), y.size());
    multiply(f_, alpha, x, beta, y);
  }

  /// y = alpha A^T x + beta y; beta = 0 overwrites y, even NaN.
  /// Requires  has_transpose().
  /// Throws    DimensionError.
  void apply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    require_transposed_shapes("apply_transposed", rows_, cols_, x.size(), y.size());
    transposed_ != nullptr ? multiply(transposed_, alpha, x, beta, y) : multiply(f_, alpha, x, beta, y);
  }

 private:
  static constexpr Index unknown_terms = 16;  ///< of a row, as of an operator without structure()

  template <class G>
  void multiply(const G& g, T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    if (beta != T{0}) return add(g, alpha, x, beta, y);
    g(x, y);
    if (alpha != T{1}) scale<T>(space_, alpha, y, y);
  }

  template <class G>
  void add(const G& g, T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    Vector<Space, T> product(space_, y.size()), old(space_, y.size());
    Vector<Space, double> unused(space_, 1);
    multiply(g, -alpha, x, T{0}, product.span());
    scale<T>(space_, beta, y, old.span());
    subtract_from<T>(space_, old, product, y, unused.data());
  }

  Space space_;
  std::size_t rows_, cols_;
  F f_;
  std::function<void(std::span<const T>, std::span<T>)> transposed_;
  std::optional<Structure> structure_;  ///< where options say something
};

/// An operator of a function f(x, y) that sets y = A x, with n rows and, unless options.cols says otherwise, n columns:
///   auto A = make_operator<double>(space, n, [&](std::span<const double> x, std::span<double> y) { ... },
///                                  {.positive_definite = true});
template <class T, class Space, class F>
FunctionOperator<Space, T, F> make_operator(const Space& space, std::size_t n, F f,
                                            FunctionOptions<std::type_identity_t<T>> options = {}) {
  static_assert(Real<T>, "make_operator: the value type is float or double");
  static_assert(std::invocable<const F&, std::span<const T>, std::span<T>>,
                "make_operator: f isn't called as f(std::span<const T> x, std::span<T> y) const; a lambda that is "
                "mutable isn't const");
  return {space, n, std::move(f), std::move(options)};
}

}  // namespace ostinato
