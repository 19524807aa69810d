// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// A sparse matrix for methods that multiply with its transpose, too, such as LSMR: the matrix and the transpose are
/// two operators, each in the format that was chosen for it.
///
/// Exec      The constructors transpose in the memory of the space, and wait until both operators are ready. Products
///           are as those of Operator.
/// Requires  On Host the arrays of the matrix are kept alive as for Operator. The object owns those of the transpose.
/// Throws    As Operator. A format asked for by name has to hold the matrix and its transpose.
template <class Space, class T>
class TransposableOperator : public LinearMap<Space, T> {
 public:
  TransposableOperator(const Space& space, const Csr<T>& a, FormatOptions options = {})
      : TransposableOperator(Analysis<Space, T>(space, a), options) {}
  explicit TransposableOperator(const Analysis<Space, T>& analysis, FormatOptions options = {})
      : TransposableOperator(Operator<Space, T>(analysis, options), analysis, options) {}

  /// Takes an operator that was made from the analysis.
  TransposableOperator(Operator<Space, T> a, const Analysis<Space, T>& analysis, FormatOptions options = {});

  Index rows() const { return a_.rows(); }
  Index cols() const { return a_.cols(); }
  const Structure& structure() const { return a_.structure(); }
  const Operator<Space, T>& forward() const { return a_; }
  const Operator<Space, T>& transposed() const { return transposed_; }
  std::string generated() const { return a_.generated(); }

  std::size_t bytes() const override { return a_.bytes() + transposed_.bytes(); }  ///< of both
  const LinearMap<Space, T>* adjoint() const override { return &transposed_; }
  std::span<const double> column_norms() const override { return column_norms_; }
  int revision() const override { return a_.revision() + transposed_.revision(); }
  bool capturable() const override { return true; }
  const Facts* facts() const override { return a_.facts(); }

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override { a_.apply(alpha, x, beta, y); }
  void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const override {
    a_.apply_dot(x, y, w, slots);
  }
  void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const override {
    a_.residual(x, b, r, slots);
  }
  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override {
    return a_.accurate_residual(outer, inner, x, b, r, slots);
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
