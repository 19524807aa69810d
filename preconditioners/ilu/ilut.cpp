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
struct Triangle : Csr<double> {
  explicit Triangle(Index n) : Csr<double>{n, n, Array<Offset>(1, 0), {}, {}} {}

  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(row_ptr[row]); }
  std::size_t end(std::size_t row) const { return static_cast<std::size_t>(row_ptr[row + 1]); }
  void add(Index column, double value) {
    col.push_back(column);
    val.push_back(value);
  }
  void end_row() { row_ptr.push_back(static_cast<Offset>(col.size())); }
  void swap_entries(std::size_t k, std::size_t l) {
    std::swap(col[k], col[l]);
    std::swap(val[k], val[l]);
  }
};

/// Factors row after row. A row is worked on in a dense vector over the columns of A. Columns left of the row's place
/// have been pivots: the row is reduced by their rows of U, in their order.
///
/// A nest is a run of rows of U, each with the columns of the row before but for its own pivot's. They are stored such
/// that all begin with the columns that they share, in the same order, and that a row ends with the pivots of the next
/// ones, the nearest one last. So up to four of them reduce a row at once.
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
        largest_in_u_(n_, 0),
        lower_(a.rows),
        upper_(a.rows) {
    std::iota(place_.begin(), place_.end(), Index{0});
    std::iota(column_.begin(), column_.end(), Index{0});
    pivot_.reserve(n_);
  }

  Factors run() {
    for (std::size_t i = 0; i < n_ && boosted_ <= options_.most_raised; ++i) factor_row(i);
    for (Index& j : upper_.col) j = place_[static_cast<std::size_t>(j)];
    sort_rows(upper_);
    return {std::move(lower_), std::move(upper_), std::move(pivot_), std::move(column_), 0, boosted_, null_pivots_};
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
    const bool is_nested = may_join_nest(i, chosen, options_.drop * size);
    first_of_nest_.push_back(is_nested ? first_of_nest_.back() : static_cast<Index>(i));
    last_of_nest_.push_back(static_cast<Index>(i));
    last_of_nest_[static_cast<std::size_t>(first_of_nest_[i])] = static_cast<Index>(i);
    if (is_nested) {
      keep_nested(i, chosen);
    } else {
      keep_upper(chosen, options_.drop * size);
      keep_largest(i);
    }
    store(i);
  }

  /// Fills the dense row. Returns the largest absolute value.
  double load(std::size_t i) {
    double size = 0;
    for (auto k = static_cast<std::size_t>(a_.row_ptr[i]); k < static_cast<std::size_t>(a_.row_ptr[i + 1]); ++k) {
      const auto column = static_cast<std::size_t>(a_.col[k]);
      value_[column] = a_.val[k];
      note(i, column);
      size = std::max(size, std::abs(a_.val[k]));
    }
    return size;
  }

  /// Notes that the row gets an element in a column.
  void note(std::size_t i, std::size_t column) {
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
      if (!is_filled_[static_cast<std::size_t>(column_[k])]) continue;  // went with the rows before
      const auto last = static_cast<std::size_t>(last_of_nest_[static_cast<std::size_t>(first_of_nest_[k])]);
      double factor[4];
      const std::size_t rows = std::min<std::size_t>(last - k + 1, std::size(factor));
      if (!take_factors(k, rows, least, factor)) continue;
      if (rows == 1) subtract<1>(i, k, factor);
      if (rows == 2) subtract<2>(i, k, factor);
      if (rows == 3) subtract<3>(i, k, factor);
      if (rows == 4) subtract<4>(i, k, factor);
    }
  }

  /// The factors of row k of U and of some rows behind it, of one nest, by which they reduce the row. False when none
  /// is above `least`.
  bool take_factors(std::size_t k, std::size_t rows, double least, double* factor) {
    const std::size_t before = in_l_.size();
    for (std::size_t r = 0; r < rows; ++r) {
      double value = take(static_cast<std::size_t>(column_[k + r]));
      for (std::size_t q = 0; q < r; ++q) value -= factor[q] * upper_.val[upper_.end(k + q) - (r - q)];
      const bool is_kept = std::abs(value) > least;
      factor[r] = is_kept ? value / pivot_[k + r] : 0;
      if (is_kept) in_l_.push_back({static_cast<Index>(k + r), factor[r], std::abs(factor[r]) * largest_in_u_[k + r]});
    }
    return in_l_.size() > before;
  }

  /// Subtracts multiples of row k of U and of those behind it, in the columns that they share.
  template <int Rows>
  void subtract(std::size_t i, std::size_t k, const double* factors) {
    double factor[Rows];
    const double* val[Rows];
    for (int r = 0; r < Rows; ++r)
      factor[r] = factors[r], val[r] = upper_.val.data() + upper_.begin(k + static_cast<std::size_t>(r));
    double* const value = value_.data();
    const char* const is_filled = is_filled_.data();
    const Index* const col = upper_.col.data() + upper_.begin(k);
    const std::size_t shared = upper_.end(k + Rows - 1) - upper_.begin(k + Rows - 1);
    check_.count(shared * Rows);
    for (std::size_t e = 0; e < shared; ++e) {
      const auto column = static_cast<std::size_t>(col[e]);
      double sum = factor[0] * val[0][e];
      for (int r = 1; r < Rows; ++r) sum += factor[r] * val[r][e];
      value[column] -= sum;
      if (!is_filled[column]) note(i, column);
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

  /// Whether the row has the columns of the row before but for its own pivot's, and keeps all of them.
  bool may_join_nest(std::size_t i, std::size_t chosen, double least) const {
    if (least > 0 || i == 0 || right_.size() != upper_.end(i - 1) - upper_.begin(i - 1)) return false;
    const auto is_filled = [this](Index column) { return is_filled_[static_cast<std::size_t>(column)] != 0; };
    const auto begin = upper_.col.begin() + upper_.row_ptr[i - 1];
    return std::find(begin, upper_.col.end(), static_cast<Index>(chosen)) != upper_.col.end() &&
           std::all_of(begin, upper_.col.end(), is_filled);
  }

  /// Keeps the columns of the row before in their order, once the pivot's is last in that row, and behind the shared
  /// columns in all rows of the nest.
  void keep_nested(std::size_t i, std::size_t chosen) {
    const std::size_t begin = upper_.begin(i - 1), last = upper_.end(i - 1) - 1 - begin;
    const auto at = static_cast<std::size_t>(
        std::find(upper_.col.begin() + upper_.row_ptr[i - 1], upper_.col.end(), static_cast<Index>(chosen)) -
        (upper_.col.begin() + upper_.row_ptr[i - 1]));
    for (auto row = static_cast<std::size_t>(first_of_nest_[i]); row < i; ++row)
      upper_.swap_entries(upper_.begin(row) + at, upper_.begin(row) + last);
    in_u_.clear();
    for (std::size_t e = begin; e < begin + last; ++e) {
      const double value = take(static_cast<std::size_t>(upper_.col[e]));
      in_u_.push_back({upper_.col[e], value, std::abs(value)});
    }
    (void)take(chosen);
    right_.clear();
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
  std::vector<Index> first_of_nest_;  ///< the first row of the nest of each row
  std::vector<Index> last_of_nest_;   ///< the last row so far of the nest that begins with a row
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
