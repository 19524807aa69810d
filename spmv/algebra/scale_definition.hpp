// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/scale.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <ostinato/spmv/algebra/scale_steps.hpp>
#include <ostinato/spmv/algebra/shapes.hpp>

namespace ostinato {

namespace scale_definition {

inline void require_length(const std::string& what, std::size_t length, std::size_t needed, const std::string& shape) {
  if (length == needed) return;
  throw DimensionError(what + " has " + std::to_string(length) + " elements, but the matrix is " + shape +
                       " and needs " + std::to_string(needed));
}

}  // namespace scale_definition

template <class Space, class T>
void scale(const Space& space, const CsrView<T>& a, std::span<const T> left, std::span<const T> right,
           std::span<T> val) {
  const std::string shape = detail::shape_of(a);
  if (!left.empty())
    scale_definition::require_length("scaling of a matrix: left", left.size(), static_cast<std::size_t>(a.rows), shape);
  if (!right.empty())
    scale_definition::require_length("scaling of a matrix: right", right.size(), static_cast<std::size_t>(a.cols),
                                     shape);
  scale_definition::require_length("scaling of a matrix: val", val.size(), a.val.size(), shape);
  const auto runs = detail::EntryRuns::on<Space>(a.nonzeros());
  for_each(space, runs.count(),
           detail::ScaleEntries<T>{runs, detail::pattern_of(a), a.val.data(), left.data(), right.data(), val.data()});
}

template <class Space, class T>
SpaceCsr<Space, T> scaled(const Space& space, const SpaceCsr<Space, T>& a, std::span<const T> left,
                          std::span<const T> right) {
  const CsrView<T>& from = a.view();
  CsrStorage<Space, T> to{from.rows, from.cols, Vector<Space, Offset>(space, from.row_ptr.size()),
                          Vector<Space, Index>(space, from.col.size()), Vector<Space, T>(space, from.val.size())};
  scale(space, from, left, right, to.val.span());
  space.copy(to.row_ptr.data(), from.row_ptr.data(), from.row_ptr.size_bytes());
  space.copy(to.col.data(), from.col.data(), from.col.size_bytes());
  return SpaceCsr<Space, T>(std::make_shared<const CsrStorage<Space, T>>(std::move(to)));
}

template <class Space, class T>
void diagonal(const Space& space, const CsrView<T>& a, std::span<T> d) {
  const auto n = static_cast<std::size_t>(std::min(a.rows, a.cols));
  scale_definition::require_length("diagonal of a matrix: d", d.size(), n, detail::shape_of(a));
  for_each(space, n, detail::ReadDiagonal<T>{detail::pattern_of(a), a.val.data(), d.data()});
}

}  // namespace ostinato
