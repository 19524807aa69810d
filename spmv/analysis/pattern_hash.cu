// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {
namespace {

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

/// Most runs. So many fill the GPU, and Cuda::State::partial has room for the four sums of their blocks.
constexpr Offset most_runs = Offset{1} << 19;

}  // namespace
}  // namespace detail

template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a) {
  using namespace detail;
  const Offset count = a.nonzeros(), length = std::max<Offset>(32, (count + most_runs - 1) / most_runs);
  PatternWords words = words_of_shape(a);
  if (count > 0) {
    Vector<Cuda, double> parts(space, 4);
    sum(space, static_cast<std::size_t>((count + length - 1) / length), HashRun{pattern_of(a), count, length},
        parts.data());
    const std::vector<double> total = parts.download();
    for (std::size_t k = 0; k < 4; ++k)
      words.word[k / 2] += static_cast<std::uint64_t>(total[k]) << (k % 2 * PatternWords::half);
  }
  return text_of(words);
}

template std::string pattern_hash(const Cuda&, const CsrView<float>&);
template std::string pattern_hash(const Cuda&, const CsrView<double>&);

}  // namespace ostinato
