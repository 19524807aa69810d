// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/iluk.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/ilu/raise.hpp>

namespace ostinato {

namespace {

constexpr Index none = -1;

/// The pattern of the factors: rows with ascending columns, the diagonal among them.
struct Pattern {
  std::vector<Offset> row_ptr = {0};
  std::vector<Index> col;
  std::vector<Offset> diagonal;  ///< where the diagonal entry of each row is
};

/// Finds the pattern row by row. A row is a linked list of columns, into which the rows of U of its columns are merged.
class Fill {
 public:
  Fill(const CsrView<double>& a, int most, Offset most_entries, const StopRequest& stop)
      : a_(a),
        most_(most),
        most_entries_(most_entries),
        check_(stop, factoring_stopped),
        n_(static_cast<std::size_t>(a.rows)),
        next_(n_ + 1),
        level_of_(n_) {}

  Pattern run() {
    for (std::size_t i = 0; i < n_; ++i) {
      load(i);
      for (Index k = next_[n_]; k < static_cast<Index>(i); k = next_[static_cast<std::size_t>(k)]) merge(k);
      store(i);
    }
    return std::move(pattern_);
  }

 private:
  Index end() const { return static_cast<Index>(n_); }  ///< the head of the list, and its end

  void load(std::size_t i) {
    Index last = end();
    const auto append = [&](Index j) {
      next_[static_cast<std::size_t>(last)] = j;
      level_of_[static_cast<std::size_t>(j)] = 0;
      last = j;
    };
    const Index diagonal = static_cast<Index>(i);
    bool has_diagonal = false;
    for (Offset k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
      const Index j = a_.col[static_cast<std::size_t>(k)];
      if (!has_diagonal && j > diagonal) append(diagonal);
      has_diagonal |= j >= diagonal;
      append(j);
    }
    if (!has_diagonal) append(diagonal);
    next_[static_cast<std::size_t>(last)] = end();
  }

  /// Merges row k of U into the list, where the fill's level allows.
  void merge(Index k) {
    const int level = level_of_[static_cast<std::size_t>(k)];
    if (level >= most_) return;  // its fill would be of a higher level
    check_.count(static_cast<std::size_t>(pattern_.row_ptr[static_cast<std::size_t>(k) + 1] -
                                          pattern_.diagonal[static_cast<std::size_t>(k)]));
    Index before = k;
    for (Offset e = pattern_.diagonal[static_cast<std::size_t>(k)] + 1;
         e < pattern_.row_ptr[static_cast<std::size_t>(k) + 1]; ++e) {
      const int filled = level + level_[static_cast<std::size_t>(e)] + 1;
      if (filled > most_) continue;
      const Index j = pattern_.col[static_cast<std::size_t>(e)];
      while (next_[static_cast<std::size_t>(before)] < j) before = next_[static_cast<std::size_t>(before)];
      const Index found = next_[static_cast<std::size_t>(before)];
      int& at = level_of_[static_cast<std::size_t>(j)];
      if (found == j) {
        at = std::min(at, filled);
      } else {
        next_[static_cast<std::size_t>(j)] = found;
        next_[static_cast<std::size_t>(before)] = j;
        at = filled;
      }
      before = j;
    }
  }

  void store(std::size_t i) {
    for (Index j = next_[n_]; j != end(); j = next_[static_cast<std::size_t>(j)]) {
      if (j == static_cast<Index>(i)) pattern_.diagonal.push_back(static_cast<Offset>(pattern_.col.size()));
      pattern_.col.push_back(j);
      level_.push_back(level_of_[static_cast<std::size_t>(j)]);
    }
    if (static_cast<Offset>(pattern_.col.size()) > most_entries_) throw TooManyEntries();
    pattern_.row_ptr.push_back(static_cast<Offset>(pattern_.col.size()));
  }

