// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What pattern_hash() of both spaces shares: pattern_hash.cpp is for Host, pattern_hash.cu for Cuda.

#include <cstdint>
#include <string>

#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// Two sums of 48-bit hashes of the entries' positions. Sums don't depend on the order of the entries.
struct PatternWords {
  static constexpr int bits = 48, half = 24;
  static constexpr std::uint64_t low = (std::uint64_t{1} << half) - 1;

  std::uint64_t word[2] = {};

  OSTINATO_FUNCTION void add(std::uint64_t high, std::uint64_t below) {
    const std::uint64_t first = mixed((high << 32 | below) ^ std::uint64_t{0xa0761d6478bd642f});
    word[0] += first;
    word[1] += mixed(first ^ std::uint64_t{0xe7037ed1a0b428db});
  }

  /// The words in parts of 24 bits: 2^29 such parts add up in double precision without rounding.
  OSTINATO_FUNCTION Sums<4> parts() const {
    Sums<4> s;
    for (int k = 0; k < 4; ++k) s.v[k] = static_cast<double>((word[k / 2] >> (k % 2 * half)) & low);
    return s;
  }

  /// A multiplication spreads bits upwards, a shift spreads them downwards. After two rounds each bit affects all bits.
  static OSTINATO_FUNCTION std::uint64_t mixed(std::uint64_t h) {
    h = (h ^ (h >> 32)) * std::uint64_t{0xd6e8feb86659fd93};
    h = (h ^ (h >> 32)) * std::uint64_t{0xd6e8feb86659fd93};
    return h ^ (h >> 32);
  }
};

inline std::string hexadecimal(std::uint64_t word, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

/// The words to which those of the entries are added.
template <class T>
PatternWords words_of_shape(const CsrView<T>& a) {
  PatternWords words;
  words.add(~static_cast<std::uint32_t>(a.rows), static_cast<std::uint32_t>(a.cols));  // not the position of any entry
  return words;
}

inline std::string text_of(const PatternWords& words) {
  constexpr int digits = PatternWords::bits / 4;
  return hexadecimal(words.word[0], digits) + hexadecimal(words.word[1], digits);
}

}  // namespace ostinato::detail
