// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {
namespace {

/// Entries at the head of a row that HashRow takes.
constexpr Offset head = 64;

/// Hashes the heads of the rows; the fifth sum counts the longer rows. Neighbouring threads read neighbouring rows.
/// Malformed row pointers lead to no entry outside the arrays.
struct HashRow {
  static constexpr int blocks_of_multiprocessor = 6;

  CsrPattern a;
  Offset nonzeros;

  __device__ Sums<5> operator()(std::size_t i) const {
    const Offset begin = max(a.row_ptr[i], Offset{0}), end = min(a.row_ptr[i + 1], nonzeros);
    const Offset stop = min(begin + head, end);
    PatternWords words;
    for (Offset k = begin; k < stop; ++k)
      words.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(a.col[k]));
    const Sums<4> parts = words.parts();
    return {{parts.v[0], parts.v[1], parts.v[2], parts.v[3], stop < end ? 1.0 : 0.0}};
  }
};

/// A run of consecutive entries, whatever rows they are in. The first `skipped` entries of each row don't count.
struct HashRun {
  CsrPattern a;
  Offset nonzeros, length, skipped;

  __device__ Sums<4> operator()(std::size_t run) const {
    const Offset begin = static_cast<Offset>(run) * length, end = min(begin + length, nonzeros);
    PatternWords words;
    Index i = a.row_of(begin);
    for (Offset from = begin; from < end && i < a.rows; ++i) {
      const Offset stop = max(from, min(a.row_ptr[i + 1], end));
      for (Offset k = max(from, a.row_ptr[i] + skipped); k < stop; ++k)
        words.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(a.col[k]));
      from = stop;
    }
    return words.parts();
  }
};

/// Most runs. So many fill the GPU, and Cuda::State::partial has room for the four sums of their blocks.
constexpr Offset most_runs = Offset{1} << 19;

/// Calls of HashRow whose parts add up without rounding.
constexpr Index most_rows = Index{1} << 29;

void add(const std::vector<double>& parts, PatternWords& words) {
  for (std::size_t k = 0; k < 4; ++k)
    words.word[k / 2] += static_cast<std::uint64_t>(parts[k]) << (k % 2 * PatternWords::half);
}

}  // namespace
}  // namespace detail

namespace detail {
namespace {

/// Whether HashRow can hash the heads of the rows.
template <class T>
bool hashes_by_rows(const CsrView<T>& a) {
  return a.nonzeros() > 0 && a.rows <= most_rows && a.nonzeros() / head < a.rows;
}

template <class T>
void hash_heads(const Cuda& space, const CsrView<T>& a, Vector<Cuda, double>& parts) {
  sum(space, static_cast<std::size_t>(a.rows), HashRow{pattern_of(a), a.nonzeros()}, parts.data());
}

}  // namespace
}  // namespace detail

template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a) {
  using namespace detail;
  const Offset count = a.nonzeros(), length = std::max<Offset>(32, (count + most_runs - 1) / most_runs);
  PatternWords words = words_of_shape(a);
  const bool by_rows = hashes_by_rows(a);
  Vector<Cuda, double> parts(space, by_rows ? 5 : 4);
  bool is_left = count > 0;
  if (by_rows) {
    hash_heads(space, a, parts);
    const std::vector<double> found = parts.download();
    add(found, words);
    is_left = found[4] > 0;
  }
  if (is_left) {
    const HashRun run{pattern_of(a), count, length, by_rows ? head : 0};
    sum(space, static_cast<std::size_t>((count + length - 1) / length), run, parts.data());
    add(parts.download(), words);
  }
  return text_of(words);
}

template <class T>
LaterMark<Cuda>::LaterMark(const Cuda& space, const CsrView<T>& a, Index longest_row) {
  using namespace detail;
  if (longest_row <= 0 || longest_row > head || !hashes_by_rows(a)) {
    text_ = pattern_mark(space, a);
    return;
  }
  const PatternWords words = words_of_shape(a);
  for (int k = 0; k < 2; ++k) of_shape_[k] = words.word[k];
  parts_ = Vector<Cuda, double>(space, 5);
  hash_heads(space, a, parts_);
}

const std::string& LaterMark<Cuda>::text() const {
  if (parts_.size() == 0) return text_;
  detail::PatternWords words{{of_shape_[0], of_shape_[1]}};
  const std::vector<double> found = parts_.download();
  detail::add(found, words);
  text_ = found[4] > 0 ? "rows are longer than was said" : detail::text_of(words);
  parts_ = {};
  return text_;
}

#define OSTINATO_INSTANTIATE(T)                                      \
  template std::string pattern_hash(const Cuda&, const CsrView<T>&); \
  template LaterMark<Cuda>::LaterMark(const Cuda&, const CsrView<T>&, Index)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
