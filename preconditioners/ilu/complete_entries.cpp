// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/complete_entries.hpp>

#include <algorithm>
#include <vector>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

CompleteEntries count_complete_entries(const CsrView<double>& a, Offset most, const StopRequest& stop) {
  constexpr Index none = -1;
  StopCheck check(stop, factoring_stopped);
  const Graph g = symmetric_graph(a.row_ptr, a.col);
  const std::size_t n = g.nodes();
  Offset on_diagonal = 0;
  for (std::size_t i = 0; i < n; ++i)
    on_diagonal +=
        std::binary_search(a.col.begin() + a.row_ptr[i], a.col.begin() + a.row_ptr[i + 1], static_cast<Index>(i));
  const bool is_symmetric = a.nonzeros() - on_diagonal == static_cast<Offset>(g.col.size());
  CompleteEntries found{.count = static_cast<Offset>(n),
                        .is_sure = is_symmetric && std::find(a.val.begin(), a.val.end(), 0.0) == a.val.end()};
  // Row i of L has the nodes on the ways from the neighbours of i, up the tree, to i. A node that has no parent yet
  // gets i.
  std::vector<Index> parent(n, none), last(n, none), below(n, 0);
  for (std::size_t i = 0; i < n && found.count / 2 <= most; ++i) {
    const auto row = static_cast<Index>(i);
    last[i] = row;
    for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k) {
      if (g.col[k] > row) break;
      for (auto j = static_cast<std::size_t>(g.col[k]); last[j] != row; j = static_cast<std::size_t>(parent[j])) {
        if (parent[j] == none) parent[j] = row;
        last[j] = row;
        found.count += 2;
        ++below[j];
        check.count(1);
      }
    }
  }
  for (const Index count : below) found.multiplications += static_cast<double>(count) * count;
  return found;
}

}  // namespace ostinato
