// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>
#include <utility>

#include <ostinato/preconditioners/contract/application.hpp>

namespace ostinato {

/// A preconditioner that is a function: f(r, z) sets z = M^-1 r. make_preconditioner() makes one of a lambda.
///
/// Shapes    r: std::span<const T>, z: std::span<T>, of as many elements as A has rows. z may hold NaN.
/// Exec      As f. On Cuda r and z are device memory, and f enqueues its work on the stream of the space.
/// Requires  f is called through a const reference. r and z don't overlap.
template <class F>
class FunctionPreconditioner {
 public:
  explicit FunctionPreconditioner(F f) : f_(std::move(f)) {}

  template <class T>
  void apply(std::span<const T> r,
             std::span<T> z) const requires std::invocable<const F&, std::span<const T>, std::span<T>> {
    if (r.size() != z.size()) detail::refuse_lengths("the function", r.size(), r.size(), z.size());
    f_(r, z);
  }

 private:
  F f_;
};

/// A preconditioner of a function f(r, z) that sets z = M^-1 r:
///   auto M = make_preconditioner([&](std::span<const double> r, std::span<double> z) { ... });
template <class F>
FunctionPreconditioner<F> make_preconditioner(F f) {
  return FunctionPreconditioner<F>(std::move(f));
}

}  // namespace ostinato
