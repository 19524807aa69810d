// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/definiteness.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
std::size_t first(const CsrView<double>& a, std::size_t row) { return static_cast<std::size_t>(a.row_ptr[row]); }

std::vector<double> diagonal_of(const CsrView<double>& a) {
  std::vector<double> d(at(a.rows));
  diagonal(Host(), a, std::span<double>(d));
  return d;
}

/// A sum, and what its rounding leaves out; exact as long as a third number wouldn't be needed.
class ExactSum {
 public:
  void add(double x) {
    const double lost = add_to(sum_, x);
    exact_ &= add_to(rest_, lost) == 0;
  }
  bool is_nonnegative() const { return exact_ && std::isfinite(sum_) && sum_ + rest_ >= 0; }

 private:
  /// s += x; returns what rounding takes away (Knuth's two-sum).
  static double add_to(double& s, double x) {
    const double before = s;
    s += x;
    const double of_x = s - before;
    return (before - (s - of_x)) + (x - of_x);
  }

  double sum_ = 0, rest_ = 0;
  bool exact_ = true;
};

/// Whether x^2 > y z, without rounding: the products round in the order in which they are.
bool square_exceeds(double x, double y, double z) {
  const double square = x * x, product = y * z;
  if (square != product) return square > product;
  return std::fma(x, x, -square) > std::fma(y, z, -product);
}

/// The entries left of the diagonal in each row of a complete Cholesky factor.
/// Source    Davis, Direct methods for sparse linear systems (2006), section 4.1: the elimination tree.
std::vector<Offset> row_lengths_of_factor(const CsrView<double>& a) {
  const std::size_t n = at(a.rows);
  std::vector<std::size_t> parent(n, n), seen(n, n);
  std::vector<Offset> length(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    seen[i] = i;
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k) {
      for (std::size_t j = at(a.col[k]); j < i && seen[j] != i; j = parent[j]) {
        if (parent[j] == n) parent[j] = i;
        seen[j] = i;
        ++length[i];
      }
    }
  }
  return length;
}

/// A bound of the norm of L D L^T - A beside the diagonal of A, for computed factors with rows of such lengths: an
/// element that is added up of k products is off by k + 3 roundings at most.
double rounding_of_factor(const std::vector<Offset>& length) {
  double squares = 1;
  for (const Offset k : length) {
    const auto terms = static_cast<double>(k);
    squares += (2 * terms + 1) * (terms + 4) * (terms + 4);
  }
  return eps / 2 * std::sqrt(squares);
}

/// Whether A + shift diag(A) has a complete Cholesky factorisation.
bool has_factor(const CsrView<double>& a, double shift) {
  Array<double> val(a.val.begin(), a.val.end());
  for (std::size_t i = 0; i < at(a.rows); ++i) {
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k) {
      if (at(a.col[k]) == i) val[k] *= 1 + shift;
    }
  }
  const CsrView<double> shifted{a.rows, a.cols, a.row_ptr, a.col, val};
  return factor_ic_unshifted(shifted, {.fill = true, .drop = 0, .most_fill = HUGE_VAL}).has_value();
}

}  // namespace

Csr<double> balanced(const CsrView<double>& a, int sign) {
  std::vector<int> exponent;
  for (const double d : diagonal_of(a))
    exponent.push_back(d == 0 ? 0 : -static_cast<int>(std::floor(std::ilogb(d) / 2.0)));
  Csr<double> b{a.rows, a.cols, {a.row_ptr.begin(), a.row_ptr.end()}, {a.col.begin(), a.col.end()}, {}};
  b.val.resize(a.val.size());
  for (std::size_t i = 0; i < exponent.size(); ++i) {
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k)
      b.val[k] = sign * std::ldexp(a.val[k], exponent[i] + exponent[at(a.col[k])]);
  }
  return b;
}

bool is_dominant_for_certain(const CsrView<double>& a) {
  for (std::size_t i = 0; i < at(a.rows); ++i) {
    ExactSum left;
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k)
      left.add(at(a.col[k]) == i ? std::abs(a.val[k]) : -std::abs(a.val[k]));
    if (!left.is_nonnegative()) return false;
  }
  return true;
}

std::optional<std::pair<Index, Index>> negative_minor(const CsrView<double>& a) {
  const std::vector<double> d = diagonal_of(a);
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k) {
      const std::size_t j = at(a.col[k]);
      if (j > i && square_exceeds(a.val[k], d[i], d[j])) return std::pair(static_cast<Index>(i), a.col[k]);
    }
  }
  return {};
}

bool is_negative_at(const CsrView<double>& a, std::span<const double> x) {
  double total = 0, lost = 0, size = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double row = 0, row_size = 0;
    for (std::size_t k = first(a, i); k < first(a, i + 1); ++k) {
      const double term = a.val[k] * x[at(a.col[k])];
      row += term;
      row_size += std::abs(term);
    }
    // Neumaier's sum, whose rounding doesn't grow with the rows.
    const double term = x[i] * row, before = total;
    total += term;
    lost += std::abs(before) >= std::abs(term) ? (before - total) + term : (term - total) + before;
    size += std::abs(x[i]) * row_size;
    longest = std::max(longest, first(a, i + 1) - first(a, i));
  }
  return total + lost < -eps * static_cast<double>(longest + 8) * size;
}

CholeskyProof prove_by_cholesky(const CsrView<double>& a, Offset most_entries) {
  const std::vector<Offset> length = row_lengths_of_factor(a);
  Offset entries = 0;
  for (const Offset k : length) entries += k;
  if (entries > most_entries / 2) return CholeskyProof::too_large;
  const double shift = 4 * rounding_of_factor(length);
  if (!(shift < 0.1)) return CholeskyProof::none;
  if (has_factor(a, -shift)) return CholeskyProof::positive;
  return has_factor(a, shift) ? CholeskyProof::none : CholeskyProof::negative;
}

}  // namespace ostinato
