// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// The vector steps with which a system is scaled and a residual is judged, for both spaces.

namespace ostinato::detail {

/// A power of two as a product of three, because a power may be out of the range of T.
template <class T>
struct PowerOfTwo {
  T part[3] = {1, 1, 1};

  OSTINATO_FUNCTION T times(T value) const { return value * part[0] * part[1] * part[2]; }
};

/// x becomes x times a power of two. A finite value that gets too large becomes the largest finite value. The sums
/// count values that changed in more than their exponent, and values that got too large.
template <class T>
struct Rescale {
  T* x;
  PowerOfTwo<T> power, back;
  static constexpr T largest = std::numeric_limits<T>::max();

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const T before = x[i];
    T value = power.times(before);
    const bool finite = before - before == T{0}, too_large = finite && !(value - value == T{0});
    if (too_large) value = before < T{0} ? -largest : largest;
    x[i] = value;
    const bool lost = finite && (too_large || back.times(value) != before);
    return {{lost ? 1.0 : 0.0, too_large ? 1.0 : 0.0}};
  }
};

/// Counts the values that aren't finite.
template <class T>
struct CountNotFinite {
  const T* x;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return {{x[i] - x[i] == T{0} ? 0.0 : 1.0}}; }
};

/// Infinite values become `infinite` with their sign, NaN becomes 0.
template <class T>
struct MakeFinite {
  T* x;
  T infinite;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const T value = x[i];
    if (value - value == T{0}) return;
    x[i] = value > T{0} ? infinite : value < T{0} ? -infinite : T{0};
  }
};

/// Flips the signs of some elements. The patterns of sign vectors 0 .. 63 on up to 64 elements are the rows of a
/// Hadamard matrix; on more elements they are random. A second flip undoes the first.
template <class T>
struct FlipSigns {
  T* x;
  std::uint64_t vector;
  bool few;
  std::size_t first = 0;  ///< the number of x[0] in the whole vector

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    std::uint64_t bits = few ? (first + i) & vector : mixed(first + i + 1, vector + 1);
    for (int shift = 32; shift > 0; shift /= 2) bits ^= bits >> shift;
    if ((bits & 1) != 0) x[i] = -x[i];
  }

 private:
  OSTINATO_FUNCTION static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t h = a * std::uint64_t{0x9e3779b97f4a7c15} + b * std::uint64_t{0xd6e8feb86659fd93};
    h = (h ^ (h >> 32)) * std::uint64_t{0xd6e8feb86659fd93};
    return (h ^ (h >> 29)) * std::uint64_t{0xa0761d6478bd642f};
  }
};

/// The sum of the fourth powers of the elements, after a division by `unit`.
template <class T>
struct FourthPowers {
  const T* x;
  double unit;
  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const double value = magnitude(x[i]) / unit;
    return {{value * value * (value * value)}};
  }
};

template <class T>
struct AddFinite {
  const T* z;
  T* x;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const T next = x[i] + z[i];
    if (next - next == T{0}) x[i] = next;
  }
};

}  // namespace ostinato::detail

namespace ostinato {

/// x += z, but for elements that would not be finite
template <class T, class Space>
void add_finite(const Space& space, In<T> z, Out<T> x) {
  for_each(space, x.size(), detail::AddFinite<T>{z.data(), x.data()});
}

}  // namespace ostinato
