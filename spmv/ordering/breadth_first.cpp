// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/breadth_first.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ostinato {

namespace {

class BreadthFirst {
 public:
  BreadthFirst(std::span<const Offset> row_ptr, std::span<const Index> col)
      : row_ptr_(row_ptr), col_(col), met_(row_ptr.size() - 1, Met::no) {
    order_.reserve(met_.size());
  }

  /// The levels of a search from row 0.
  Index depth() && {
    if (met_.empty()) return 0;
    order_.push_back(0);
    return search(order_, 0, Met::yes);
  }

  std::vector<Index> run() && {
    std::vector<Index> trial;
    for (std::size_t i = 0; i < met_.size(); ++i) {
      if (met_[i] == Met::yes) continue;
      trial.assign(1, static_cast<Index>(i));
      search(trial, 0, Met::on_trial);
      const std::size_t begin = order_.size();
      order_.push_back(trial.back());
      search(order_, begin, Met::yes);
      // Where the entries lead one way only, the second search may miss rows of the first.
      for (const Index row : trial) {
        if (met_[static_cast<std::size_t>(row)] == Met::yes) continue;
        const std::size_t more = order_.size();
        order_.push_back(row);
        search(order_, more, Met::yes);
      }
    }
    return std::move(order_);
  }

 private:
  enum class Met : std::uint8_t { no, on_trial, yes };

  /// Goes on from the rows at `begin` and behind, and adds the rows that it meets. Returns how many levels they are.
  Index search(std::vector<Index>& rows, std::size_t begin, Met mark) {
    Index levels = 0;
    std::size_t level = begin;  // the next one begins there
    met_[static_cast<std::size_t>(rows[begin])] = mark;
    for (std::size_t k = begin; k < rows.size(); ++k) {
      if (k == level) ++levels, level = rows.size();
      fetch_ahead(rows, k);
      const auto i = static_cast<std::size_t>(rows[k]);
      for (auto e = static_cast<std::size_t>(row_ptr_[i]); e < static_cast<std::size_t>(row_ptr_[i + 1]); ++e) {
        Met& met = met_[static_cast<std::size_t>(col_[e])];
        if (met >= mark) continue;
        met = mark;
        rows.push_back(col_[e]);
      }
    }
    return levels;
  }

  /// Rows lie far apart, and would be waited for otherwise.
  void fetch_ahead(const std::vector<Index>& rows, std::size_t k) const {
    constexpr std::size_t pointer_ahead = 16, columns_ahead = 8;
    if (k + pointer_ahead < rows.size())
      __builtin_prefetch(row_ptr_.data() + static_cast<std::size_t>(rows[k + pointer_ahead]));
    if (k + columns_ahead >= rows.size()) return;
    const auto i = static_cast<std::size_t>(rows[k + columns_ahead]);
    const Index* const columns = col_.data() + static_cast<std::size_t>(row_ptr_[i]);
    __builtin_prefetch(columns);
    __builtin_prefetch(columns + 15);
  }

  std::span<const Offset> row_ptr_;
  std::span<const Index> col_;
  std::vector<Met> met_;
  std::vector<Index> order_;
};

}  // namespace

Index breadth_first_depth(std::span<const Offset> row_ptr, std::span<const Index> col, Checked) {
  return BreadthFirst(row_ptr, col).depth();
}

std::vector<Index> breadth_first_order(std::span<const Offset> row_ptr, std::span<const Index> col) {
  const auto rows = static_cast<Index>(row_ptr.size()) - 1;
  check_pattern(rows, rows, row_ptr, col);
  return breadth_first_order(row_ptr, col, checked);
}

std::vector<Index> breadth_first_order(std::span<const Offset> row_ptr, std::span<const Index> col, Checked) {
  return BreadthFirst(row_ptr, col).run();
}

}  // namespace ostinato
