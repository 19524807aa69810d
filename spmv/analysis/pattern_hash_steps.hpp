// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// pattern_hash(), written once for both spaces: pattern_hash.cpp is for Host, pattern_hash.cu for Cuda.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/function.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector.hpp>

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

/// A run of consecutive entries, whatever rows they are in.
struct HashRun {
  CsrPattern a;
  Offset nonzeros, length;

  OSTINATO_FUNCTION Sums<4> operator()(std::size_t run) const {
    const Offset begin = static_cast<Offset>(run) * length;
    const Offset end = begin + length < nonzeros ? begin + length : nonzeros;
    PatternWords words;
    Index i = a.row_of(begin);
    for (Offset k = begin; k < end; ++i) {
      const Offset stop = a.row_ptr[i + 1] < end ? a.row_ptr[i + 1] : end;
      for (; k < stop; ++k) words.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(a.col[k]));
    }
    return words.parts();
  }
};

inline std::string hexadecimal(std::uint64_t word, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

/// Most runs. On a GPU so many runs fill the GPU, and Cuda::State::partial has room for the four sums of their blocks.
inline constexpr Offset most_runs = Offset{1} << 19;

template <class Space, class T>
std::string pattern_hash_on(const Space& space, const CsrView<T>& a) {
  const Offset count = a.nonzeros(), length = std::max<Offset>(32, (count + most_runs - 1) / most_runs);
  PatternWords words;
  words.add(~static_cast<std::uint32_t>(a.rows), static_cast<std::uint32_t>(a.cols));  // not the position of any entry
  if (count > 0) {
    Vector<Space, double> parts(space, 4);
    sum(space, static_cast<std::size_t>((count + length - 1) / length), HashRun{pattern_of(a), count, length},
        parts.data());
    const std::vector<double> total = parts.download();
    for (std::size_t k = 0; k < 4; ++k)
      words.word[k / 2] += static_cast<std::uint64_t>(total[k]) << (k % 2 * PatternWords::half);
  }
  constexpr int digits = PatternWords::bits / 4;
  return hexadecimal(words.word[0], digits) + hexadecimal(words.word[1], digits);
}

}  // namespace ostinato::detail
