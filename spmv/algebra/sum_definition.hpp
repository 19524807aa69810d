// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/sum.hpp>

#include <ostinato/spmv/algebra/counted.hpp>
#include <ostinato/spmv/algebra/shapes.hpp>
#include <ostinato/spmv/algebra/sum_steps.hpp>

namespace ostinato {

namespace sum_definition {

template <class Space, class T>
std::shared_ptr<CsrStorage<Space, T>> sum_storage(const Space& space, const CsrView<T>& a, const CsrView<T>& b) {
  if (a.rows != b.rows || a.cols != b.cols) {
    throw DimensionError("sum of matrices: the first is " + detail::shape_of(a) + ", the second " +
                         detail::shape_of(b) + "; they have to have the same shape");
  }
  const auto rows = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern left = detail::pattern_of(a), right = detail::pattern_of(b);
  CsrStorage<Space, T> c{a.rows, a.cols, Vector<Space, Offset>(space, rows + 1), {}, {}};
  for_each(space, rows, detail::CountSum{left, right, c.row_ptr.data()});
  const std::size_t entries = detail::counted(space, c.row_ptr);
  c.col = Vector<Space, Index>(space, entries);
  c.val = Vector<Space, T>(space, entries);
  for_each(space, rows, detail::FillSum{left, right, c.row_ptr.data(), c.col.data()});
  return std::make_shared<CsrStorage<Space, T>>(std::move(c));
}

}  // namespace sum_definition

template <class Space, class T>
MatrixSum<Space, T>::MatrixSum(const Space& space, const SpaceCsr<Space, T>& a, T s, const SpaceCsr<Space, T>& b)
    : space_(space),
      a_nonzeros_(a.view().nonzeros()),
      b_nonzeros_(b.view().nonzeros()),
      arrays_(sum_definition::sum_storage(space, a.view(), b.view())),
      result_(arrays_) {
  update(a, s, b);
}

template <class Space, class T>
void MatrixSum<Space, T>::update(const SpaceCsr<Space, T>& a, T s, const SpaceCsr<Space, T>& b) {
  const CsrView<T>& c = result_.view();
  detail::require_pattern("sum of matrices, first term", a.view(), c.rows, c.cols, a_nonzeros_);
  detail::require_pattern("sum of matrices, second term", b.view(), c.rows, c.cols, b_nonzeros_);
  for_each(space_, static_cast<std::size_t>(c.rows),
           detail::AddRows<T>{detail::pattern_of(a.view()), a.view().val.data(), s, detail::pattern_of(b.view()),
                              b.view().val.data(), c.row_ptr.data(), arrays_->val.data()});
}

}  // namespace ostinato
