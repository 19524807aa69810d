// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// A sparse matrix for methods that multiply with its transpose, too, such as LSMR: the matrix and the transpose are
/// two operators, each in the format that was chosen for it.
///
/// Shapes    apply: x has cols() elements and y has rows() elements. apply_transposed: the other way round.
/// Exec      The constructors transpose in the memory of the space, and wait until both operators are ready. Products
///           are as those of Operator.
/// Requires  On Host the arrays of the matrix are kept alive as for Operator. The object owns those of the transpose.
/// Throws    As Operator. A format asked for by name has to hold the matrix and its transpose.
template <class Space, class T>
class TransposableOperator {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;

  TransposableOperator(const Space& space, const Csr<T>& a, FormatOptions options = {})
      : TransposableOperator(Analysis<Space, T>(space, a), options) {}
  explicit TransposableOperator(const Analysis<Space, T>& analysis, FormatOptions options = {})
      : TransposableOperator(Operator<Space, T>(analysis, options), analysis, options) {}

  /// Takes an operator that was made from the analysis.
  TransposableOperator(Operator<Space, T> a, const Analysis<Space, T>& analysis, FormatOptions options = {});

  Index rows() const { return a_.rows(); }
  Index cols() const { return a_.cols(); }
  const Space& space() const { return a_.space(); }
  const Structure& structure() const { return a_.structure(); }
  const Operator<Space, T>& forward() const { return a_; }
  const Operator<Space, T>& transposed() const { return transposed_; }
  std::size_t bytes() const { return a_.bytes() + transposed_.bytes(); }  ///< of both
  std::span<const double> column_norms() const { return column_norms_; }  ///< 2-norms, in the memory of the space
  int revision() const { return a_.revision() + transposed_.revision(); }
  std::string generated() const { return a_.generated(); }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const { a_.apply(alpha, x, beta, y); }
  /// y = alpha A^T x + beta y; beta = 0 overwrites y, even NaN.
  void apply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    require_transposed_shapes("apply_transposed", static_cast<std::size_t>(rows()), static_cast<std::size_t>(cols()),
                              x.size(), y.size());
    transposed_.apply(alpha, x, beta, y);
  }

  /// As those of Operator.
  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const {
    a_.apply_dot(x, y, w, slot);
  }
  bool residual(std::span<const T> x, std::span<const T> b, std::span<T> r, double* slot) const {
    return a_.residual(x, b, r, slot);
  }
  bool accurate_residual(double outer, double inner, std::span<const T> x, std::span<const T> b, std::span<T> r,
                         double* slot) const {
    return a_.accurate_residual(outer, inner, x, b, r, slot);
  }

 private:
  TransposableOperator(Operator<Space, T> a, const Space& space, SpaceCsr<Space, T> transposed, FormatOptions options);

  Operator<Space, T> a_, transposed_;
  Vector<Space, double> column_norms_;
};

template <class Space, class T>
TransposableOperator(const Space&, const Csr<T>&) -> TransposableOperator<Space, T>;
template <class Space, class T>
TransposableOperator(const Space&, const Csr<T>&, FormatOptions) -> TransposableOperator<Space, T>;

OSTINATO_EXTERN_CLASS(TransposableOperator);

}  // namespace ostinato
