// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/stencil/stencil_operator.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/contract/lower_of.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/memory.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/stencil/stencil_rows.hpp>
#include <ostinato/spmv/stencil/stencil_steps.hpp>

namespace ostinato {

namespace stencil_operator_definition {

/// table()[class * 27 + neighbour] from the stored coefficients of the classes.
template <class T>
std::vector<double> table_of(const Grid& grid, const T* a) {
  const detail::Slots slots = detail::slots_of(grid);
  constexpr std::size_t n = detail::neighbours;
  std::vector<double> table(n * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t c = 0; c < n && slots[k] >= 0; ++c)
      table[c * n + k] = static_cast<double>(a[static_cast<std::size_t>(slots[k]) * n + c]);
  }
  return table;
}

}  // namespace stencil_operator_definition

template <class Space, class T>
StencilOperator<Space, T>::StencilOperator(const Space& space, const Stencil& stencil)
    : space_(space), grid_(detail::grid_of(stencil)) {
  const bool by_class = detail::is_by_class(stencil);
  const std::size_t rows = by_class ? std::size_t{detail::neighbours} : grid_.extents.points();
  coefficients_ = Vector<Space, T>(space, detail::slot_count(grid_) * rows);
  Array<T> on_host(Space::has_host_memory ? 0 : coefficients_.size());
  T* const a = Space::has_host_memory ? coefficients_.data() : on_host.data();
  structure_ = detail::fill_rows(stencil, grid_, a);
  if (by_class) table_ = stencil_operator_definition::table_of(grid_, a);
  if (!Space::has_host_memory) coefficients_.upload(on_host);
  if constexpr (std::is_same_v<T, double>) {
    const std::size_t points = grid_.extents.points();
    lower_ = std::make_unique<Lower>(space, points, points, *this);
  }
}

template <class Space, class T>
StencilOperator<Space, T>::StencilOperator(StencilOperator&& other) noexcept
    : space_(other.space_),
      grid_(std::exchange(other.grid_, {})),
      structure_(std::exchange(other.structure_, {})),
      table_(std::exchange(other.table_, {})),
      coefficients_(std::move(other.coefficients_)),
      lower_(std::move(other.lower_)) {
  if (lower_) lower_->serve(*this);
}

template <class Space, class T>
StencilOperator<Space, T>::~StencilOperator() = default;

template <class Space, class T>
StencilOperator<Space, T>& StencilOperator<Space, T>::operator=(StencilOperator&& other) noexcept {
  StencilOperator taken(std::move(other));
  std::swap(space_, taken.space_);
  std::swap(grid_, taken.grid_);
  std::swap(structure_, taken.structure_);
  std::swap(table_, taken.table_);
  std::swap(coefficients_, taken.coefficients_);
  std::swap(lower_, taken.lower_);
  if (lower_) lower_->serve(*this);
  revision_.renew();
  return *this;
}

template <class Space, class T>
detail::StencilRows<T> StencilOperator<Space, T>::view() const {
  return {grid_.extents, coefficients_.data(), !table_.empty(), detail::around_of(grid_)};
}

template <class Space, class T>
void StencilOperator<Space, T>::apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
  require_shapes(x.size(), y.size());
  look_.at(space_, x.data(), y.data());
  const detail::StencilRows<T> rows = view();
  detail::with_shape(grid_.dimensions, grid_.star, rows.around, [&]<class S>(S) {
    for_grid(space_, grid_.extents,
             detail::StencilProduct<S, T>{rows, x.data(), alpha, beta, y.data(), y.data(), nullptr});
  });
}

template <class Space, class T>
void StencilOperator<Space, T>::apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w,
                                          Slot<T> slot) const {
  require_shapes(x.size(), y.size());
  require_shapes(w.size(), y.size());
  look_.at(space_, x.data(), y.data());
  const detail::StencilRows<T> rows = view();
  detail::with_shape(grid_.dimensions, grid_.star, rows.around, [&]<class S>(S) {
    sum_grid(space_, grid_.extents,
             detail::StencilProduct<S, T>{rows, x.data(), T{1}, T{0}, nullptr, y.data(), w.data()}, slot);
  });
}

