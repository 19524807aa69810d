// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>

namespace ostinato {

template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a) {
  const std::vector<detail::RowRun> runs = detail::cut_rows(a.rows);
  std::vector<detail::PatternWords> words(runs.size());
  parallel_for(space, runs.size(), [&](std::size_t run) {
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

template std::string pattern_hash(const Host&, const CsrView<float>&);
template std::string pattern_hash(const Host&, const CsrView<double>&);

}  // namespace ostinato
