// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/block.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

// Arrays of Python as the library's spans, blocks and matrices; nothing is copied. They are in host memory, but for
// DeviceArray2.

namespace ostinato::python {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Columns after one another.
template <class T>
using Array2 = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
/// The same in host memory or in that of a GPU.
template <class T>
using DeviceArray2 = nb::ndarray<T, nb::ndim<2>, nb::f_contig>;

template <class T>
std::span<const T> span_in(const Array1<T>& a) {
  return {a.data(), a.size()};
}

template <class T, class... Where>
Block<T> block_in(const nb::ndarray<T, nb::ndim<2>, nb::f_contig, Where...>& a) {
  return {a.data(), a.shape(0), static_cast<int>(a.shape(1)), a.shape(0)};
}

/// A matrix in compressed rows, which lends its arrays.
template <class T>
struct LentCsr {
  Index rows = 0, cols = 0;
  Array1<Offset> row_ptr;
  Array1<Index> col;
  Array1<T> val;

  CsrView<T> view() const { return {rows, cols, span_in(row_ptr), span_in(col), span_in(val)}; }
  Csr<T> copy() const {
    const CsrView<T> v = view();
    return {
        rows, cols, {v.row_ptr.begin(), v.row_ptr.end()}, {v.col.begin(), v.col.end()}, {v.val.begin(), v.val.end()}};
  }
};

/// A NumPy array that owns a moved-in container.
template <class T, class Container>
nb::object numpy_of(Container&& values) {
  auto* const kept = new std::remove_cvref_t<Container>(std::forward<Container>(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::remove_cvref_t<Container>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace ostinato::python
