// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/ghosted_rows.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

template <class T>
GhostedRows<T>::GhostedRows(const Team& team, const Partition& columns, const CsrView<T>& mine) : team_(team) {
  const Index begin = columns.begin(team), end = columns.end(team);
  std::vector<Index> ghosts;
  team.agreed([&] {
    for (const Index column : mine.col)
      if (column < begin || column >= end) ghosts.push_back(column);
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    rows_.rows = mine.rows;
    rows_.cols = end - begin + static_cast<Index>(ghosts.size()) + 1;
    rows_.row_ptr.assign(mine.row_ptr.begin(), mine.row_ptr.end());
    rows_.val.assign(mine.val.begin(), mine.val.end());
    rows_.col.reserve(mine.col.size());
    for (const Index column : mine.col) {
      const auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), column) - ghosts.begin();
      const bool is_own = column >= begin && column < end;
      rows_.col.push_back(is_own ? column - begin : end - begin + static_cast<Index>(ghost));
    }
  });
  halo_ = HaloPlan(team, columns, ghosts);
}

template <class T>
std::size_t GhostedRows<T>::bytes() const {
  return halo_.bytes() + rows_.row_ptr.size() * sizeof(Offset) + rows_.col.size() * (sizeof(Index) + sizeof(T));
}

#define OSTINATO_INSTANTIATE(T) template class GhostedRows<T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
