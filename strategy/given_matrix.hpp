// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/numbered_matrix.hpp>

namespace ostinato::detail {

/// The given matrix by what there is of it in the numbering of the solve.
template <class Space, class T>
class GivenMatrix final : public LinearMap<Space, T> {
 public:
  using Map = LinearMap<Space, T>;
  explicit GivenMatrix(const NumberedMatrix<Space, T>& matrix)
      : Map(matrix.analysis().space(), static_cast<std::size_t>(matrix.analysis().structure().rows),
            static_cast<std::size_t>(matrix.analysis().structure().cols)),
        matrix_(matrix) {}

  const Facts* facts() const override { return &matrix_.analysis().structure(); }

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override {
    const Space& space = this->space_;
    const Vector<Space, T> zero(space, y.rows, T{0});
    Vector<Space, T> product(space, y.rows);
    Vector<Space, double> slot(space, 1);
    for (int k = 0; k < y.columns; ++k) {
      const Out<T> to = y.column(k);
      residual_of(1, 1, x.column(k), zero, product, slot.data());
      scale<T>(space, -alpha, product, beta == T{0} ? to : product.span());
      if (beta == T{0}) continue;
      scale<T>(space, -beta, to, to);
      subtract_from<T>(space, product, to, to, slot.data());
    }
  }

  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override {
    for (int k = 0; k < r.columns; ++k) residual_of(outer, inner, x.column(k), b.column(k), r.column(k), slots + k);
    return true;
  }

 private:
  /// r = b - outer A (inner x);  *slot = r . r
  void residual_of(double outer, double inner, In<T> x, In<T> b, Out<T> r, Slot<T> slot) const {
    const Space& space = this->space_;
    const CsrView<T>& a = matrix_.analysis().matrix().view();
    if (!matrix_.changes()) return ostinato::accurate_residual<T>(space, a, outer, inner, x, b, r, slot);
    Vector<Space, T> of_x(space, x.size()), of_b(space, b.size()), of_r(space, r.size());
    matrix_.enter(x, of_x);
    matrix_.enter(b, of_b);
    ostinato::accurate_residual<T>(space, a, outer, inner, of_x, of_b, of_r, slot);
    matrix_.leave(of_r, r);
  }

  const NumberedMatrix<Space, T>& matrix_;
};

}  // namespace ostinato::detail
