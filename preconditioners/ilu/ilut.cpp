// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/ilut.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <ostinato/preconditioners/ilu/raise.hpp>

namespace ostinato {

namespace {

/// A triangle under construction.
struct Triangle {
  std::vector<Offset> row_ptr = {0};
  std::vector<Index> col;
  std::vector<double> val;

  void add(Index column, double value) {
    col.push_back(column);
    val.push_back(value);
  }
  void end_row() { row_ptr.push_back(static_cast<Offset>(col.size())); }
};

/// The triangle with columns sorted.
Csr<double> sorted(const Triangle& t) {
  const std::size_t n = t.row_ptr.size() - 1;
  Csr<double> s{static_cast<Index>(n), static_cast<Index>(n), {t.row_ptr.begin(), t.row_ptr.end()}, {}, {}};
  s.col.resize(t.col.size());
  s.val.resize(t.val.size());
  std::vector<std::pair<Index, double>> row;
  for (std::size_t i = 0; i < n; ++i) {
    row.clear();
    for (auto k = static_cast<std::size_t>(t.row_ptr[i]); k < static_cast<std::size_t>(t.row_ptr[i + 1]); ++k)
      row.emplace_back(t.col[k], t.val[k]);
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    auto k = static_cast<std::size_t>(t.row_ptr[i]);
    for (const auto& [column, value] : row) s.col[k] = column, s.val[k++] = value;
  }
  return s;
}

/// Factors row after row. A row is worked on in a dense vector over the columns of A. Columns left of the row's place
/// have been pivots: the row is reduced by their rows of U, in their order.
class Elimination {
 public:
  Elimination(const CsrView<double>& a, const IlutOptions& options, Offset most_entries, const StopRequest& stop)
      : a_(a),
        options_(options),
        most_entries_(most_entries),
        check_(stop, factoring_stopped),
        n_(static_cast<std::size_t>(a.rows)),
        place_(n_),
        column_(n_),
        value_(n_, 0),
        is_filled_(n_, 0),
        largest_in_u_(n_, 0) {
    std::iota(place_.begin(), place_.end(), Index{0});
    std::iota(column_.begin(), column_.end(), Index{0});
    pivot_.reserve(n_);
  }

  Factors run() {
    for (std::size_t i = 0; i < n_; ++i) factor_row(i);
    for (Index& j : upper_.col) j = place_[static_cast<std::size_t>(j)];
    return {sorted(lower_), sorted(upper_), std::move(pivot_), std::move(column_), 0, boosted_, null_pivots_};
  }

 private:
  struct Entry {
    Index at;  ///< of L: the place of the pivot; of U: the column
    double value;
    double weight;  ///< by which entries compete for the room
  };

  void factor_row(std::size_t i) {
    check_.count(100);
    const double size = load(i);
    eliminate(i, options_.drop * size);
    const std::size_t chosen = choose_pivot(i, size);
    keep_upper(chosen, options_.drop * size);
    keep_largest(i);
    store(i);
  }

  /// Fills the dense row. Returns the largest absolute value.
  double load(std::size_t i) {
    double size = 0;
    for (auto k = static_cast<std::size_t>(a_.row_ptr[i]); k < static_cast<std::size_t>(a_.row_ptr[i + 1]); ++k) {
      add(i, static_cast<std::size_t>(a_.col[k]), a_.val[k]);
      size = std::max(size, std::abs(a_.val[k]));
    }
    return size;
  }

  void add(std::size_t i, std::size_t column, double value) {
    value_[column] += value;
    if (is_filled_[column]) return;
    is_filled_[column] = 1;
    if (static_cast<std::size_t>(place_[column]) < i) {
      left_.push_back(place_[column]);
      std::push_heap(left_.begin(), left_.end(), std::greater<>());
    } else {
      right_.push_back(static_cast<Index>(column));
    }
  }

  double take(std::size_t column) {
    is_filled_[column] = 0;
    return std::exchange(value_[column], 0.0);
  }

