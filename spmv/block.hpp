// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace ostinato {

/// Columns of vectors, one every `stride` elements; it doesn't own them. A vector is a block of one column: whatever
/// converts to a span converts to a block.
template <class T>
struct Block {
  T* data = nullptr;
  std::size_t rows = 0;
  int columns = 1;
  std::size_t stride = 0;

  constexpr Block() = default;
  constexpr Block(T* first, std::size_t n, int count, std::size_t between)
      : data(first), rows(n), columns(count), stride(between) {}
  constexpr Block(T* first, std::size_t n) : Block(first, n, 1, n) {}
  template <class Vector>
  requires std::convertible_to<Vector, std::span<T>>
  constexpr Block(Vector&& v) : Block(std::span<T>(v)) {}
  constexpr Block(std::span<T> v) : Block(v.data(), v.size()) {}
  template <class U>
  requires std::same_as<const U, T>
  constexpr Block(const Block<U>& b) : Block(b.data, b.rows, b.columns, b.stride) {}

  constexpr std::span<T> column(int k) const { return {data + static_cast<std::size_t>(k) * stride, rows}; }
};

}  // namespace ostinato
