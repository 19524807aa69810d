// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/numbering.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/letters.hpp>

namespace ostinato {

namespace {

using detail::append;
using detail::Reader;

/// What goes to each rank, for those that get something.
template <class T>
using Parcels = std::map<int, std::vector<T>>;

template <class T>
std::vector<Team::Letter> exchanged(const Team& team, const Parcels<T>& parcels) {
  std::vector<Team::Letter> letters;
  for (const auto& [rank, values] : parcels) {
    letters.push_back({rank, {}});
    append(letters.back().bytes, values.data(), values.size());
  }
  return team.exchange(letters);
}

template <class T>
std::vector<T> values_of(const Team::Letter& letter) {
  std::vector<T> values(letter.bytes.size() / sizeof(T));
  Reader(letter.bytes).read(values.data(), values.size());
  return values;
}

/// The part of a vector that this rank has in `parts`; element numbers[k] of it is values[k].
template <class T>
std::vector<T> routed(const Team& team, const Partition& parts, std::span<const Index> numbers,
                      std::span<const T> values) {
  struct Element {
    Index number;
    T value;
  };
  Parcels<Element> parcels;
  for (std::size_t k = 0; k < numbers.size(); ++k) parcels[parts.owner(numbers[k])].push_back({numbers[k], values[k]});
  std::vector<T> own(static_cast<std::size_t>(parts.length(team)));
  for (const Team::Letter& letter : exchanged(team, parcels)) {
    for (const Element& e : values_of<Element>(letter))
      own[static_cast<std::size_t>(e.number - parts.begin(team))] = e.value;
  }
  return own;
}

std::vector<Index> counted_from(Index begin, Index length) {
  std::vector<Index> numbers(static_cast<std::size_t>(length));
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

}  // namespace

Numbering::Numbering(const Team& team, const Partition& given, const Partition& parts, std::vector<Index> numbers)
    : team_(team), given_(given), parts_(parts), numbers_(std::move(numbers)) {
  rows_ = routed<Index>(team, parts, numbers_, counted_from(given.begin(team), given.length(team)));
}

Numbering Numbering::of_owners(const Team& team, const Partition& given, std::span<const int> owners) {
  team.agreed([&] {
    if (owners.size() != static_cast<std::size_t>(given.length(team)))
      throw DimensionError("a partition has " + std::to_string(owners.size()) + " owners for " +
                           std::to_string(given.length(team)) + " rows");
    for (std::size_t k = 0; k < owners.size(); ++k)
      if (owners[k] < 0 || owners[k] >= team.size())
        throw ArgumentError("the owner of " + row_text(static_cast<std::size_t>(given.begin(team)) + k) + " is rank " +
                            std::to_string(owners[k]) + ", and there are ranks 0 to " +
                            std::to_string(team.size() - 1));
  });
  // The first number of the rows that go from one rank to another is said by the one that gets them.
  Parcels<Index> counts, firsts;
  for (const int owner : owners) counts.try_emplace(owner, 1).first->second[0] += 1;
  const std::vector<Team::Letter> arrived = exchanged(team, counts);
  Index length = 0;
  for (const Team::Letter& letter : arrived) {
    firsts[letter.rank] = {length};
    length += values_of<Index>(letter)[0];
  }
  const Partition parts = Partition::of_lengths(team, length);
  std::map<int, Index> next;
  for (const Team::Letter& letter : exchanged(team, firsts))
    next[letter.rank] = parts.offset(letter.rank) + values_of<Index>(letter)[0];
  std::vector<Index> numbers;
  numbers.reserve(owners.size());
  for (const int owner : owners) numbers.push_back(next[owner]++);
  return Numbering(team, given, parts, std::move(numbers));
}

/// The new numbers of columns, which ascend.
std::vector<Index> Numbering::new_numbers(std::vector<Index> columns) const {
  Parcels<Index> asked, answers;
  for (const Index column : columns) asked[given_.owner(column)].push_back(column);
  for (const Team::Letter& letter : exchanged(team_, asked)) {
    std::vector<Index>& answer = answers[letter.rank];
    for (const Index column : values_of<Index>(letter))
      answer.push_back(numbers_[static_cast<std::size_t>(column - given_.begin(team_))]);
  }
  columns.clear();
  for (const Team::Letter& letter : exchanged(team_, answers)) {
    const std::vector<Index> answer = values_of<Index>(letter);
    columns.insert(columns.end(), answer.begin(), answer.end());
  }
  return columns;
}

template <class T>
Csr<T> Numbering::renumbered(const CsrView<T>& mine) const {
  std::vector<Index> columns(mine.col.begin(), mine.col.end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const std::vector<Index> numbers = new_numbers(columns);
  std::vector<Triplet<T>> entries;
  entries.reserve(mine.val.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine.rows); ++i) {
    for (auto k = static_cast<std::size_t>(mine.row_ptr[i]); k < static_cast<std::size_t>(mine.row_ptr[i + 1]); ++k) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), mine.col[k]) - columns.begin();
      entries.push_back({numbers_[i], numbers[static_cast<std::size_t>(at)], mine.val[k]});
    }
  }
  return assembled<T>(team_, entries, parts_, mine.cols);
}

template <class T>
std::vector<T> Numbering::renumbered(std::span<const T> given) const {
  return routed<T>(team_, parts_, numbers_, given);
}

template <class T>
std::vector<T> Numbering::number_as_before(std::span<const T> own) const {
  return routed<T>(team_, given_, rows_, own);
}

#define OSTINATO_INSTANTIATE(T)                                            \
  template Csr<T> Numbering::renumbered(const CsrView<T>&) const;          \
  template std::vector<T> Numbering::renumbered(std::span<const T>) const; \
  template std::vector<T> Numbering::number_as_before(std::span<const T>) const
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
