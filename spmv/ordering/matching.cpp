// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/matching.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Index none = -1;

/// The matching as an assignment problem: the entry (i, j) costs log(largest of column j) - log|a(i, j)| >= 0. The
/// duals u of rows and v of columns keep cost(i, j) >= u(i) + v(j), with equality for matched entries.
class Assignment {
 public:
  Assignment(const CsrView<double>& a, const StopRequest& stop)
      : a_(a),
        check_(stop, "the matching was stopped"),
        n_(static_cast<std::size_t>(a.rows)),
        log_largest_(n_, -infinite),
        cost_(a.val.size()),
        u_(n_, 0),
        v_(n_, 0),
        row_of_(n_, none),
        col_of_(n_, none),
        distance_(n_, infinite),
        from_(n_, none) {
    set_costs();
    set_duals();
    match_tight_entries();
  }

  Matching solve() {
    Matching m;
    for (std::size_t i = 0; i < n_; ++i) {
      if (col_of_[i] == none && !augment(static_cast<Index>(i))) m.unmatched.push_back(static_cast<Index>(i));
    }
    m.row_scale.resize(n_);
    m.col_scale.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) m.row_scale[i] = std::exp(u_[i]);
    for (std::size_t j = 0; j < n_; ++j)
      m.col_scale[j] = std::isfinite(log_largest_[j]) ? std::exp(v_[j] - log_largest_[j]) : 1;
    m.col_of_row = std::move(col_of_);
    give_free_columns(m);
    return m;
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  Range entries(std::size_t row) const {
    return {static_cast<std::size_t>(a_.row_ptr[row]), static_cast<std::size_t>(a_.row_ptr[row + 1])};
  }
  std::size_t col(std::size_t k) const { return static_cast<std::size_t>(a_.col[k]); }
  /// What the entry costs above the duals: 0 for a tight entry.
  double reduced(std::size_t row, std::size_t k) const { return cost_[k] - u_[row] - v_[col(k)]; }

  void set_costs() {
    for (std::size_t k = 0; k < cost_.size(); ++k)
      log_largest_[col(k)] = std::max(log_largest_[col(k)], std::log(std::abs(a_.val[k])));
    for (std::size_t k = 0; k < cost_.size(); ++k)
      cost_[k] = a_.val[k] == 0 ? infinite : log_largest_[col(k)] - std::log(std::abs(a_.val[k]));
  }

  void set_duals() {
    for (std::size_t i = 0; i < n_; ++i) {
      double least = infinite;
      const auto [begin, end] = entries(i);
      for (std::size_t k = begin; k < end; ++k) least = std::min(least, cost_[k]);
      u_[i] = std::isfinite(least) ? least : 0;
    }
  }

  void match(std::size_t row, std::size_t column) {
    row_of_[column] = static_cast<Index>(row);
    col_of_[row] = static_cast<Index>(column);
  }

