// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate/numbering.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/generate/rows.hpp>

namespace ostinato::generate_detail {

Array<Index> random_order(Index n, std::uint64_t seed) {
  Array<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[hash(seed, static_cast<std::int64_t>(left), -1) % left]);
  return order;
}

template <class T>
Csr<T> renumbered(const Host& host, const Csr<T>& a, const Array<Index>& order, int block) {
  Array<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  const auto moved = [block](const Array<Index>& nodes, Index row) {
    return nodes[static_cast<std::size_t>(row / block)] * block + row % block;
  };

  Csr<T> b{a.rows, a.cols, Array<Offset>(a.row_ptr.size()), Array<Index>(a.col.size()), Array<T>(a.val.size())};
  b.row_ptr[0] = 0;
  for (Index row = 0; row < b.rows; ++row) {
    const auto from = static_cast<std::size_t>(moved(order, row)), r = static_cast<std::size_t>(row);
    b.row_ptr[r + 1] = b.row_ptr[r] + a.row_ptr[from + 1] - a.row_ptr[from];
  }
  for_row_blocks(host, b.rows, [&](std::size_t, Index first, Index end) {
    std::vector<std::pair<Index, T>> entries;
    for (Index row = first; row < end; ++row) {
      const auto from = static_cast<std::size_t>(moved(order, row));
      entries.clear();
      for (auto k = static_cast<std::size_t>(a.row_ptr[from]); k < static_cast<std::size_t>(a.row_ptr[from + 1]); ++k)
        entries.emplace_back(moved(place, a.col[k]), a.val[k]);
      std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      auto at = static_cast<std::size_t>(b.row_ptr[static_cast<std::size_t>(row)]);
      for (const auto& [col, value] : entries) {
        b.col[at] = col;
        b.val[at++] = value;
      }
    }
  });
  return b;
}

template Csr<float> renumbered(const Host&, const Csr<float>&, const Array<Index>&, int);
template Csr<double> renumbered(const Host&, const Csr<double>&, const Array<Index>&, int);

}  // namespace ostinato::generate_detail
