// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/spmv/algebra/triple_product.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

template <class T>
std::size_t bytes_of(const CsrView<T>& a) {
  return a.row_ptr.size_bytes() + a.col.size_bytes() + a.val.size_bytes();
}

/// The matrix of the next level, R A P, as a plan that takes new values of A and keeps R and P.
///
/// Shapes    A: n x n, P: n x k, R: k x n, result(): k x k.
/// Layout    R and P, A P, and the result.
/// Otherwise as MatrixProduct and bounded_product().
template <class Space, class T>
class CoarseMatrix {
 public:
  /// `entries`: those of A, times the unknowns that a row has on the next level, squared (bounded_product()).
  CoarseMatrix(const Space& space, SpaceCsr<Space, T> r, const SpaceCsr<Space, T>& a, SpaceCsr<Space, T> p,
               Offset entries, const StopRequest& stop)
      : r_(std::move(r)), p_(std::move(p)), rap_([&] {
          MatrixProduct<Space, T> ap = bounded_product(space, a, p_, entries, stop);
          MatrixProduct<Space, T> rap = bounded_product(space, r_, ap.result(), entries, stop);
          return TripleProduct<Space, T>(std::move(ap), std::move(rap));
        }()) {}

  const SpaceCsr<Space, T>& result() const { return rap_.result(); }
  const SpaceCsr<Space, T>& r() const { return r_; }

  /// As MatrixProduct::update().
  void update(const SpaceCsr<Space, T>& a) { rap_.update(r_, a, p_); }

  std::size_t bytes() const { return bytes_of(r_.view()) + bytes_of(p_.view()) + rap_.bytes(); }

 private:
  SpaceCsr<Space, T> r_, p_;
  TripleProduct<Space, T> rap_;
};

}  // namespace ostinato::algebraic
