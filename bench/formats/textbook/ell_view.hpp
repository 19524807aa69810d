// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ELL storage of ell.hpp and hyb.hpp, for both spaces.

#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// The first `width` entries of each row. Slot k * rows + i holds entry k of row i; the slot's column is -1 when the
/// row has no such entry.
template <class T>
struct EllView {
  Index rows;
  Index width;
  const Index* col;
  const T* val;
};

/// Fills the slots of row i.
template <class T>
struct FillEll {
  CsrArrays<T> a;
  Index width;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset begin = a.row_ptr[i], length = a.length(i);
    for (Index k = 0; k < width; ++k) {
      const Offset slot = Offset{k} * a.rows + static_cast<Offset>(i);
      const bool used = k < length;
      col[slot] = used ? a.col[begin + k] : -1;
      val[slot] = used ? a.val[begin + k] : T{0};
    }
  }
};

template <class T>
struct EllRow {
  EllView<T> a;
  Product<T> p;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T sum = 0;
    for (Index k = 0; k < a.width; ++k) {
      const Offset slot = Offset{k} * a.rows + static_cast<Offset>(i);
      const Index j = a.col[slot];
      if (j >= 0) sum += a.val[slot] * p.x[j];
    }
    store_row(p, i, sum);
  }
};

}  // namespace ostinato::formats::detail
