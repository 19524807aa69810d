// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

struct JacobiOptions {
  bool absolute = false;  ///< M = |diag(A)|, positive definite as MINRES requires
};

/// The Jacobi preconditioner, M = diag(A). From the Analysis of a symmetric matrix the constructor takes M = |diag(A)|.
///
/// Values    float and double; on Host complex<double>, too, without an Analysis.
/// Traffic   One application moves 3 n sizeof(T) bytes. apply_dot moves the same, because its dot product is in the
///           same pass.
/// Exec      The constructor inverts the diagonal in the memory of the space and waits for the result. apply and
///           apply_dot are enqueued and allocate nothing. On Host several threads may apply one object at once.
/// Throws    ArgumentError when A isn't square, or naming the first row whose diagonal entry is missing, 0 or not
///           finite.
template <class Space, class T>
class Jacobi {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "jacobi";
  static constexpr std::string_view description = "the diagonal of A";

  /// Returns the reason why Jacobi can't be used for the matrix; empty when it can.
  static std::string why_not(const Structure& s);

  explicit Jacobi(const Analysis<Space, T>& analysis) requires Real<T>
      : Jacobi(analysis.space(), analysis.matrix(), {.absolute = analysis.structure().symmetric}) {}
  Jacobi(const Space& space, const CsrView<T>& a, JacobiOptions options = {})
      : Jacobi(space, SpaceCsr<Space, T>(space, a), options) {}
  Jacobi(const Space& space, const Csr<T>& a, JacobiOptions options = {}) : Jacobi(space, a.view(), options) {}
  Jacobi(const Space& space, const SpaceCsr<Space, T>& a, JacobiOptions options = {});

  // A matrix of another library comes here.
  template <detail::ForeignMatrix Matrix>
  Jacobi(const Space& space, const Matrix&, JacobiOptions = {}) : Jacobi(space, CsrView<T>{}) {
    detail::explain_matrix<Matrix>();
  }

  /// Takes the diagonal of a matrix with new values, as the constructor from an Analysis does. After an exception the
  /// object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis) requires Real<T>;

  /// The same without an analysis: M stays diag(A) or |diag(A)|, as it was.
  void update_values(const CsrView<T>& a);
  void update_values(const Csr<T>& a) { update_values(a.view()); }

  std::size_t rows() const { return inverse_.size(); }
  const T* inverse_diagonal() const { return inverse_.data(); }
  const Space& space() const { return space_; }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;
  /// z = M^-1 r;  *slot = r . z
  void apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const;

  static MemoryPrediction predict(const Analysis<Space, T>& analysis) requires Real<T> {
    return {sizeof(T) * static_cast<std::size_t>(analysis.structure().rows)};
  }

  static constexpr bool equals_transpose() { return true; }
  std::size_t bytes() const { return inverse_.bytes(); }

 private:
  Space space_;
  JacobiOptions options_;
  Vector<Space, T> inverse_;
  Revision revision_;
};

template <class Space, class T>
Jacobi(const Space&, const Csr<T>&) -> Jacobi<Space, T>;
template <class Space, detail::ForeignMatrix Matrix>
requires IsSpace<Space> Jacobi(const Space&, const Matrix&)
->Jacobi<Space, double>;
template <class Space, class T>
Jacobi(const Space&, const CsrView<T>&) -> Jacobi<Space, T>;

OSTINATO_EXTERN_CLASS(Jacobi);

}  // namespace ostinato
