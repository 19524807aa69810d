// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// A square matrix that is a function: f(x, y) sets y = A x. make_operator() makes one of a lambda.
///
/// Shapes    A: n x n.  x: std::span<const T> of n elements.  y: std::span<T> of n elements, which may hold NaN.
/// Exec      As f. On Cuda x and y are device memory, and f enqueues its work on the stream of the space. apply with a
///           beta other than 0 allocates a vector; the solvers don't ask for it. Several threads may solve with the
///           operator at once where they may call f at once.
/// Requires  f is called through a const reference.
template <class Space, class T, class F>
class FunctionOperator {
 public:
  using space_type = Space;
  using value_type = T;

  FunctionOperator(const Space& space, std::size_t n, F f) : space_(space), n_(n), f_(std::move(f)) {}

  std::size_t rows() const { return n_; }
  std::size_t cols() const { return n_; }
  const Space& space() const { return space_; }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  /// Throws    DimensionError.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    if (x.size() != n_ || y.size() != n_) throw DimensionError("apply: the function takes vectors of another length");
    if (beta != T{0}) return add(alpha, x, beta, y);
    f_(x, y);
    if (alpha != T{1}) scale<T>(space_, alpha, y, y);
  }

 private:
  void add(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    Vector<Space, T> product(space_, n_), old(space_, n_);
    Vector<Space, double> unused(space_, 1);
    apply(-alpha, x, T{0}, product);
    scale<T>(space_, beta, y, old.span());
    subtract_from<T>(space_, old, product, y, unused.data());
  }

  Space space_;
  std::size_t n_;
  F f_;
};

/// An n x n operator of a function f(x, y) that sets y = A x:
///   auto A = make_operator<double>(space, n, [&](std::span<const double> x, std::span<double> y) { ... });
template <class T, class Space, class F>
FunctionOperator<Space, T, F> make_operator(const Space& space, std::size_t n, F f) {
  static_assert(detail::Real<T>, "make_operator: the value type is float or double");
  static_assert(std::invocable<const F&, std::span<const T>, std::span<T>>,
                "make_operator: f isn't called as f(std::span<const T> x, std::span<T> y) const; a lambda that is "
                "mutable isn't const");
  return {space, n, std::move(f)};
}

}  // namespace ostinato
