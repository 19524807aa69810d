// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of band_kernels.hpp written with loops, for spaces other than Host and Cuda.

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/diagonal/band_kernels.hpp>
#include <ostinato/spmv/formats/diagonal/bands_fill.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/atomic.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

namespace detail {

/// Computes row i of a product with bands: over the bands by ascending offset, then over the remainder.
template <class T, class V>
struct BandRow {
  BandView<T> a;
  Product<T, V> p;
  const V* w = nullptr;

  OSTINATO_FUNCTION void operator()(std::size_t row) const { store_row(p, row, sum(static_cast<Index>(row))); }

  OSTINATO_FUNCTION T sum(Index i) const {
    const RowPiece piece = a.pieces[a.piece_of[i / piece_rows]];
    T total = 0;
    for (Index b = 0; b < piece.bands; ++b) {
      const Band& band = a.bands[piece.first_band + b];
      const Offset j = Offset{i} + band.offset;
      if (j >= 0 && j < a.cols) total += value_at(a, band, i) * static_cast<T>(p.x[j]);
    }
    if (a.remainder.ptr == nullptr) return total;
    const Index tile = i / piece_rows;
    for (Index k = a.remainder.ptr[tile]; k < a.remainder.ptr[tile + 1]; ++k) {
      if (a.remainder.row[k] == i - tile * piece_rows)
        total += a.remainder.val[k] * static_cast<T>(p.x[a.remainder.col[k]]);
    }
    return total;
  }
};

/// The same, with w . y.
template <class T, class V>
struct BandRowDot : BandRow<T, V> {
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t row) const {
    BandRow<T, V>::operator()(row);
    return {{static_cast<double>(this->w[row]) * static_cast<double>(this->p.y[row])}};
  }
};

}  // namespace detail

template <class Space, class T>
void band_fill(const Space& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  const Offset* const row_ptr = a.row_ptr.data();
  const Index* const col = a.col.data();
  const T* const val = a.val.data();
  if (to.plan->data_bytes > 0) space.zero(store.data, to.plan->data_bytes);
  for_each(space, to.plan->constants.size(),
           detail::FillConstant<T>{row_ptr, col, val, store.first_row, store.offset, store.constants});
  for_each(
      space, static_cast<std::size_t>(to.rows),
      detail::FillRow<Atomic<Space>, T>{to, row_ptr, col, val, store.data, static_cast<int>(to.plan->codes.size())});
  if (to.remainder.ptr == nullptr) return;
  for_each(
      space, to.plan->remainder_ptr.size() - 1,
      detail::FillRemainder<T>{to, row_ptr, col, val, store.remainder_row, store.remainder_col, store.remainder_val});
}

template <class Space, class T>
Offset band_count_kept(const Space& space, const CsrView<T>& a, const BandView<T>& stored) {
  Vector<Space, double> kept(space, 1);
  sum(space, static_cast<std::size_t>(stored.rows),
      detail::CountKept<T>{stored, a.row_ptr.data(), a.col.data(), a.val.data()}, kept.data());
  return static_cast<Offset>(kept.download()[0]);
}

template <class Space, class T>
Offset band_refill(const Space& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  band_fill(space, a, to, store);
  return band_count_kept(space, a, to);
}

template <class Space, class T>
void band_apply(const Space& space, const BandView<T>& a, const Product<T>& p) {
  for_each(space, static_cast<std::size_t>(a.rows), detail::BandRow<T, T>{a, p});
}

template <class Space, class T, class V>
void band_apply_dot(const Space& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  sum(space, static_cast<std::size_t>(a.rows), detail::BandRowDot<T, V>{{a, p, w}}, slot);
}

}  // namespace ostinato::formats
