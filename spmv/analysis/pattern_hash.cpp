// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a) {
  const std::vector<detail::RowRun> runs = detail::cut_rows(a.rows);
  std::vector<detail::PatternWords> words(runs.size());
  detail::for_parts(space, runs.size(), a.rows + a.nonzeros(), [&](std::size_t run) {
    detail::PatternWords sum;
    for (Index i = runs[run].first; i < runs[run].last; ++i) {
      const Offset end = a.row_ptr[static_cast<std::size_t>(i) + 1];
      for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < end; ++k)
        sum.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(a.col[static_cast<std::size_t>(k)]));
    }
    words[run] = sum;
  });
  detail::PatternWords total = detail::words_of_shape(a);
  for (const detail::PatternWords& sum : words) {
    for (int k = 0; k < 2; ++k) total.word[k] += sum.word[k];
  }
  return detail::text_of(total);
}

namespace {

constexpr std::size_t block_words = 1024;  ///< 4 KiB

using Word [[gnu::may_alias]] = std::uint32_t;  // half of a row pointer, or a column
using Keys = std::array<std::uint32_t, 2 * block_words>;

const Keys& keys() {
  static const Keys all = [] {
    Keys made{};
    for (std::size_t k = 0; k < made.size(); ++k)
      made[k] = static_cast<std::uint32_t>(detail::PatternWords::mixed(0x9e3779b97f4a7c15 * (k + 1)) >> 16);
    return made;
  }();
  return all;
}

/// NH of at most block_words words; `key` has as many.
std::uint64_t nh(const Word* word, std::size_t count, const std::uint32_t* key) {
  std::uint64_t sum = 0;
  const std::size_t half = count / 2;
  for (std::size_t k = 0; k < half; ++k)
    sum += std::uint64_t{word[k] + key[k]} * std::uint64_t{word[half + k] + key[half + k]};
  if (count % 2 != 0) sum += std::uint64_t{word[count - 1] + key[count - 1]} * key[count % block_words];
  return sum;
}

/// Adds the hashes of an array's blocks, each mixed with its place.
void add_blocks(const Host& space, const Word* word, std::size_t count, std::uint64_t salt,
                std::array<std::uint64_t, 2>& to) {
  const std::size_t blocks = (count + block_words - 1) / block_words, run = 16;
  std::vector<std::array<std::uint64_t, 2>> sums((blocks + run - 1) / run);
  detail::for_parts(space, sums.size(), static_cast<Offset>(count), [&](std::size_t r) {
    for (std::size_t b = r * run; b < std::min(blocks, (r + 1) * run); ++b) {
      const std::size_t begin = b * block_words, size = std::min(block_words, count - begin);
      for (std::size_t w = 0; w < 2; ++w) {
        const std::uint64_t place = detail::PatternWords::mixed(2 * (salt + b) + w);
        sums[r][w] += detail::PatternWords::mixed(nh(word + begin, size, keys().data() + w * block_words) ^ place);
      }
    }
  });
  for (const auto& sum : sums) {
    for (std::size_t w = 0; w < 2; ++w) to[w] += sum[w];
  }
}

}  // namespace

template <class T>
std::string pattern_mark(const Host& space, const CsrView<T>& a) {
  std::array<std::uint64_t, 2> words{};
  static_assert(sizeof(Offset) == 8 && sizeof(Index) == 4);
  add_blocks(space, reinterpret_cast<const Word*>(a.row_ptr.data()), 2 * a.row_ptr.size(), 0, words);
  add_blocks(space, reinterpret_cast<const Word*>(a.col.data()), a.col.size(), std::uint64_t{1} << 62, words);
  return detail::hexadecimal(words[0], 16) + detail::hexadecimal(words[1], 16) + ":" + std::to_string(a.cols);
}

#define OSTINATO_INSTANTIATE(T)                                      \
  template std::string pattern_mark(const Host&, const CsrView<T>&); \
  template std::string pattern_hash(const Host&, const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
