// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>

namespace ostinato {

/// The product R A P, as R (A P), as a plan that takes new values (update()).
///
/// Shapes    R: l x m, A: m x n, P: n x k, result(): l x k.
/// Layout    Two MatrixProducts: A P stays in memory.
/// Otherwise as MatrixProduct.
template <class Space, class T>
class TripleProduct {
 public:
  TripleProduct(const Space& space, const SpaceCsr<Space, T>& r, const SpaceCsr<Space, T>& a,
                const SpaceCsr<Space, T>& p)
      : ap_(space, a, p), rap_(space, r, ap_.result()) {}
  /// Of A P and of R (A P), which were made.
  TripleProduct(MatrixProduct<Space, T> ap, MatrixProduct<Space, T> rap) : ap_(std::move(ap)), rap_(std::move(rap)) {}

  const SpaceCsr<Space, T>& result() const { return rap_.result(); }
  std::size_t bytes() const { return ap_.bytes() + rap_.bytes(); }

  /// As MatrixProduct::update().
  void update(const SpaceCsr<Space, T>& r, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& p) {
    ap_.update(a, p);
    rap_.update(r, ap_.result());
  }

 private:
  MatrixProduct<Space, T> ap_, rap_;
};

/// The Galerkin product P^T A P, as a plan that takes new values.
///
/// Shapes    A: n x n, P: n x k, result(): k x k.
/// Layout    P^T with its plan (MatrixTranspose), and a TripleProduct.
/// Otherwise as MatrixProduct. The result of a symmetric A is symmetric but for rounding.
template <class Space, class T>
class GalerkinProduct {
 public:
  GalerkinProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& p)
      : transpose_(space, p), rap_(space, transpose_.result(), a, p) {}

  const SpaceCsr<Space, T>& result() const { return rap_.result(); }
  const SpaceCsr<Space, T>& restriction() const { return transpose_.result(); }  ///< P^T

  /// New values of A; P has the values that it had in the constructor or in the last update of both.
  void update(const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& p) { rap_.update(restriction(), a, p); }

  /// New values of A and P.
  void update_both(const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& p) {
    transpose_.update(p);
    update(a, p);
  }

 private:
  MatrixTranspose<Space, T> transpose_;
  TripleProduct<Space, T> rap_;
};

/// R A P in arrays of its own. As TripleProduct, but A P is freed.
template <class Space, class T>
SpaceCsr<Space, T> multiply(const Space& space, const SpaceCsr<Space, T>& r, const SpaceCsr<Space, T>& a,
                            const SpaceCsr<Space, T>& p) {
  return multiply(space, r, multiply(space, a, p));
}

}  // namespace ostinato
