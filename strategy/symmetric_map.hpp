// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/linear_map.hpp>

namespace ostinato::detail {

/// An operator of a user who says that it is symmetric.
template <class Space, class T>
class SymmetricMap final : public LinearMap<Space, T> {
 public:
  using Map = LinearMap<Space, T>;
  explicit SymmetricMap(std::shared_ptr<const Map> a) : Map(a->space(), a->rows(), a->cols()), a_(std::move(a)) {
    if (this->rows() != this->cols())
      throw ArgumentError("LinearSolver: a symmetric operator has as many columns as rows");
    constexpr Index unknown_terms = 16;  // of a row, as of an operator without facts()
    facts_.rows = facts_.cols = static_cast<Index>(this->rows());
    facts_.longest_row = unknown_terms;
    facts_.mean_row = unknown_terms;
    if (a_->facts() != nullptr) facts_ = *a_->facts();
    facts_.symmetric = true;
  }

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override { a_->apply(alpha, x, beta, y); }
  void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const override {
    a_->apply_dot(x, y, w, slots);
  }
  void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const override {
    a_->residual(x, b, r, slots);
  }
  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override {
    return a_->accurate_residual(outer, inner, x, b, r, slots);
  }
  const LinearMap<Space, float>* lower() const override { return a_->lower(); }
  const Map* adjoint() const override { return this; }
  std::span<const double> column_norms() const override { return a_->column_norms(); }
  const Facts* facts() const override { return &facts_; }
  int revision() const override { return a_->revision(); }
  bool capturable() const override { return a_->capturable(); }
  std::size_t bytes() const override { return a_->bytes(); }
  bool works_on(const Space& space) const override { return a_->works_on(space); }

 private:
  std::shared_ptr<const Map> a_;
  Facts facts_;
};

}  // namespace ostinato::detail
