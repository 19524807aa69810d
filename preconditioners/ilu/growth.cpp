// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/growth.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

std::size_t row_begin(const Csr<double>& a, std::size_t row) { return static_cast<std::size_t>(a.row_ptr[row]); }
std::size_t row_begin(const CsrView<double>& a, std::size_t row) { return static_cast<std::size_t>(a.row_ptr[row]); }

/// The sizes of a row's diagonal entry and of its largest entry.
struct RowSizes {
  double own = 0, largest = 0;
  bool is_tiny() const { return own > 0 && own < tiny_pivot * largest; }
};

RowSizes sizes_of(const CsrView<double>& a, std::size_t row) {
  RowSizes s;
  for (std::size_t k = row_begin(a, row); k < row_begin(a, row + 1); ++k) {
    const double size = std::abs(a.val[k]);
    if (static_cast<std::size_t>(a.col[k]) == row) s.own = size;
    s.largest = std::max(s.largest, size);
  }
  return s;
}

/// The largest element of (L U)^-1 r for a random r of 1 and -1; infinite where one isn't finite.
double largest_of_inverse(const Factors& f) {
  const std::size_t n = f.pivot.size();
  std::vector<double> x(n);
  double largest = 0;
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < n; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x[i] = state >> 63 == 0 ? 1 : -1;
    for (std::size_t k = row_begin(f.lower, i); k < row_begin(f.lower, i + 1); ++k)
      x[i] -= f.lower.val[k] * x[static_cast<std::size_t>(f.lower.col[k])];
    largest = std::max(largest, std::abs(x[i]));  // the sweeps pass these on
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = row_begin(f.upper, i); k < row_begin(f.upper, i + 1); ++k)
      x[i] -= f.upper.val[k] * x[static_cast<std::size_t>(f.upper.col[k])];
    x[i] /= f.pivot[i];
    if (!std::isfinite(x[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(x[i]));
  }
  return largest;
}

double norm_inf(const CsrView<double>& a) {
  double norm = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    double row = 0;
    for (std::size_t k = row_begin(a, i); k < row_begin(a, i + 1); ++k) row += std::abs(a.val[k]);
    norm = std::max(norm, row);
  }
  return norm;
}

/// " (in row 0 (counted from 0), 1e-20 beside 1.2)" for the first tiny diagonal entry; empty where there is none.
std::string example_of(const CsrView<double>& a) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    const RowSizes s = sizes_of(a, i);
    if (!s.is_tiny()) continue;
    char text[80];
    std::snprintf(text, sizeof text, ": %.3g beside %.3g", s.own, s.largest);
    return ", the first in " + row_text(i) + text;
  }
  return {};
}

}  // namespace

Index count_tiny_diagonal(const CsrView<double>& a) {
  Index count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) count += sizes_of(a, i).is_tiny();
  return count;
}

void require_bounded_growth(std::string_view name, const Factors& f, const CsrView<double>& factored,
                            const CsrView<double>& whole, Index tiny, bool in_float, std::string_view advice) {
  // Solvers add up squares in double, and products with A in the precision of the vectors.
  const double most = in_float ? 1e30 : 1e150;
  if (tiny == 0 || largest_of_inverse(f) * norm_inf(factored) <= most) return;
  throw ArgumentError(std::string(name) + ": " + std::to_string(tiny) +
                      (tiny == 1 ? " pivot is tiny beside its row" : " pivots are tiny beside their rows") +
                      example_of(whole) + "; M^-1 r leaves the range of the numbers; " + std::string(advice));
}

}  // namespace ostinato
