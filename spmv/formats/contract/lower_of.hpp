// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// LinearMap::lower() of an A in double, whose mixed(product, w, slot) makes a product with vectors in float and
/// *slot = w . y. An A that is moved says whom its object of this class serves now.
template <class Space, class A>
class LowerOf final : public LinearMap<Space, float> {
 public:
  LowerOf(const Space& space, std::size_t rows, std::size_t cols, const A& a)
      : LinearMap<Space, float>(space, rows, cols), a_(&a), unused_(space, 1) {}
  LowerOf(const LowerOf&) = delete;
  void serve(const A& a) { a_ = &a; }

  /// Throws    DimensionError, as apply_dot().
  void apply(float alpha, Block<const float> x, float beta, Block<float> y) const override {
    require_shapes("apply", this->rows(), this->cols(), x.rows, y.rows);
    double on_stack = 0;  // several threads may apply a map on the host
    double* const slot = Space::has_host_memory ? &on_stack : unused_.data();
    for (int k = 0; k < y.columns; ++k) {
      float* const to = y.column(k).data();
      a_->mixed(Product<double, float>{alpha, x.column(k).data(), beta, to, to}, to, slot);
    }
  }

  void apply_dot(Block<const float> x, Block<float> y, Block<const float> w, Slot<float> slots) const override {
    require_shapes("apply_dot", this->rows(), this->cols(), x.rows, y.rows);
    require_shapes("apply_dot", this->rows(), this->cols(), x.rows, w.rows);
    for (int k = 0; k < y.columns; ++k) {
      float* const to = y.column(k).data();
      a_->mixed(Product<double, float>{1, x.column(k).data(), 0, to, to}, w.column(k).data(), slots + k);
    }
  }

 private:
  const A* a_;
  mutable Vector<Space, double> unused_;
};

}  // namespace ostinato::detail
