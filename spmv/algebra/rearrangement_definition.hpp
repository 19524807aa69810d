// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/rearrangement.hpp>

#include <utility>

#include <ostinato/spmv/algebra/shapes.hpp>
#include <ostinato/spmv/ordering/renumber_steps.hpp>

namespace ostinato {

template <class Space, class T>
Rearrangement<Space, T>::Rearrangement(const Space& space, const SpaceCsr<Space, T>& a,
                                       detail::MovedPattern<Space> moved)
    : space_(space),
      rows_(a.view().rows),
      cols_(a.view().cols),
      nonzeros_(a.view().nonzeros()),
      from_(std::move(moved.from)),
      arrays_(std::make_shared<CsrStorage<Space, T>>(
          CsrStorage<Space, T>{moved.rows, moved.cols, std::move(moved.row_ptr), std::move(moved.col),
                               Vector<Space, T>(space, from_.size())})),
      result_(arrays_) {
  update(a);
}

template <class Space, class T>
void Rearrangement<Space, T>::update(const SpaceCsr<Space, T>& a) {
  detail::require_pattern("update of a rearranged matrix", a.view(), rows_, cols_, nonzeros_);
  for_each(space_, from_.size(),
           detail::GatherElements<T, Offset>{a.view().val.data(), from_.data(), arrays_->val.data()});
}

}  // namespace ostinato
