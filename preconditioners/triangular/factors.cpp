// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/factors.hpp>

#include <algorithm>
#include <utility>

namespace ostinato {

void sort_rows(Csr<double>& a) {
  std::vector<std::pair<Index, double>> row;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
    const auto begin = static_cast<std::size_t>(a.row_ptr[i]), end = static_cast<std::size_t>(a.row_ptr[i + 1]);
    if (std::is_sorted(a.col.begin() + a.row_ptr[i], a.col.begin() + a.row_ptr[i + 1])) continue;
    row.clear();
    for (std::size_t k = begin; k < end; ++k) row.emplace_back(a.col[k], a.val[k]);
    std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::size_t k = begin;
    for (const auto& [column, value] : row) a.col[k] = column, a.val[k++] = value;
  }
}

}  // namespace ostinato