template <class Space, class T>
const LinearMap<Space, float>* StencilOperator<Space, T>::lower() const {
  return lower_.get();
}

/// A product with vectors in float, and *slot = w . y.
template <class Space, class T>
template <class Product>
void StencilOperator<Space, T>::mixed(const Product& p, const float* w, Slot<float> slot) const {
  if constexpr (std::is_same_v<T, double>) {
    if constexpr (is_cuda<Space>) {
      if (p.alpha == 1 && p.beta == 0 && mixed_dot_of_fours(p.x, p.y, w, slot)) return;
    }
    const detail::StencilRows<T> rows = view();
    detail::with_shape(grid_.dimensions, grid_.star, rows.around, [&]<class S>(S) {
      sum_grid(space_, grid_.extents, detail::StencilProduct<S, T, float>{rows, p.x, p.alpha, p.beta, p.z, p.y, w},
               slot);
    });
  }
}

/// Makes the product where StencilProductOfFours can.
template <class Space, class T>
bool StencilOperator<Space, T>::mixed_dot_of_fours(const float* x, float* y, const float* w, Slot<float> slot) const
    requires(std::is_same_v<T, double>&& is_cuda<Space>) {
  const auto is_aligned = [](const float* v) { return reinterpret_cast<std::uintptr_t>(v) % (4 * sizeof(float)) == 0; };
  const Extents& e = grid_.extents;
  if (table_.empty() || view().around.periodic.any() || e.x % 4 != 0) return false;
  if (!is_aligned(x) || !is_aligned(y) || !is_aligned(w)) return false;
  const auto row = detail::row_of_all(table_, e);
  if (!row) return false;
  detail::with_shape(grid_.dimensions, grid_.star, [&]<class S>(S) {
    detail::StencilProductOfFours<S, T> product{e, {}, x, y, w};
    for (int c = 0; c < S::count(); ++c) product.coefficient[c] = (*row)[static_cast<std::size_t>(S::neighbour(c))];
    product.coefficient[S::count()] = (*row)[detail::centre];
    sum_grid(space_, product.fours(), product, slot);
  });
  return true;
}

template <class Space, class T>
void StencilOperator<Space, T>::residual(std::span<const T> x, std::span<const T> b, std::span<T> r,
                                         Slot<T> slot) const {
  require_shapes(x.size(), r.size());
  require_shapes(b.size(), r.size());
  const detail::StencilRows<T> rows = view();
  detail::with_shape(grid_.dimensions, grid_.star, rows.around, [&]<class S>(S) {
    sum_grid(space_, grid_.extents,
             detail::StencilProduct<S, T>{rows, x.data(), T{-1}, T{1}, b.data(), r.data(), r.data()}, slot);
  });
}

template <class Space, class T>
bool StencilOperator<Space, T>::accurate_residual(double outer, double inner, std::span<const T> x,
                                                  std::span<const T> b, std::span<T> r, Slot<T> slot) const {
  require_shapes(x.size(), r.size());
  require_shapes(b.size(), r.size());
  sum_grid(space_, grid_.extents,
           detail::AccurateStencilResidual<T>{view(), outer, inner, x.data(), b.data(), r.data()}, slot);
  return true;
}

template <class Space, class T>
void StencilOperator<Space, T>::require_shapes(std::size_t x, std::size_t y) const {
  if (rows() == 0) throw ArgumentError("stencil: the operator was moved from");
  const std::size_t points = grid_.extents.points();
  if (x == points && y == points) return;
  throw DimensionError("stencil of " + std::to_string(points) + " points: the vectors have " + std::to_string(x) +
                       " and " + std::to_string(y) + " elements");
}

}  // namespace ostinato
