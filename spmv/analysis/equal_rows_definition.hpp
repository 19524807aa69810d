// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/equal_rows.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/analysis/equal_rows_steps.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace equal_rows_definition {

/// A table of rows, by the numbers that their entries make.
template <class T>
class RowTable {
 public:
  explicit RowTable(const CsrView<T>& a)
      : a_(a), slots_(std::bit_ceil(2 * static_cast<std::size_t>(a.rows) + 1), free) {}

  /// The row before that equals row i; i itself where there is none, and then i is kept.
  Index find_or_keep(Index i) {
    for (std::size_t at = number(i) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == free) return slots_[at] = i;
      if (are_equal(slots_[at], i)) return slots_[at];
    }
  }

 private:
  static constexpr Index free = -1;

  std::size_t begin(Index i) const { return static_cast<std::size_t>(a_.row_ptr[static_cast<std::size_t>(i)]); }
  std::size_t end(Index i) const { return static_cast<std::size_t>(a_.row_ptr[static_cast<std::size_t>(i) + 1]); }

  std::uint64_t number(Index i) const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::uint64_t number = end(i) - begin(i);
    for (std::size_t k = begin(i); k < end(i); ++k) {
      number = (number ^ static_cast<std::uint64_t>(a_.col[k])) * 0x9e3779b97f4a7c15;
      number = (number ^ (number >> 29) ^ std::bit_cast<Bits>(a_.val[k] + T{0})) * 0xbf58476d1ce4e5b9;
    }
    return number ^ (number >> 32);
  }

  bool are_equal(Index i, Index j) const {
    const auto of = [](const auto& array, std::size_t k) { return array.begin() + static_cast<std::ptrdiff_t>(k); };
    return end(i) - begin(i) == end(j) - begin(j) &&
           std::equal(of(a_.col, begin(i)), of(a_.col, end(i)), of(a_.col, begin(j))) &&
           std::equal(of(a_.val, begin(i)), of(a_.val, end(i)), of(a_.val, begin(j)));
  }

  const CsrView<T>& a_;
  std::vector<Index> slots_;
};

template <class T>
EqualRows equal_rows_here(const CsrView<T>& a) {
  EqualRows found;
  RowTable<T> table(a);
  for (Index i = 0; i < a.rows; ++i) {
    const Index as = table.find_or_keep(i);
    if (as == i) continue;
    if (found.count++ == 0) found.first = i, found.as = as;
  }
  return found;
}

}  // namespace equal_rows_definition

template <class Space, class T>
EqualRows equal_rows(const Space& space, const CsrView<T>& a) {
  if constexpr (!Space::has_host_memory) {
    const std::vector<Offset> row_ptr = detail::to_host<Offset>(space, a.row_ptr);
    const std::vector<Index> col = detail::to_host<Index>(space, a.col);
    const std::vector<T> val = detail::to_host<T>(space, a.val);
    return equal_rows_definition::equal_rows_here(CsrView<T>{a.rows, a.cols, row_ptr, col, val});
  } else {
    return equal_rows_definition::equal_rows_here(a);
  }
}

template <class Space, class T>
bool may_have_equal_rows(const Space& space, const CsrView<T>& a) {
  Vector<Space, double> count(space, 1);
  sum(space, static_cast<std::size_t>(a.rows), detail::MayBeTwice<T>{detail::pattern_of(a), a.val.data()},
      count.data());
  return count.download()[0] > 0;
}

}  // namespace ostinato
