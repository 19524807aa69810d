// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/approximate_factor.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

constexpr std::size_t longest_row = 256;
/// Adaptive: entries that a step adds, and the least part of (G A G^T)(i, i) that a step must take away to go on.
constexpr int entries_of_step = 2;
constexpr double least_gain = 1e-3;

using Entry = std::pair<Index, double>;

/// Makes rows of G. One object a thread.
class RowMaker {
 public:
  RowMaker(const CsrView<double>& a, const std::vector<double>& diagonal, const FsaiOptions& options)
      : a_(a), diagonal_(diagonal), options_(options) {}

  /// The columns of the row, i itself last, and the values there. False when only the diagonal entry could be made.
  bool make(Index i) {
    if (options_.pattern == FsaiPattern::adaptive) return adapt(i);
    choose(i);
    return solve() || fall_back(i);
  }

  const std::vector<Index>& columns() const { return at_; }
  const std::vector<double>& values() const { return g_; }

 private:
  std::size_t begin(Index row) const { return static_cast<std::size_t>(a_.row_ptr[static_cast<std::size_t>(row)]); }
  std::size_t end(Index row) const { return static_cast<std::size_t>(a_.row_ptr[static_cast<std::size_t>(row) + 1]); }
  double diagonal(Index i) const { return diagonal_[static_cast<std::size_t>(i)]; }

  void choose(Index i) {
    at_.clear();
    append_below(i, i);
    if (options_.pattern == FsaiPattern::a2) {
      for (std::size_t k = begin(i); k < end(i); ++k) {
        if (a_.col[k] != i && end(a_.col[k]) - begin(a_.col[k]) <= longest_row) append_below(a_.col[k], i);
      }
      std::sort(at_.begin(), at_.end());
      at_.erase(std::unique(at_.begin(), at_.end()), at_.end());
    }
    if (at_.size() >= longest_row) keep_largest(i);
    at_.push_back(i);
  }

  void append_below(Index row, Index i) {
    for (std::size_t k = begin(row); k < end(row) && a_.col[k] < i; ++k) at_.push_back(a_.col[k]);
  }

  void keep_largest(Index i) {
    std::vector<Entry> sized;
    std::size_t k = begin(i);
    for (const Index j : at_) {
      while (k < end(i) && a_.col[k] < j) ++k;
      const bool there = k < end(i) && a_.col[k] == j;
      sized.emplace_back(j, there ? a_.val[k] * (a_.val[k] / diagonal(j)) : 0);
    }
    std::stable_sort(sized.begin(), sized.end(), [](const Entry& x, const Entry& y) { return x.second > y.second; });
    sized.resize(longest_row - 1);
    at_.clear();
    for (const Entry& e : sized) at_.push_back(e.first);
    std::sort(at_.begin(), at_.end());
  }

  bool fall_back(Index i) {
    at_.assign(1, i);
    g_.assign(1, 1 / std::sqrt(diagonal(i)));
    return false;
  }

  /// Solves for the values at at_. False when A(at_, at_) isn't positive definite to rounding.
  bool solve() {
    const std::size_t m = at_.size(), width = static_cast<std::size_t>(at_.back() - at_[0]) + 1;
    if (place_.size() < width) place_.resize(width, nowhere);
    for (std::size_t p = 0; p < m; ++p) place_[static_cast<std::size_t>(at_[p] - at_[0])] = static_cast<Index>(p);
    const bool definite = factor();
    for (const Index j : at_) place_[static_cast<std::size_t>(j - at_[0])] = nowhere;
    if (!definite) return false;
    g_.assign(m, 0);
    g_[m - 1] = 1;
    for (std::size_t q = m; q-- > 0;) {
      const double* const row = dense_.data() + q * m;
      const double value = g_[q] /= row[q];
      for (std::size_t p = 0; p < q; ++p) g_[p] -= row[p] * value;
    }
    return true;
  }

  /// The elements of row at_[p] of A in the columns at_[0] .. at_[p], whose places are in place_.
  void gather(std::size_t p, double* row) const {
    std::fill(row, row + p + 1, 0.0);
    const auto first = a_.col.begin() + a_.row_ptr[static_cast<std::size_t>(at_[p])];
    const auto last = a_.col.begin() + a_.row_ptr[static_cast<std::size_t>(at_[p]) + 1];
    for (auto k = std::lower_bound(first, last, at_[0]); k < last && *k <= at_[p]; ++k) {
      const Index q = place_[static_cast<std::size_t>(*k - at_[0])];
      if (q != nowhere) row[q] = a_.val[static_cast<std::size_t>(k - a_.col.begin())];
    }
  }

