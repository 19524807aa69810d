// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernels of both spaces see of Bands (bands.hpp), and how a stored value is read.

#include <cstdint>
#include <cstring>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/diagonal/band_plan.hpp>

namespace ostinato::formats {

/// The remainder: entries that no band holds, by row pieces of piece_rows rows, in the order of rows and columns.
template <class T>
struct RemainderView {
  const Index* ptr = nullptr;         ///< pieces + 1; null without a remainder
  const std::uint8_t* row = nullptr;  ///< row within the piece
  const Index* col = nullptr;
  const T* val = nullptr;
};

/// A matrix of the diagonal family. The pointers are to memory of the space; `plan` and `host_constants` are in host
/// memory.
template <class T>
struct BandView {
  Index rows, cols;
  const Index* piece_of;  ///< piece_of[i / piece_rows] is the row piece of row i
  const RowPiece* pieces;
  const Band* bands;
  const std::byte* data;
  const T* constants;
  const T* codes;
  RemainderView<T> remainder;
  const BandPlan* plan;               ///< on the host
  const T* host_constants = nullptr;  ///< a copy of `constants`, once downloaded
};

namespace detail {

inline OSTINATO_FUNCTION float float_of(std::uint16_t upper_half) {
  const std::uint32_t bits = static_cast<std::uint32_t>(upper_half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline OSTINATO_FUNCTION std::uint16_t upper_half(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

template <class E>
OSTINATO_FUNCTION E element(const std::byte* data, Offset at) {
  return reinterpret_cast<const E*>(data)[at];
}

}  // namespace detail

/// The value A(i, i + band.offset), which has to lie inside the matrix.
template <class T>
OSTINATO_FUNCTION T value_at(const BandView<T>& a, const Band& band, Index i) {
  const Offset at = band.base + i;
  switch (band.storage) {
    case Storage::full:
      return detail::element<T>(a.data, at);
    case Storage::single:
      return static_cast<T>(detail::element<float>(a.data, at));
    case Storage::bfloat:
      return static_cast<T>(detail::float_of(detail::element<std::uint16_t>(a.data, at)));
    case Storage::code:
      return a.codes[detail::element<std::uint8_t>(a.data, at)];
    case Storage::mask: {
      const std::uint32_t word = detail::element<std::uint32_t>(a.data, at >> 5);
      return (word >> (at & 31) & 1u) != 0 ? a.constants[band.diagonal] : T{0};
    }
    case Storage::constant:
      break;
  }
  return a.constants[band.diagonal];
}

}  // namespace ostinato::formats
