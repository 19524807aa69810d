// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers in IEEE half precision, which are kept so and computed with in float. They have 11 bits, fewer below 6.1e-5,
// and sizes up to 65504. What converts them is arithmetic that both spaces have and compilers vectorise: no processor
// needs instructions for half precision.

#include <cstdint>

#include <ostinato/spmv/base/function.hpp>

namespace ostinato::multigrid {

struct Half {
  std::uint16_t bits = 0;

  static constexpr float largest = 65504;

  /// The nearest number in half precision; the even one of two. Beyond the largest number, that one.
  OSTINATO_FUNCTION static Half nearest(float value) {
    constexpr std::uint32_t sign = 0x80000000u, least_normal = 0x38800000u, largest_bits = 0x7bffu;
    const auto all = __builtin_bit_cast(std::uint32_t, value), size = all & ~sign;
    std::uint32_t rounded;
    if (size < least_normal) {
      // The last bit of 0.5 to 1 in float is that of the least numbers in half precision.
      rounded = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, size) + 0.5f) - 0x3f000000u;
    } else {
      const std::uint32_t half_a_bit = 0xfffu + (size >> 13 & 1u);
      rounded = (size - 0x38000000u + half_a_bit) >> 13;
    }
    if (rounded > largest_bits) rounded = largest_bits;
    return {static_cast<std::uint16_t>((all & sign) >> 16 | rounded)};
  }

  OSTINATO_FUNCTION operator float() const {
    // Exponent and fraction go where float has them; the factor makes up for the exponent's other origin.
    const std::int32_t wide = static_cast<std::int16_t>(bits);
    const std::uint32_t moved = static_cast<std::uint32_t>(wide) << 13 & 0x8fffe000u;
    return __builtin_bit_cast(float, moved) * 0x1p112f;
  }
};

}  // namespace ostinato::multigrid