  void eliminate(std::size_t i, double least) {
    in_l_.clear();
    while (!left_.empty()) {
      std::pop_heap(left_.begin(), left_.end(), std::greater<>());
      const auto k = static_cast<std::size_t>(left_.back());
      left_.pop_back();
      const double value = take(static_cast<std::size_t>(column_[k]));
      if (std::abs(value) <= least) continue;
      const double factor = value / pivot_[k];
      in_l_.push_back({static_cast<Index>(k), factor, std::abs(factor) * largest_in_u_[k]});
      check_.count(static_cast<std::size_t>(upper_.row_ptr[k + 1] - upper_.row_ptr[k]));
      for (auto e = static_cast<std::size_t>(upper_.row_ptr[k]); e < static_cast<std::size_t>(upper_.row_ptr[k + 1]);
           ++e)
        add(i, static_cast<std::size_t>(upper_.col[e]), -factor * upper_.val[e]);
    }
  }

  /// Moves the pivot's column to place i, and returns the column.
  std::size_t choose_pivot(std::size_t i, double size) {
    auto chosen = static_cast<std::size_t>(column_[i]);
    double largest = 0;
    auto at = chosen;
    for (const Index j : right_) {
      const double v = std::abs(value_[static_cast<std::size_t>(j)]);
      if (v > largest) largest = v, at = static_cast<std::size_t>(j);
    }
    if (std::abs(value_[chosen]) < options_.pivot * largest) {
      const auto other = static_cast<std::size_t>(place_[at]);
      std::swap(column_[i], column_[other]);
      place_[chosen] = static_cast<Index>(other);
      place_[at] = static_cast<Index>(i);
      chosen = at;
    }
    double value = value_[chosen];
    const PivotChange change = raise(value, size, options_.boost);
    boosted_ += change != PivotChange::none;
    null_pivots_ += change == PivotChange::replaced;
    pivot_.push_back(value);
    return chosen;
  }

  void keep_upper(std::size_t chosen, double least) {
    in_u_.clear();
    for (const Index column : right_) {
      const double value = take(static_cast<std::size_t>(column));
      if (static_cast<std::size_t>(column) != chosen && std::abs(value) > least)
        in_u_.push_back({column, value, std::abs(value)});
    }
    right_.clear();
  }

  /// Rows that need less than their share of the fill leave the rest to the rows that follow.
  void keep_largest(std::size_t i) {
    if (std::isinf(options_.fill)) return;
    const double most = options_.fill * static_cast<double>(a_.row_ptr[i + 1]) - static_cast<double>(i + 1);
    const double used = static_cast<double>(lower_.col.size() + upper_.col.size());
    const double room = std::max(most - used, 0.0);
    if (static_cast<double>(in_l_.size() + in_u_.size()) <= room) return;
    weights_.clear();
    for (const Entry& e : in_l_) weights_.push_back(e.weight);
    for (const Entry& e : in_u_) weights_.push_back(e.weight);
    const auto kept = weights_.begin() + static_cast<std::ptrdiff_t>(room);
    std::nth_element(weights_.begin(), kept, weights_.end(), std::greater<>());
    const auto is_small = [least = *kept](const Entry& e) { return e.weight <= least; };
    std::erase_if(in_l_, is_small);
    std::erase_if(in_u_, is_small);
  }

  void store(std::size_t i) {
    if (lower_.col.size() + upper_.col.size() + in_l_.size() + in_u_.size() > static_cast<std::size_t>(most_entries_))
      throw TooManyEntries();
    for (const Entry& e : in_l_) lower_.add(e.at, e.value);
    lower_.end_row();
    double largest = std::abs(pivot_[i]);
    for (const Entry& e : in_u_) {
      upper_.add(e.at, e.value);
      largest = std::max(largest, e.weight);
    }
    upper_.end_row();
    largest_in_u_[i] = largest;
  }

  const CsrView<double>& a_;
  const IlutOptions& options_;
  Offset most_entries_;
  StopCheck check_;
  std::size_t n_;
  std::vector<Index> place_, column_;  ///< of each column its place, and the reverse
  std::vector<double> value_;          ///< of the row, by columns
  std::vector<char> is_filled_;
  std::vector<Index> left_;   ///< a heap of places: entries that are still to be eliminated
  std::vector<Index> right_;  ///< columns: the other entries
  std::vector<double> largest_in_u_;
  std::vector<Entry> in_l_, in_u_;
  std::vector<double> weights_;
  Triangle lower_, upper_;
  std::vector<double> pivot_;
  Index boosted_ = 0, null_pivots_ = 0;
};

}  // namespace

Factors factor_ilut(const CsrView<double>& a, const IlutOptions& options, Offset most_entries,
                    const StopRequest& stop) {
  return Elimination(a, options, most_entries, stop).run();
}

}  // namespace ostinato