  const CsrView<double>& a_;
  int most_;
  Offset most_entries_;
  StopCheck check_;
  std::size_t n_;
  std::vector<Index> next_;
  std::vector<int> level_of_;  ///< of the columns in the list
  std::vector<int> level_;     ///< of the entries of the pattern
  Pattern pattern_;
};

/// Computes the values on a pattern, in place.
class Values {
 public:
  Values(const CsrView<double>& a, const Pattern& pattern, double boost, const StopRequest& stop)
      : a_(a),
        pattern_(pattern),
        boost_(boost),
        check_(stop, factoring_stopped),
        val_(pattern.col.size(), 0),
        place_(static_cast<std::size_t>(a.rows), none) {}

  Factors run() {
    for (std::size_t i = 0; i + 1 < pattern_.row_ptr.size(); ++i) factor_row(i);
    return split();
  }

 private:
  std::size_t at(Offset k) const { return static_cast<std::size_t>(k); }

  void factor_row(std::size_t i) {
    const Offset begin = pattern_.row_ptr[i], end = pattern_.row_ptr[i + 1], diagonal = pattern_.diagonal[i];
    for (Offset k = begin; k < end; ++k) place_[static_cast<std::size_t>(pattern_.col[at(k)])] = k;
    double size = 0;
    for (Offset k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
      val_[at(place_[static_cast<std::size_t>(a_.col[at(k)])])] = a_.val[at(k)];
      size = std::max(size, std::abs(a_.val[at(k)]));
    }
    for (Offset k = begin; k < diagonal; ++k) {
      const auto row = static_cast<std::size_t>(pattern_.col[at(k)]);
      check_.count(static_cast<std::size_t>(pattern_.row_ptr[row + 1] - pattern_.diagonal[row]));
      const double factor = val_[at(k)] /= val_[at(pattern_.diagonal[row])];
      for (Offset e = pattern_.diagonal[row] + 1; e < pattern_.row_ptr[row + 1]; ++e) {
        const Offset place = place_[static_cast<std::size_t>(pattern_.col[at(e)])];
        if (place != none) val_[at(place)] -= factor * val_[at(e)];
      }
    }
    for (Offset k = begin; k < end; ++k) place_[static_cast<std::size_t>(pattern_.col[at(k)])] = none;
    if (raise(val_[at(diagonal)], size, boost_) != PivotChange::none) ++boosted_;
  }

  Factors split() const {
    Factors f;
    const std::size_t n = pattern_.diagonal.size();
    f.lower = f.upper = {static_cast<Index>(n), static_cast<Index>(n), Array<Offset>(1, 0), {}, {}};
    f.boosted = boosted_;
    const auto copy = [&](Csr<double>& to, Offset begin, Offset end) {
      to.col.insert(to.col.end(), pattern_.col.begin() + begin, pattern_.col.begin() + end);
      to.val.insert(to.val.end(), val_.begin() + begin, val_.begin() + end);
      to.row_ptr.push_back(static_cast<Offset>(to.col.size()));
    };
    for (std::size_t i = 0; i < n; ++i) {
      copy(f.lower, pattern_.row_ptr[i], pattern_.diagonal[i]);
      copy(f.upper, pattern_.diagonal[i] + 1, pattern_.row_ptr[i + 1]);
      f.pivot.push_back(val_[at(pattern_.diagonal[i])]);
    }
    return f;
  }

  const CsrView<double>& a_;
  const Pattern& pattern_;
  double boost_;
  StopCheck check_;
  std::vector<double> val_;
  std::vector<Offset> place_;  ///< of a column in the row at hand; none where the pattern hasn't got it
  Index boosted_ = 0;
};

}  // namespace

Factors factor_iluk(const CsrView<double>& a, const IlukOptions& options, const FactorMemory& memory,
                    const StopRequest& stop) {
  const Pattern pattern = Fill(a, options.level, memory.most_entries, stop).run();
  memory.announce(static_cast<Offset>(pattern.col.size()), Certainty::close);
  return Values(a, pattern, options.boost, stop).run();
}

}  // namespace ostinato