  bool factor() {
    const std::size_t m = at_.size();
    dense_.resize(m * m);
    for (std::size_t p = 0; p < m; ++p) {
      gather(p, dense_.data() + p * m);
      if (!eliminate(p, m)) return false;
    }
    return true;
  }

  /// The lanes are the same on every processor, and so are the bits.
  static double dot(const double* a, const double* b, std::size_t n) {
    constexpr std::size_t lanes = 4;
    double lane[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) lane[l] += a[k + l] * b[k + l];
    }
    for (std::size_t l = 0; k + l < n; ++l) lane[l] += a[k + l] * b[k + l];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }

  /// Row p of the Cholesky factor.
  bool eliminate(std::size_t p, std::size_t m) {
    double* const row = dense_.data() + p * m;
    const double whole = row[p];
    for (std::size_t q = 0; q <= p; ++q) {
      const double* const other = dense_.data() + q * m;
      const double total = dot(row, other, q);
      row[q] = q < p ? (row[q] - total) / other[q] : row[p] - total;
    }
    if (!(row[p] > static_cast<double>(m) * std::numeric_limits<double>::epsilon() * whole)) return false;
    row[p] = std::sqrt(row[p]);
    return std::isfinite(row[p]);
  }

  bool adapt(Index i) {
    fall_back(i);
    double left = diagonal(i);  // (G A G^T)(i, i), were the diagonal of G ones
    while (at_.size() <= static_cast<std::size_t>(options_.entries)) {
      const std::vector<Index> before = at_;
      const std::vector<double> values = g_;
      if (!add_steepest(i)) return true;
      const bool solved = solve();
      const double now = solved ? 1 / (g_.back() * g_.back()) : left;
      if (now <= left * (1 - least_gain)) {
        left = now;
        continue;
      }
      at_ = before;
      g_ = values;
      return true;
    }
    return true;
  }

  /// Adds the columns where the derivative of (G A G^T)(i, i) is steepest. False when it is 0 everywhere.
  bool add_steepest(Index i) {
    Index lowest = i;
    for (const Index j : at_) lowest = std::min(lowest, a_.col[begin(j)]);
    if (slope_.size() < static_cast<std::size_t>(i - lowest)) slope_.resize(static_cast<std::size_t>(i - lowest), 0);
    touched_.clear();
    for (std::size_t p = 0; p < at_.size(); ++p) {
      for (std::size_t k = begin(at_[p]); k < end(at_[p]) && a_.col[k] < i; ++k) {
        double& slope = slope_[static_cast<std::size_t>(a_.col[k] - lowest)];
        if (slope == 0) touched_.push_back(a_.col[k]);
        slope += a_.val[k] * g_[p];
      }
    }
    std::vector<Entry> steepest;
    for (const Index j : touched_) {
      const double slope = std::exchange(slope_[static_cast<std::size_t>(j - lowest)], 0);
      if (slope != 0 && !std::binary_search(at_.begin(), at_.end(), j))
        steepest.emplace_back(j, slope * (slope / diagonal(j)));
    }
    const std::size_t room = static_cast<std::size_t>(options_.entries) + 1 - at_.size();
    const std::size_t count = std::min({steepest.size(), room, std::size_t{entries_of_step}});
    std::partial_sort(steepest.begin(), steepest.begin() + static_cast<std::ptrdiff_t>(count), steepest.end(),
                      [](const Entry& x, const Entry& y) {
                        return x.second > y.second || (x.second == y.second && x.first < y.first);
                      });
    steepest.resize(count);
    for (const Entry& e : steepest) at_.push_back(e.first);
    std::sort(at_.begin(), at_.end());
    return !steepest.empty();
  }

  const CsrView<double>& a_;
  const std::vector<double>& diagonal_;
  const FsaiOptions& options_;
  static constexpr Index nowhere = -1;
  std::vector<Index> at_;
  std::vector<Index> place_;  ///< of column at_[0] + k in at_
  std::vector<double> g_, dense_;
  std::vector<double> slope_;   ///< of some columns; 0 between calls
  std::vector<Index> touched_;  ///< columns with a slope, some of them twice
};

std::vector<double> positive_diagonal(const CsrView<double>& a) {
  std::vector<double> d(static_cast<std::size_t>(a.rows), 0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      if (a.col[k] == static_cast<Index>(i)) d[i] = a.val[k];
    }
    if (!(d[i] > 0))
      throw ArgumentError("fsai: " + row_text(static_cast<std::size_t>(i)) +
                          " has no positive diagonal entry; use preconditioner none");
  }
  return d;
}

