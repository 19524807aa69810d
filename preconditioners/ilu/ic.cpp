// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/ic.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

namespace {

/// Factors row after row. The columns of L, as far as they are done, update the row at hand.
class Cholesky {
 public:
  Cholesky(const CsrView<double>& a, const IcOptions& options, double shift, Offset most_entries, StopCheck& check)
      : a_(a),
        options_(options),
        shift_(shift),
        most_entries_(most_entries),
        check_(check),
        n_(static_cast<std::size_t>(a.rows)),
        columns_(n_),
        value_(n_, 0),
        is_filled_(n_, 0),
        size_(n_, 0) {}

  /// Nothing when a pivot isn't positive.
  std::optional<Factors> run() {
    Factors f;
    f.lower = {a_.rows, a_.rows, Array<Offset>(1, 0), {}, {}};
    for (std::size_t i = 0; i < n_; ++i) {
      if (!factor_row(i, f)) return std::nullopt;
    }
    f.upper = transpose(f.lower.view(), checked);
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto k = static_cast<std::size_t>(f.upper.row_ptr[i]); k < static_cast<std::size_t>(f.upper.row_ptr[i + 1]);
           ++k)
        f.upper.val[k] *= f.pivot[i];
    }
    f.shift = shift_;
    return f;
  }

 private:
  struct Entry {
    Index at;
    double value;
    double weight;  ///< by which entries compete for the room
  };

  bool factor_row(std::size_t i, Factors& f) {
    check_.count(100);
    double pivot = load(i);
    row_.clear();
    while (!left_.empty()) {
      std::pop_heap(left_.begin(), left_.end(), std::greater<>());
      const auto k = static_cast<std::size_t>(left_.back());
      left_.pop_back();
      const double value = std::exchange(value_[k], 0.0);
      const bool of_a = is_filled_[k] == from_a;
      is_filled_[k] = 0;
      if (!of_a && std::abs(value) <= options_.drop * size_[i] * size_[k]) continue;
      if (value == 0) continue;
      check_.count(columns_[k].size() + 10);
      for (const auto& [j, l] : columns_[k]) add(j, -value * l);
      row_.push_back({static_cast<Index>(k), value / f.pivot[k], of_a ? HUGE_VAL : std::abs(value) / size_[k]});
      pivot -= value * row_.back().value;
    }
    if (!(pivot > 0 && std::isfinite(pivot))) return false;
    keep_largest(i, f);
    for (const Entry& e : row_) {
      columns_[static_cast<std::size_t>(e.at)].emplace_back(static_cast<Index>(i), e.value);
      f.lower.col.push_back(e.at);
      f.lower.val.push_back(e.value);
    }
    if (f.lower.nonzeros() > most_entries_ / 2) throw TooManyEntries();
    f.lower.row_ptr.push_back(f.lower.nonzeros());
    f.pivot.push_back(pivot);
    return true;
  }

  /// Fills the dense row with the lower triangle of A. Returns the diagonal entry, shifted.
  double load(std::size_t i) {
    double diagonal = 0;
    row_index_ = static_cast<Index>(i);
    for (auto k = static_cast<std::size_t>(a_.row_ptr[i]); k < static_cast<std::size_t>(a_.row_ptr[i + 1]); ++k) {
      const Index j = a_.col[k];
      if (j == row_index_) diagonal = a_.val[k];
      if (j >= row_index_) continue;
      ++entries_below_;
      is_filled_[static_cast<std::size_t>(j)] = from_a;
      value_[static_cast<std::size_t>(j)] = a_.val[k];
      push(j);
    }
    size_[i] = std::sqrt(diagonal);
    return diagonal * (1 + shift_);
  }

  void push(Index j) {
    left_.push_back(j);
    std::push_heap(left_.begin(), left_.end(), std::greater<>());
  }

  void add(Index j, double value) {
    const auto at = static_cast<std::size_t>(j);
    if (j >= row_index_) return;
    if (is_filled_[at] == 0) {
      if (!options_.fill) return;
      is_filled_[at] = from_fill;
      push(j);
    }
    value_[at] += value;
  }

  /// Rows that need less than their share of the fill leave the rest to the rows that follow. Entries of A stay: as
  /// shares are of the lower triangle, there is always room for them.
  void keep_largest(std::size_t i, const Factors& f) {
    if (!options_.fill || std::isinf(options_.most_fill)) return;
    const double most = options_.most_fill * static_cast<double>(entries_below_) +
                        0.5 * (options_.most_fill - 1) * static_cast<double>(i + 1);
    const double room = std::max(most - static_cast<double>(f.lower.nonzeros()), 0.0);
    if (static_cast<double>(row_.size()) <= room) return;
    weights_.clear();
    for (const Entry& e : row_) weights_.push_back(e.weight);
    const auto kept = weights_.begin() + static_cast<std::ptrdiff_t>(room);
    std::nth_element(weights_.begin(), kept, weights_.end(), std::greater<>());
    std::erase_if(row_, [least = *kept](const Entry& e) { return !std::isinf(e.weight) && e.weight <= least; });
  }

  static constexpr char from_a = 1, from_fill = 2;

  const CsrView<double>& a_;
  const IcOptions& options_;
  double shift_;
  Offset most_entries_;
  StopCheck& check_;
  std::size_t n_;
  std::vector<std::vector<std::pair<Index, double>>> columns_;  ///< of L, by rows
  std::vector<double> value_;                                   ///< of the row at hand
  std::vector<char> is_filled_;
  std::vector<double> size_;  ///< square roots of the diagonal of A
  std::vector<Index> left_;   ///< a heap of columns that are still to be eliminated
  std::vector<Entry> row_;
  std::vector<double> weights_;
  Index row_index_ = 0;
  Offset entries_below_ = 0;  ///< of A below its diagonal, as far as rows were loaded
};

}  // namespace

void require_positive_diagonal(const CsrView<double>& a, std::string_view owner) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    bool positive = false;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      positive |= a.col[k] == static_cast<Index>(i) && a.val[k] > 0;
    if (!positive) {
      throw ArgumentError(std::string(owner) + ": " + row_text(static_cast<std::size_t>(i)) +
                          " has no positive diagonal entry, so that the matrix isn't positive definite; take ilut");
    }
  }
}

double first_shift(const std::function<bool(double)>& attempt) {
  constexpr double first = 1e-3;
  double shift = 0;
  for (; shift <= largest_shift; shift = shift == 0 ? first : 2 * shift) {
    if (attempt(shift)) return shift;
  }
  char text[160];
  std::snprintf(text, sizeof text,
                "incomplete Cholesky: not even A + %.3g diag(A) has positive pivots, so that A is far from positive "
                "definite; take ilut",
                shift / 2);
  throw ArgumentError(text);
}

Factors factor_ic(const CsrView<double>& a, const IcOptions& options, Offset most_entries, const StopRequest& stop) {
  require_positive_diagonal(a);
  StopCheck check(stop, factoring_stopped);
  std::optional<Factors> f;
  first_shift([&](double shift) {
    f = Cholesky(a, options, shift, most_entries, check).run();
    return f.has_value();
  });
  return *std::move(f);
}

std::optional<Factors> factor_ic_unshifted(const CsrView<double>& a, const IcOptions& options, Offset most_entries,
                                           const StopRequest& stop) {
  require_positive_diagonal(a);
  StopCheck check(stop, factoring_stopped);
  return Cholesky(a, options, 0, most_entries, check).run();
}

}  // namespace ostinato
