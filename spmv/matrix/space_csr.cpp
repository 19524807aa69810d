// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/space_csr.hpp>

#include <utility>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

template <class T>
struct CudaArrays {
  Vector<Cuda, Offset> row_ptr;
  Vector<Cuda, Index> col;
  Vector<Cuda, T> val;
};

}  // namespace

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, const CsrView<T>& a) : view_(a) {
  check(a);
  if (!is_canonical(a)) {
    Csr<T> sorted = canonical(a);
    if (Space::on_device) {
      upload(space, sorted.view());
    } else {
      keep(std::move(sorted));
    }
  } else if (Space::on_device) {
    upload(space, a);
  }
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr(const Space& space, Csr<T>&& a) : SpaceCsr(space, a.view()) {
  keep(std::move(a));
}

template <class Space, class T>
SpaceCsr<Space, T>::SpaceCsr([[maybe_unused]] const Space& space, const CsrView<T>& a, OnSpace) : view_(a) {
  if constexpr (Space::on_device) {
    require_device_memory(space, a.row_ptr.data(), "row_ptr of the matrix");
    require_device_memory(space, a.col.data(), "col of the matrix");
    require_device_memory(space, a.val.data(), "val of the matrix");
  }
}

template <class Space, class T>
void SpaceCsr<Space, T>::keep(Csr<T>&& a) {
  if (owned_ != nullptr) return;
  const auto arrays = std::make_shared<const Csr<T>>(std::move(a));
  view_ = arrays->view();
  owned_ = arrays;
}

template <class Space, class T>
void SpaceCsr<Space, T>::upload(const Space& space, const CsrView<T>& a) {
  if constexpr (Space::on_device) {
    const auto arrays = std::make_shared<const CudaArrays<T>>(CudaArrays<T>{
        Vector<Cuda, Offset>(space, a.row_ptr), Vector<Cuda, Index>(space, a.col), Vector<Cuda, T>(space, a.val)});
    view_ = {a.rows, a.cols, arrays->row_ptr, arrays->col, arrays->val};
    owned_ = arrays;
  }
}

template class SpaceCsr<Host, float>;
template class SpaceCsr<Host, double>;
template class SpaceCsr<Cuda, float>;
template class SpaceCsr<Cuda, double>;

}  // namespace ostinato
