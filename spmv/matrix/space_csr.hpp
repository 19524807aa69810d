// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// A CSR matrix in memory that the space reads: what formats are built from.
/// On Host it refers to the caller's arrays unless it was given the matrix itself; on Cuda it owns an uploaded copy
/// unless the arrays are on the device already. Moves, doesn't copy.
template <class Space, class T>
class Resident;

/// Says that the arrays of a view are in the memory of the space already, so that they are referred to and not
/// uploaded.
struct OnSpace {};
inline constexpr OnSpace on_space;

template <class T>
class Resident<Host, T> {
 public:
  Resident(const Host&, const CsrView<T>& a) : view_(a) {}
  Resident(const Host&, Csr<T>&& a) : owned_(std::make_shared<Csr<T>>(std::move(a))), view_(owned_->view()) {}

  Resident(const Host&, const CsrView<T>& a, OnSpace) : view_(a) {}

  const CsrView<T>& view() const { return view_; }

 private:
  std::shared_ptr<Csr<T>> owned_;
  CsrView<T> view_;
};

template <class T>
class Resident<Cuda, T> {
 public:
  Resident(const Cuda& space, const CsrView<T>& a)
      : row_ptr_(space, a.row_ptr),
        col_(space, a.col),
        val_(space, a.val),
        view_{a.rows, a.cols, row_ptr_, col_, val_} {}
  Resident(const Cuda& space, Csr<T>&& a) : Resident(space, a.view()) {}
  Resident(const Cuda&, const CsrView<T>& a, OnSpace) : view_(a) {}

  const CsrView<T>& view() const { return view_; }

 private:
  Vector<Cuda, Offset> row_ptr_;
  Vector<Cuda, Index> col_;
  Vector<Cuda, T> val_;
  CsrView<T> view_;
};

}  // namespace ostinato
