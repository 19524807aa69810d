// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functors that copy values from CSR to Bands (bands.hpp), written once for both spaces: bands_host.cpp runs them
// on Host, bands.cu on Cuda.

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/formats/diagonal/band_view.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::formats::detail {

using ostinato::detail::bits_of;

/// Calls f(k, band) for each entry k of row i; band is null for an entry of the remainder. Entries and bands both
/// ascend.
template <class T, class F>
OSTINATO_FUNCTION void walk_row(const BandView<T>& a, const Offset* row_ptr, const Index* col, Index i, F f) {
  const RowPiece piece = a.pieces[a.piece_of[i / piece_rows]];
  const Band* band = a.bands + piece.first_band;
  const Band* const end = band + piece.bands;
  for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
    const Index offset = col[k] - i;
    while (band != end && band->offset < offset) ++band;
    f(k, band != end && band->offset == offset ? band : nullptr);
  }
}

/// Stores the values of row i. Mirrored bands and constants store nothing. refill() also counts what it kept.
template <class Atomics, class T>
struct FillRow {
  BandView<T> a;
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  std::byte* data;
  int codes;

  OSTINATO_FUNCTION void operator()(std::size_t row) const {
    const Index i = static_cast<Index>(row);
    walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
      if (band != nullptr && !band->mirrored) put(*band, band->base + i, val[k]);
    });
  }

  /// The same, and returns the number of entries whose bits the bands give back. Requires the constants to be filled, and
  /// a symmetric matrix where there are mirrored bands.
  OSTINATO_FUNCTION Offset refill(std::size_t row) const {
    const Index i = static_cast<Index>(row);
    Offset kept = 0;
    walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
      if (band == nullptr) return;
      if (!band->mirrored) put(*band, band->base + i, val[k]);
      kept += band->mirrored || keeps(*band, band->base + i, val[k]);
    });
    return kept;
  }

 private:
  /// Whether the value just put at `at` can be read back.
  OSTINATO_FUNCTION bool keeps(const Band& band, Offset at, T v) const {
    if (band.storage == Storage::full) return true;
    const T stored = value_at(a, band, static_cast<Index>(at - band.base));
    return stored == v || bits_of(stored) == bits_of(v);
  }

  OSTINATO_FUNCTION void put(const Band& band, Offset at, T v) const {
    switch (band.storage) {
      case Storage::full:
        reinterpret_cast<T*>(data)[at] = v;
        break;
      case Storage::single:
        reinterpret_cast<float*>(data)[at] = static_cast<float>(v);
        break;
      case Storage::bfloat:
        reinterpret_cast<std::uint16_t*>(data)[at] = upper_half(static_cast<float>(v));
        break;
      case Storage::code:
        reinterpret_cast<std::uint8_t*>(data)[at] = code_of(v);
        break;
      case Storage::mask:
        Atomics::set_bit(reinterpret_cast<std::uint32_t*>(data) + (at >> 5), 1u << (at & 31));
        break;
      case Storage::constant:
        break;
    }
  }

  /// The code of a value; 0 when the table doesn't have the value, which band_count_kept() then detects.
  OSTINATO_FUNCTION std::uint8_t code_of(T v) const {
    for (int c = 0; c < codes; ++c) {
      if (bits_of(a.codes[c]) == bits_of(v)) return static_cast<std::uint8_t>(c);
    }
    return 0;
  }
};

/// Copies the value of each diagonal from its first entry; only masks and constants use the value.
template <class T>
struct FillConstant {
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  const Index* first_row;
  const Index* offset;
  T* constants;

  OSTINATO_FUNCTION void operator()(std::size_t d) const {
    const Index i = first_row[d];
    T value = 0;
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (col[k] - i == offset[d]) value = val[k];
    }
    constants[d] = value;
  }
};

/// Copies the remainder of row piece p: the entries that no band holds.
template <class T>
struct FillRemainder {
  BandView<T> a;
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  std::uint8_t* to_row;
  Index* to_col;
  T* to_val;

  OSTINATO_FUNCTION void operator()(std::size_t p) const {
    Index at = a.remainder.ptr[p];
    const Index room = a.remainder.ptr[p + 1];
    if (at == room) return;
    const Index begin = static_cast<Index>(p) * piece_rows;
    for (Index i = begin; i < a.rows && i - begin < piece_rows; ++i) {
      walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
        if (band != nullptr || at == room) return;
        to_row[at] = static_cast<std::uint8_t>(i - begin);
        to_col[at] = col[k];
        to_val[at] = val[k];
        ++at;
      });
    }
  }
};

/// Counts the entries of the bands that have the same bits as the stored values; the remainder isn't counted.
template <class T>
struct CountKept {
  BandView<T> a;
  const Offset* row_ptr;
  const Index* col;
  const T* val;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t row) const {
    const Index i = static_cast<Index>(row);
    double kept = 0;
    walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
      if (band == nullptr) return;
      const T stored = value_at(a, *band, i), wanted = val[k];
      kept += stored == wanted || bits_of(stored) == bits_of(wanted);
    });
    return {{kept}};
  }
};

}  // namespace ostinato::formats::detail
