// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/entries.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace ostinato {

namespace {

constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

void note(Occurrence& o, Index at) {
  if (o.count++ == 0) o.first = at;
}

void take_smaller(Place& p, double value, Index at) {
  if (p.at < 0 || value < p.value) p = {value, at};
}

void take_larger(Place& p, double value, Index at) {
  if (p.at < 0 || value > p.value) p = {value, at};
}

bool is_dense(Offset entries, Index across) {
  return static_cast<double>(entries) > std::max(16.0, 10 * std::sqrt(static_cast<double>(across)));
}

/// What is known of a row, or of a column, when all of its entries were seen.
struct Line {
  Offset entries = 0;
  double largest = 0;
  double total = 0, size = 0;  ///< sums of the values, and of their sizes

  void add(double value) {
    ++entries;
    largest = std::max(largest, std::abs(value));
    total += value;
    size += std::abs(value);
  }
  bool vanishes() const { return std::abs(total) <= rounding * static_cast<double>(entries + 1) * size; }
};

void look_at_diagonal(EntryFacts& f, Index row, const Line& line, double diagonal, bool stored, bool positive_beside) {
  if (!stored) note(f.missing_diagonal, row);
  if (stored && diagonal == 0) note(f.zero_diagonal, row);
  if (diagonal > 0) note(f.positive_diagonal, row);
  if (diagonal < 0) note(f.negative_diagonal, row);
  if (positive_beside || !(diagonal > 0)) note(f.wrong_signs, row);
  if (line.size == 0) return;
  const double others = line.size - std::abs(diagonal),
               slack = rounding * static_cast<double>(line.entries) * line.size;
  if (std::abs(diagonal) >= others - slack) ++f.dominant_rows;
  if (std::abs(diagonal) > others + slack) ++f.strictly_dominant_rows;
  if (others > slack) take_smaller(f.least_dominant, std::abs(diagonal) / others, row);
}

void look_at_row(EntryFacts& f, const CsrView<double>& a, Index row, std::vector<Line>& columns, bool& vanishes) {
  const auto i = static_cast<std::size_t>(row);
  Line line;
  double diagonal = 0;
  bool stored = false, positive_beside = false;
  for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
    const double value = a.val[k];
    line.add(value);
    columns[static_cast<std::size_t>(a.col[k])].add(value);
    f.bandwidth = std::max(f.bandwidth, std::max(row, a.col[k]) - std::min(row, a.col[k]));
    if (a.col[k] == row) {
      diagonal = value;
      stored = true;
    } else {
      positive_beside |= value > 0;
    }
    if (value == 0) {
      ++f.zeros;
    } else {
      take_smaller(f.smallest_entry, std::abs(value), row);
      take_larger(f.largest_entry, std::abs(value), row);
    }
  }
  if (a.rows == a.cols) look_at_diagonal(f, row, line, diagonal, stored, positive_beside);
  vanishes &= line.vanishes();
  f.longest_row = std::max(f.longest_row, line.entries);
  if (is_dense(line.entries, a.cols)) note(f.dense_rows, row);
  if (line.largest == 0) return note(f.empty_rows, row);
  take_smaller(f.smallest_row, line.largest, row);
  take_larger(f.largest_row, line.largest, row);
}

}  // namespace

EntryFacts look_at_entries(const CsrView<double>& a) {
  EntryFacts f;
  std::vector<Line> columns(static_cast<std::size_t>(a.cols));
  bool rows_vanish = true, cols_vanish = true;
  for (Index row = 0; row < a.rows; ++row) look_at_row(f, a, row, columns, rows_vanish);
  for (Index col = 0; col < a.cols; ++col) {
    const Line& line = columns[static_cast<std::size_t>(col)];
    cols_vanish &= line.vanishes();
    f.longest_col = std::max(f.longest_col, line.entries);
    if (is_dense(line.entries, a.rows)) note(f.dense_cols, col);
    if (line.largest == 0) {
      note(f.empty_cols, col);
      continue;
    }
    take_smaller(f.smallest_col, line.largest, col);
    take_larger(f.largest_col, line.largest, col);
  }
  const bool has_values = f.largest_entry.at >= 0;
  f.constant_in_null_space = has_values && rows_vanish;
  f.constant_in_left_null_space = has_values && cols_vanish;
  return f;
}

}  // namespace ostinato
