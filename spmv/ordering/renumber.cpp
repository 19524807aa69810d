// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/renumber.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/renumber_steps.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// The new number of each row.
Array<Index> inverse(std::span<const Index> order) {
  const auto n = order.size();
  Array<Index> number(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    const Index old = order[i];
    if (old < 0 || static_cast<std::size_t>(old) >= n || number[static_cast<std::size_t>(old)] >= 0)
      throw ArgumentError("renumbering: element " + std::to_string(i) + " of the order is " + std::to_string(old) +
                          ", which is outside 0 .. " + std::to_string(n - 1) + " or there before");
    number[static_cast<std::size_t>(old)] = static_cast<Index>(i);
  }
  return number;
}

void require_length(std::size_t have, std::span<const Index> order, const char* what) {
  if (have != order.size())
    throw DimensionError("renumbering: the order has " + std::to_string(order.size()) + " elements, but the " + what +
                         " has " + std::to_string(have));
}

constexpr std::size_t block = 1024;  // rows that share the memory in which rows are sorted

constexpr std::size_t few = 16;  // entries of a row whose places are counted

/// Writes the entries of a row by ascending column: the columns before an entry, counted without a branch, are its
/// place. Columns behind the row's `count` hold the largest Index. Returns false where a column repeats.
template <class T>
bool write_in_order(const std::array<Index, few>& column, const T* value, std::size_t count, Index* to_column,
                    T* to_value) {
  for (std::size_t k = 0; k < count; ++k) {
    int before = 0, same = 0;
    for (const Index other : column) {
      before += other < column[k];
      same += other == column[k];
    }
    if (same != 1) return false;
    to_column[before] = column[k];
    to_value[before] = value[k];
  }
  return true;
}

/// Fills the rows begin .. end - 1 of the result: row order[i] of A with new column numbers, ascending.
template <class T>
void fill_rows(const CsrView<T>& a, std::span<const Index> order, const Array<Index>& number, Csr<T>& made,
               std::size_t begin, std::size_t end) {
  constexpr std::size_t ahead = 8;  // rows, which lie far apart and would be waited for otherwise
  std::vector<std::pair<Index, T>> row;
  for (std::size_t i = begin; i < end; ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    if (i + ahead < end) {
      const auto at = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(order[i + ahead])]);
      __builtin_prefetch(a.col.data() + at);
      __builtin_prefetch(a.val.data() + at);
    }
    const auto first = static_cast<std::size_t>(a.row_ptr[from]), last = static_cast<std::size_t>(a.row_ptr[from + 1]);
    auto to = static_cast<std::size_t>(made.row_ptr[i]);
    if (last - first <= few) {
      std::array<Index, few> column;
      column.fill(std::numeric_limits<Index>::max());
      for (std::size_t k = first; k < last; ++k) column[k - first] = number[static_cast<std::size_t>(a.col[k])];
      if (write_in_order(column, a.val.data() + first, last - first, made.col.data() + to, made.val.data() + to))
        continue;
    }
    row.clear();
    for (std::size_t k = first; k < last; ++k) row.emplace_back(number[static_cast<std::size_t>(a.col[k])], a.val[k]);
    std::sort(row.begin(), row.end(), [](const auto& l, const auto& r) { return l.first < r.first; });
    for (const auto& [column, value] : row) made.col[to] = column, made.val[to++] = value;
  }
}

}  // namespace

template <class T>
Csr<T> renumber(const Host& space, const CsrView<T>& a, std::span<const Index> order) {
  check(a);
  return renumber(space, a, order, checked);
}

template <class T>
Csr<T> renumber(const Host& space, const CsrView<T>& a, std::span<const Index> order, Checked) {
  const auto n = static_cast<std::size_t>(a.rows);
  if (a.rows != a.cols) throw DimensionError("renumbering: the matrix isn't square");
  require_length(n, order, "matrix");
  const Array<Index> number = inverse(order);
  Csr<T> made{a.rows, a.cols, Array<Offset>(n + 1, 0), Array<Index>(a.col.size()), Array<T>(a.val.size())};
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    made.row_ptr[i + 1] = made.row_ptr[i] + a.row_ptr[from + 1] - a.row_ptr[from];
  }
  parallel_for(space, (n + block - 1) / block,
               [&](std::size_t k) { fill_rows(a, order, number, made, k * block, std::min(n, (k + 1) * block)); });
  return made;
}

template <class T>
Array<T> renumber(std::span<const T> v, std::span<const Index> order) {
  Array<T> made(v.size());
  renumber<Host, T>(Host(), v, order, made);
  return made;
}

template <class T>
Array<T> number_as_before(std::span<const T> v, std::span<const Index> order) {
  Array<T> made(v.size());
  number_as_before<Host, T>(Host(), v, order, made);
  return made;
}

template <class Space, class T>
void renumber(const Space& space, std::span<const T> v, std::span<const Index> order, std::span<T> to) {
  require_length(v.size(), order, "vector");
  require_length(to.size(), order, "vector");
  for_each(space, order.size(), detail::GatherElements<T>{v.data(), order.data(), to.data()});
}

template <class Space, class T>
void number_as_before(const Space& space, std::span<const T> v, std::span<const Index> order, std::span<T> to) {
  require_length(v.size(), order, "vector");
  require_length(to.size(), order, "vector");
  for_each(space, order.size(), detail::ScatterElements<T>{order.data(), v.data(), to.data()});
}

#define OSTINATO_INSTANTIATE(Space, T)                                                            \
  template void renumber(const Space&, std::span<const T>, std::span<const Index>, std::span<T>); \
  template void number_as_before(const Space&, std::span<const T>, std::span<const Index>, std::span<T>)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

#define OSTINATO_INSTANTIATE(T)                                                              \
  template Csr<T> renumber(const Host&, const CsrView<T>&, std::span<const Index>);          \
  template Csr<T> renumber(const Host&, const CsrView<T>&, std::span<const Index>, Checked); \
  template Array<T> renumber(std::span<const T>, std::span<const Index>);                    \
  template Array<T> number_as_before(std::span<const T>, std::span<const Index>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
