// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/shapes.hpp>
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
class FunctionOperator : public LinearMap<Space, T> {
 public:
  /// Throws    ArgumentError for a symmetric matrix that isn't square.
  FunctionOperator(const Space& space, std::size_t rows, F f, FunctionOptions<T> options = {})
      : LinearMap<Space, T>(space, rows, options.cols == 0 ? rows : options.cols), f_(std::move(f)) {
    if (options.transposed != nullptr)
      transposed_ = std::make_shared<const Transposed>(space, this->cols(), std::move(options.transposed),
                                                       FunctionOptions<T>{.cols = rows});
    if (!options.symmetric && !options.positive_definite) return;
    if (this->rows() != this->cols())
      throw ArgumentError("make_operator: a symmetric matrix has as many columns as rows");
    facts_.emplace();
    facts_->rows = facts_->cols = static_cast<Index>(rows);
    facts_->longest_row = unknown_terms;
    facts_->mean_row = unknown_terms;
    facts_->symmetric = true;
    facts_->positive_diagonal = options.positive_definite;
  }

  const Facts* facts() const override { return facts_ ? &*facts_ : nullptr; }
  const LinearMap<Space, T>* adjoint() const override {
    if (transposed_ != nullptr) return transposed_.get();
    return facts_ ? this : nullptr;
  }

  /// Throws    DimensionError.
  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override {
    require_shapes("apply", this->rows(), this->cols(), x.rows, y.rows);
    for (int k = 0; k < y.columns; ++k) multiply(alpha, x.column(k), beta, y.column(k));
  }

 private:
  static constexpr Index unknown_terms = 16;  ///< of a row, as of an operator without facts()
  using Transposed = FunctionOperator<Space, T, std::function<void(std::span<const T>, std::span<T>)>>;

  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    if (beta != T{0}) return add(alpha, x, beta, y);
    if constexpr (std::invocable<const F&, std::span<const T>, std::span<T>>) f_(x, y);  // make_operator() says so
    if (alpha != T{1}) scale<T>(this->space(), alpha, y, y);
  }

  void add(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    const Space& space = this->space();
    Vector<Space, T> product(space, y.size()), old(space, y.size());
    Vector<Space, double> unused(space, 1);
    multiply(-alpha, x, T{0}, product.span());
    scale<T>(space, beta, y, old.span());
    subtract_from<T>(space, old, product, y, unused.data());
  }

  F f_;
  std::shared_ptr<const Transposed> transposed_;  ///< where options give it
  std::optional<Facts> facts_;                    ///< where options say something
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
