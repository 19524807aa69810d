// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/neighbourhood.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/letters.hpp>
#include <ostinato/spmv/team/numbers.hpp>

namespace ostinato {

namespace {

using detail::append;
using detail::Reader;
using detail::unite;

/// Rows of other ranks, with their numbers, which ascend.
template <class T>
struct FarRows {
  std::vector<Index> numbers;
  Csr<T> rows;
};

template <class T>
FarRows<T> fetched(const Team& team, const Partition& parts, const CsrView<T>& mine, std::vector<Index> numbers) {
  std::vector<Team::Letter> letters;
  for (const Index number : numbers) {
    const int owner = parts.owner(number);
    if (letters.empty() || letters.back().rank != owner) letters.push_back({owner, {}});
    append(letters.back().bytes, &number, 1);
  }
  std::vector<Team::Letter> asked = team.exchange(letters);
  for (Team::Letter& letter : asked) {
    Team::Bytes answer;
    for (Reader reader(letter.bytes); reader.left() > 0;) {
      Index number = 0;
      reader.read(&number, 1);
      const std::size_t row = static_cast<std::size_t>(number - parts.begin(team));
      const Offset length = mine.row_ptr[row + 1] - mine.row_ptr[row];
      append(answer, &length, 1);
      append(answer, mine.val.data() + mine.row_ptr[row], static_cast<std::size_t>(length));
      append(answer, mine.col.data() + mine.row_ptr[row], static_cast<std::size_t>(length));
    }
    letter.bytes = std::move(answer);
  }
  FarRows<T> far{std::move(numbers), {}};
  for (const Team::Letter& letter : team.exchange(asked)) {
    for (Reader reader(letter.bytes); reader.left() > 0;) {
      Offset length = 0;
      reader.read(&length, 1);
      const std::size_t before = far.rows.val.size(), count = static_cast<std::size_t>(length);
      far.rows.val.resize(before + count);
      far.rows.col.resize(before + count);
      reader.read(far.rows.val.data() + before, count);
      reader.read(far.rows.col.data() + before, count);
      far.rows.row_ptr.push_back(far.rows.row_ptr.back() + length);
    }
  }
  far.rows.rows = static_cast<Index>(far.numbers.size());
  return far;
}

/// Two lists of far rows as one.
template <class T>
FarRows<T> merged(const FarRows<T>& x, const FarRows<T>& y) {
  FarRows<T> all;
  const auto take = [&](const FarRows<T>& from, std::size_t k) {
    const Offset begin = from.rows.row_ptr[k], end = from.rows.row_ptr[k + 1];
    all.numbers.push_back(from.numbers[k]);
    all.rows.col.insert(all.rows.col.end(), from.rows.col.begin() + begin, from.rows.col.begin() + end);
    all.rows.val.insert(all.rows.val.end(), from.rows.val.begin() + begin, from.rows.val.begin() + end);
    all.rows.row_ptr.push_back(static_cast<Offset>(all.rows.col.size()));
  };
  std::size_t i = 0, j = 0;
  while (i < x.numbers.size() || j < y.numbers.size()) {
    const bool first = j == y.numbers.size() || (i < x.numbers.size() && x.numbers[i] < y.numbers[j]);
    first ? take(x, i++) : take(y, j++);
  }
  all.rows.rows = static_cast<Index>(all.numbers.size());
  return all;
}

/// Adds the rows that are in `numbers`, with the columns that are there, too.
template <class T>
void append_row(Neighbourhood<T>& to, const CsrView<T>& from, std::size_t row) {
  for (auto k = static_cast<std::size_t>(from.row_ptr[row]); k < static_cast<std::size_t>(from.row_ptr[row + 1]); ++k) {
    const auto at = std::lower_bound(to.numbers.begin(), to.numbers.end(), from.col[k]);
    if (at == to.numbers.end() || *at != from.col[k]) continue;
    to.a.col.push_back(static_cast<Index>(at - to.numbers.begin()));
    to.a.val.push_back(from.val[k]);
  }
  to.a.row_ptr.push_back(static_cast<Offset>(to.a.col.size()));
}

}  // namespace

template <class T>
Neighbourhood<T> neighbourhood(const Team& team, const Partition& rows, const CsrView<T>& mine, int rings) {
  const Index begin = rows.begin(team), end = rows.end(team);
  FarRows<T> far;
  std::vector<Index> columns(mine.col.begin(), mine.col.end());
  for (int ring = 0; ring < rings; ++ring) {
    unite(columns);
    std::erase_if(columns, [&](Index column) {
      return (column >= begin && column < end) || std::binary_search(far.numbers.begin(), far.numbers.end(), column);
    });
    const FarRows<T> next = fetched(team, rows, mine, std::move(columns));
    columns.assign(next.rows.col.begin(), next.rows.col.end());
    far = merged(far, next);
  }
  Neighbourhood<T> near;
  near.numbers = far.numbers;
  near.begin = detail::place_in(near.numbers, begin);
  std::vector<Index> own;
  for (Index i = begin; i < end; ++i) own.push_back(i);
  near.numbers.insert(near.numbers.begin() + near.begin, own.begin(), own.end());
  const CsrView<T> of_far = far.rows.view();
  for (std::size_t k = 0; k < far.numbers.size() && far.numbers[k] < begin; ++k) append_row(near, of_far, k);
  for (std::size_t i = 0; i < own.size(); ++i) append_row(near, mine, i);
  for (std::size_t k = static_cast<std::size_t>(near.begin); k < far.numbers.size(); ++k) append_row(near, of_far, k);
  near.a.rows = near.a.cols = static_cast<Index>(near.numbers.size());
  return near;
}

#define OSTINATO_INSTANTIATE(T) \
  template Neighbourhood<T> neighbourhood(const Team&, const Partition&, const CsrView<T>&, int)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
