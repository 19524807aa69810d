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

/// Stores the values of row i. Mirrored bands and constants store nothing.
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

  /// Whether row i has an entry in each band of its piece, and no others.
  OSTINATO_FUNCTION bool is_full(Index i) const {
    return a.remainder.ptr == nullptr && row_ptr[i + 1] - row_ptr[i] == a.pieces[a.piece_of[i / piece_rows]].bands;
  }

  /// The same for new values on the old pattern, so that masks and padding stay. Returns the number of entries whose
  /// bits the bands give back. A mirrored entry is read from the row above that holds its value, and isn't counted
  /// where this row lies above row `first`: see mirrored_above(). Requires the constants to be filled, and the rows
  /// from `first` on.
  OSTINATO_FUNCTION Offset refill(Index i, Index first) const {
    Offset kept = 0;
    walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
      if (band != nullptr) kept += refill_rows(*band, i, i + 1, first, val + k, 0);
    });
    return kept;
  }

  /// The same for rows begin .. end - 1 of one row piece, each of which has an entry in each band and no others.
  OSTINATO_FUNCTION Offset refill_full(Index begin, Index end, Index first) const {
    const RowPiece piece = a.pieces[a.piece_of[begin / piece_rows]];
    Offset kept = 0;
    for (Index b = piece.bands; b-- > 0;)  // a mirrored band is read from the one at the opposite offset
      kept += refill_rows(a.bands[piece.first_band + b], begin, end, first, val + row_ptr[begin] + b, piece.bands);
    return kept;
  }

  /// The number of mirrored entries of row i whose values are in rows above row `first`, and are the same there.
  OSTINATO_FUNCTION Offset mirrored_above(Index i, Index first) const {
    Offset kept = 0;
    walk_row(a, row_ptr, col, i, [&](Offset k, const Band* band) {
      if (band != nullptr && band->mirrored && i + band->offset < first) kept += keeps(*band, i, val[k]);
    });
    return kept;
  }

 private:
  /// refill() for one band; the value of row i is from[(i - begin) * stride].
  OSTINATO_FUNCTION Offset refill_rows(const Band& band, Index begin, Index end, Index first, const T* from,
                                       Index stride) const {
    if (band.storage == Storage::full && !band.mirrored) {
      T* const to = reinterpret_cast<T*>(data) + band.base;
      for (Index i = begin; i < end; ++i) to[i] = from[Offset{i - begin} * stride];
      return end - begin;
    }
    Offset kept = 0;
    for (Index i = band.mirrored ? std::max(begin, first - band.offset) : begin; i < end; ++i) {
      const T v = from[Offset{i - begin} * stride];
      if (!band.mirrored && band.storage != Storage::mask) put(band, band.base + i, v);
      kept += keeps(band, i, v);
    }
    return kept;
  }

  /// Whether the band gives back the value of row i.
  OSTINATO_FUNCTION bool keeps(const Band& band, Index i, T v) const {
    const T stored = value_at(a, band, i);
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
