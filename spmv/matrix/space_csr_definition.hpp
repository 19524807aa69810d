// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/space_csr.hpp>

#include <utility>

#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, const CsrView<T>& a) : view_(a) {
  check(a);
  if (!is_canonical(a)) {
    Csr<T> sorted = canonical(a, checked);
    if (!Space::has_host_memory) {
      upload(space, sorted.view());
    } else {
      keep(std::move(sorted));
    }
    is_sorted_copy_ = true;
  } else if (!Space::has_host_memory) {
    upload(space, a);
  }
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, const Csr<T>& a) : SpaceCsr(space, a.view()) {
  borrowed_ = owned_ == nullptr;
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr([[maybe_unused]] const Space& space, const CsrView<T>& a, SamePattern) : view_(a) {
  if (!Space::has_host_memory) upload(space, a);
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, const Csr<T>& a, SamePattern)
    : SpaceCsr(space, a.view(), same_pattern) {
  borrowed_ = owned_ == nullptr;
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, Csr<T>&& a) : SpaceCsr(space, a.view()) {
  keep(std::move(a));
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr([[maybe_unused]] const Space& space, const CsrView<T>& a, OnSpace) : view_(a) {
  check_sizes(a);
  if constexpr (is_cuda<Space>) {
    require_device_memory(space, a.row_ptr.data(), "row_ptr of the matrix");
    require_device_memory(space, a.col.data(), "col of the matrix");
    require_device_memory(space, a.val.data(), "val of the matrix");
  }
}

template <class Space, class T>
SpaceCsr<Space, T> SpaceCsr<Space, T>::kept(const Space& space) const {
  SpaceCsr all = *this;
  if (!borrowed_) return all;
  if (owned_ != nullptr) {
    const auto copy = std::make_shared<CsrStorage<Space, T>>(
        CsrStorage<Space, T>{view_.rows, view_.cols, Vector<Space, Offset>(space, view_.row_ptr.size()),
                             Vector<Space, Index>(space, view_.col.size()), Vector<Space, T>(space, view_.val.size())});
    space.copy(copy->row_ptr.data(), view_.row_ptr.data(), copy->row_ptr.bytes());
    space.copy(copy->col.data(), view_.col.data(), copy->col.bytes());
    space.copy(copy->val.data(), view_.val.data(), copy->val.bytes());
    return SpaceCsr(copy);
  }
  Csr<T> a{view_.rows, view_.cols, Array<Offset>(view_.row_ptr.size()), Array<Index>(view_.col.size()),
           Array<T>(view_.val.size())};
  space.copy(a.row_ptr.data(), view_.row_ptr.data(), view_.row_ptr.size_bytes());
  space.copy(a.col.data(), view_.col.data(), view_.col.size_bytes());
  space.copy(a.val.data(), view_.val.data(), view_.val.size_bytes());
  all.keep(std::move(a));
  return all;
}

template <class Space, class T>
void SpaceCsr<Space, T>::take_values(const Space& space, const SpaceCsr& a) {
  if (a.borrowed_ && owned_ != nullptr && owned_.use_count() == 1) {
    // The arrays are those of a Csr that isn't const (keep()), and nobody else sees them.
    space.copy(const_cast<T*>(view_.val.data()), a.view_.val.data(), view_.val.size_bytes());
  } else {
    *this = a.kept(space);
  }
}

template <class Space, class T>
void SpaceCsr<Space, T>::keep(Csr<T>&& a) {
  if (owned_ != nullptr && !borrowed_) return;
  borrowed_ = false;
  const auto arrays = std::make_shared<Csr<T>>(std::move(a));
  view_ = arrays->view();
  owned_ = arrays;
}

template <class Space, class T>
void SpaceCsr<Space, T>::upload(const Space& space, const CsrView<T>& a) {
  if constexpr (!Space::has_host_memory) {
    *this = SpaceCsr(std::make_shared<const CsrStorage<Space, T>>(
        CsrStorage<Space, T>{a.rows, a.cols, Vector<Space, Offset>(space, a.row_ptr),
                             Vector<Space, Index>(space, a.col), Vector<Space, T>(space, a.val)}));
  }
}

}  // namespace ostinato
