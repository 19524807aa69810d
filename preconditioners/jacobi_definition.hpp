// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/jacobi.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/jacobi_steps.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

template <class Space, class T>
std::string Jacobi<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (std::string why = why_no_diagonal(s); !why.empty()) return why;
  return {};
}

template <class Space, class T>
Jacobi<Space, T>::Jacobi(const Space& space, const SpaceCsr<Space, T>& a, JacobiOptions options)
    : space_(space), options_(options), inverse_(space, static_cast<std::size_t>(a.view().rows)) {
  if (a.view().rows != a.view().cols) {
    throw ArgumentError("jacobi: the matrix is " + std::to_string(a.view().rows) + " x " +
                        std::to_string(a.view().cols) + ", and Jacobi needs a square one; use preconditioner none");
  }
  Vector<Space, double> unusable(space, 1, 0.0);
  sum(space, inverse_.size(),
      detail::InvertDiagonal<T>{detail::pattern_of(a.view()), a.view().val.data(), inverse_.data(), options.absolute},
      unusable.data());
  if (unusable.download()[0] == 0) return;
  const std::vector<T> inverse = inverse_.download();
  const auto bad = std::find_if(inverse.begin(), inverse.end(), [](T v) { return !(v - v == T{0}) || v == T{0}; });
  throw ArgumentError(
      "jacobi: " + row_text(static_cast<std::size_t>(bad - inverse.begin())) +
      " has no diagonal entry that can be divided by (it is missing, 0 or not finite); use preconditioner "
      "none");
}

template <class Space, class T>
void Jacobi<Space, T>::update_values(const Analysis<Space, T>& analysis) requires Real<T> {
  require_rows("jacobi", analysis.structure(), inverse_.size());
  *this = Jacobi(analysis);
}

template <class Space, class T>
void Jacobi<Space, T>::update_values(const CsrView<T>& a) {
  Structure shape;
  shape.rows = a.rows;
  require_rows("jacobi", shape, inverse_.size());
  *this = Jacobi(space_, a, options_);
}

template <class Space, class T>
void Jacobi<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  require_lengths(name, rows(), r.size(), z.size());
  multiply<T>(space_, inverse_, r, z);
}

template <class Space, class T>
void Jacobi<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const {
  require_lengths(name, rows(), r.size(), z.size());
  multiply_dot<T>(space_, inverse_, r, z, slot);
}

}  // namespace ostinato