/// Powers of two that bring the diagonal into 1 .. 4: A(J, J) has no denormal numbers then, and their squares and
/// products stay in range. Other than by scales, no bit changes.
std::vector<int> exponents_of(const std::vector<double>& diagonal) {
  std::vector<int> e(diagonal.size());
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = -static_cast<int>(std::floor(0.5 * std::ilogb(diagonal[i])));
  return e;
}

/// A(i, j) 2^(e(i) + e(j)), which is less than 4 where A is positive definite.
/// Throws    ArgumentError where one is so large that it may leave the range.
Array<double> scaled_values(const CsrView<double>& a, const std::vector<int>& e) {
  Array<double> val(a.val.size());
  for (std::size_t i = 0; i < e.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      val[k] = std::ldexp(a.val[k], e[i] + e[static_cast<std::size_t>(a.col[k])]);
      if (!(std::abs(val[k]) < 0x1p100))
        throw ArgumentError("fsai: an entry of " + row_text(i) +
                            " is huge beside the diagonal entries of its row and column, so that the matrix isn't "
                            "positive definite; use preconditioner ilut");
    }
  }
  return val;
}

/// Some consecutive rows of G.
struct Piece {
  std::vector<Offset> length;
  std::vector<Index> col;
  std::vector<double> val;
  Index diagonal_only = 0;
};

/// Lets the calling thread, which alone may ask the caller, end the work of all threads.
class SharedStop {
 public:
  explicit SharedStop(const StopRequest& stop) : stop_(stop), caller_(std::this_thread::get_id()) {}

  bool is_made() {
    if (std::this_thread::get_id() == caller_ && stop_.is_made()) made_ = true;
    return made_;
  }
  void throw_if_made() {
    if (is_made()) throw Stopped("fsai: making the factor was stopped");
  }

 private:
  const StopRequest& stop_;
  std::thread::id caller_;
  std::atomic<bool> made_ = false;
};

Piece make_rows(RowMaker maker, Index first, Index last, SharedStop& stop) {
  constexpr Index between = 16;  // looks at the request: a row takes a microsecond to some milliseconds
  Piece piece;
  for (Index i = first; i < last; ++i) {
    if (i % between == 0 && stop.is_made()) break;
    piece.diagonal_only += maker.make(i) ? 0 : 1;
    piece.col.insert(piece.col.end(), maker.columns().begin(), maker.columns().end());
    piece.val.insert(piece.val.end(), maker.values().begin(), maker.values().end());
    piece.length.push_back(static_cast<Offset>(maker.columns().size()));
  }
  return piece;
}

}  // namespace

ApproximateFactor approximate_factor(const Host& host, const CsrView<double>& a, const FsaiOptions& options,
                                     const StopRequest& stop) {
  std::vector<double> diagonal = positive_diagonal(a);
  const std::vector<int> exponents = exponents_of(diagonal);
  const Array<double> values = scaled_values(a, exponents);
  CsrView<double> scaled = a;
  scaled.val = values;
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = std::ldexp(diagonal[i], 2 * exponents[i]);
  const Index together = std::max<Index>(64, a.rows / host.threads() + 1);
  std::vector<Piece> pieces(static_cast<std::size_t>((a.rows + together - 1) / together));
  SharedStop shared(stop);
  parallel_for(host, pieces.size(), [&](std::size_t k) {
    const Index first = static_cast<Index>(k) * together;
    pieces[k] = make_rows(RowMaker(scaled, diagonal, options), first, std::min(a.rows, first + together), shared);
  });
  shared.throw_if_made();
  ApproximateFactor f;
  f.g.rows = f.g.cols = a.rows;
  for (const Piece& piece : pieces) {
    for (const Offset length : piece.length) f.g.row_ptr.push_back(f.g.row_ptr.back() + length);
    f.g.col.insert(f.g.col.end(), piece.col.begin(), piece.col.end());
    f.g.val.insert(f.g.val.end(), piece.val.begin(), piece.val.end());
    f.diagonal_only += piece.diagonal_only;
  }
  for (std::size_t k = 0; k < f.g.val.size(); ++k)
    f.g.val[k] = std::ldexp(f.g.val[k], exponents[static_cast<std::size_t>(f.g.col[k])]);
  return f;
}

}  // namespace ostinato