  /// Matches rows by entries that cost nothing more. Where the column is taken, its row may move to another one.
  void match_tight_entries() {
    constexpr double tight = 1e-14;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto [begin, end] = entries(i);
      for (std::size_t k = begin; k < end && col_of_[i] == none; ++k) {
        if (reduced(i, k) <= tight && row_of_[col(k)] == none) match(i, col(k));
      }
      for (std::size_t k = begin; k < end && col_of_[i] == none; ++k) {
        if (reduced(i, k) > tight) continue;
        const auto other = static_cast<std::size_t>(row_of_[col(k)]);
        const auto [first, last] = entries(other);
        for (std::size_t l = first; l < last && col_of_[i] == none; ++l) {
          if (reduced(other, l) > tight || row_of_[col(l)] != none) continue;
          match(other, col(l));
          match(i, col(k));
        }
      }
    }
  }

  /// A search for the shortest path from a row to a free column.
  struct Search {
    using Candidate = std::pair<double, Index>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap = {};  ///< columns by distance
    double length = 0;           ///< of the path to the row that is looked at
    double shortest = infinite;  ///< of the paths to free columns so far
    Index free_column = none;    ///< where that one ends
  };

  /// Matches the row along the shortest path to a free column. False when there is no path.
  bool augment(Index start) {
    Search search;
    reached_.clear();
    settled_.clear();
    for (Index row = start; row != none;) {
      reach_columns(row, search);
      row = nearest_row(search);
    }
    if (search.free_column != none) {
      raise_duals(search.shortest);
      follow(start, search.free_column);
    }
    for (const Index j : reached_) distance_[static_cast<std::size_t>(j)] = infinite;
    return search.free_column != none;
  }

  /// Goes on from a row to those of its columns that come closer by that.
  void reach_columns(Index row, Search& s) {
    const auto i = static_cast<std::size_t>(row);
    const auto [begin, end] = entries(i);
    check_.count(end - begin + 10);
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t j = col(k);
      const double d = s.length + std::max(0.0, reduced(i, k));
      if (!(d < s.shortest && d < distance_[j])) continue;
      if (distance_[j] == infinite) reached_.push_back(static_cast<Index>(j));
      distance_[j] = d;
      from_[j] = row;
      if (row_of_[j] == none) {
        s.shortest = d;
        s.free_column = static_cast<Index>(j);
      } else {
        s.heap.emplace(d, static_cast<Index>(j));
      }
    }
  }

  /// Settles the nearest column that isn't settled. Returns its row, or none where every path from there is longer than
  /// the shortest one to a free column.
  Index nearest_row(Search& s) {
    while (!s.heap.empty()) {
      const auto [d, j] = s.heap.top();
      if (d >= s.shortest) return none;
      s.heap.pop();
      if (d > distance_[static_cast<std::size_t>(j)]) continue;
      s.length = d;
      settled_.push_back(j);
      return row_of_[static_cast<std::size_t>(j)];
    }
    return none;
  }

  /// The rows' duals follow from those of the columns once the path is turned, because matched entries are tight.
  void raise_duals(double shortest) {
    for (const Index column : settled_) {
      const auto j = static_cast<std::size_t>(column), i = static_cast<std::size_t>(row_of_[j]);
      v_[j] += distance_[j] - shortest;
      u_[i] -= distance_[j] - shortest;
    }
    shortest_ = shortest;
  }

  void follow(Index start, Index column) {
    u_[static_cast<std::size_t>(start)] += shortest_;
    for (Index j = column;;) {
      const auto row = static_cast<std::size_t>(from_[static_cast<std::size_t>(j)]);
      const Index next = col_of_[row];
      match(row, static_cast<std::size_t>(j));
      if (static_cast<Index>(row) == start) return;
      j = next;
    }
  }

  void give_free_columns(Matching& m) const {
    auto free = row_of_.begin();
    for (const Index i : m.unmatched) {
      free = std::find(free, row_of_.end(), none);
      m.col_of_row[static_cast<std::size_t>(i)] = static_cast<Index>(free++ - row_of_.begin());
    }
  }

  const CsrView<double>& a_;
  StopCheck check_;
  std::size_t n_;
  std::vector<double> log_largest_;  ///< of each column
  std::vector<double> cost_;         ///< of each entry
  std::vector<double> u_, v_;
  std::vector<Index> row_of_, col_of_;
  std::vector<double> distance_;          ///< of a column from the row that a path begins at
  std::vector<Index> from_;               ///< the row before a column on its path
  std::vector<Index> reached_, settled_;  ///< columns: with a distance; with the final one
  double shortest_ = 0;
};

}  // namespace

Matching max_product_matching(const CsrView<double>& a, const StopRequest& stop) {
  if (a.rows != a.cols) {
    throw DimensionError("max_product_matching: the matrix is " + std::to_string(a.rows) + " x " +
                         std::to_string(a.cols) + ", and has to be square");
  }
  return Assignment(a, stop).solve();
}

}  // namespace ostinato
