// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/condition_estimate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ostinato {

namespace {

using Numbers = std::vector<double>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
std::size_t at(Offset k) { return static_cast<std::size_t>(k); }

/// What the rows and columns of a matrix are multiplied by.
struct Scales {
  Numbers row, col;
};

/// Scales with which the largest entry of each row and column is about 1.
Scales scales_of(const CsrView<double>& a) {
  constexpr int rounds = 6;  // each takes the root of what is left
  const std::size_t n = at(a.rows);
  Scales s{Numbers(n, 1), Numbers(n, 1)};
  for (int round = 0; round < rounds; ++round) {
    Numbers row(n, 0), col(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = at(a.row_ptr[i]); k < at(a.row_ptr[i + 1]); ++k) {
        const double size = std::abs(a.val[k]) * s.row[i] * s.col[at(a.col[k])];
        row[i] = std::max(row[i], size);
        col[at(a.col[k])] = std::max(col[at(a.col[k])], size);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (row[i] > 0) s.row[i] /= std::sqrt(row[i]);
      if (col[i] > 0) s.col[i] /= std::sqrt(col[i]);
    }
  }
  return s;
}

/// The inverse of A by its complete factors.
class ByFactors {
 public:
  ByFactors(const Factors& f, const Preparation& how)
      : f_(f), how_(how), column_(f.pivot.size()), from_(column_.size()), to_(column_.size()), y_(column_.size()) {
    for (std::size_t i = 0; i < column_.size(); ++i) {
      const std::size_t row = at(how.row[i]), column = at(how.col[f.col.empty() ? i : at(f.col[i])]);
      column_[i] = column;
      from_[i] = how.is_scaled() ? how.row_scale[row] : 1;
      to_[i] = how.is_scaled() ? how.col_scale[column] : 1;
    }
  }

  /// v := A^-1 v
  void apply(std::span<double> v) {
    const std::size_t n = column_.size();
    for (std::size_t i = 0; i < n; ++i) {
      double sum = v[at(how_.row[i])] * from_[i];
      for (std::size_t k = begin(f_.lower, i); k < begin(f_.lower, i + 1); ++k)
        sum -= f_.lower.val[k] * y_[at(f_.lower.col[k])];
      y_[i] = flushed(sum);
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = y_[i];
      for (std::size_t k = begin(f_.upper, i); k < begin(f_.upper, i + 1); ++k)
        sum -= f_.upper.val[k] * y_[at(f_.upper.col[k])];
      y_[i] = flushed(sum / f_.pivot[i]);
      v[column_[i]] = y_[i] * to_[i];
    }
  }

  /// v := A^-T v
  void apply_transposed(std::span<double> v) {
    const std::size_t n = column_.size();
    for (std::size_t i = 0; i < n; ++i) y_[i] = v[column_[i]] * to_[i];
    for (std::size_t i = 0; i < n; ++i) {
      const double x = y_[i] = flushed(y_[i] / f_.pivot[i]);
      for (std::size_t k = begin(f_.upper, i); k < begin(f_.upper, i + 1); ++k)
        y_[at(f_.upper.col[k])] -= f_.upper.val[k] * x;
    }
    for (std::size_t i = n; i-- > 0;) {
      const double x = flushed(y_[i]);
      for (std::size_t k = begin(f_.lower, i); k < begin(f_.lower, i + 1); ++k)
        y_[at(f_.lower.col[k])] -= f_.lower.val[k] * x;
      v[at(how_.row[i])] = x * from_[i];
    }
  }

 private:
  /// Columns of an inverse may fade away to denormal numbers, with which a processor takes its time.
  static double flushed(double x) { return std::abs(x) < 1e-280 ? 0 : x; }
  static std::size_t begin(const Csr<double>& a, std::size_t row) { return at(a.row_ptr[row]); }

  const Factors& f_;
  const Preparation& how_;
  std::vector<std::size_t> column_;  ///< of A, at each place
  Numbers from_, to_;                ///< by what an element is multiplied on its way from a row, and to a column
  Numbers y_;
};

/// The inverse of R A C, where R and C scale.
class ScaledInverse {
 public:
  ScaledInverse(const InverseMap& inverse, const Scales& scales) : inverse_(inverse), scales_(scales) {}

  /// v := (R A C)^-1 v
  void apply(Numbers& v) const {
    divide(v, scales_.row);
    inverse_.apply(v);
    divide(v, scales_.col);
  }

  /// v := (R A C)^-T v
  void apply_transposed(Numbers& v) const {
    divide(v, scales_.col);
    inverse_.apply_transposed(v);
    divide(v, scales_.row);
  }

 private:
  static void divide(Numbers& v, const Numbers& by) {
    for (std::size_t i = 0; i < by.size(); ++i) v[i] /= by[i];
  }

  const InverseMap& inverse_;
  const Scales& scales_;
};

double sum_of_sizes(const Numbers& v) {
  double sum = 0;
  for (const double x : v) sum += std::abs(x);
  return sum;
}

/// The largest sum of a column of R A C.
double norm_1(const CsrView<double>& a, const Scales& s) {
  Numbers sums(at(a.cols), 0);
  for (std::size_t i = 0; i < at(a.rows); ++i) {
    for (std::size_t k = at(a.row_ptr[i]); k < at(a.row_ptr[i + 1]); ++k) {
      const std::size_t j = at(a.col[k]);
      sums[j] += std::abs(a.val[k]) * (s.row.empty() ? 1 : s.row[i] * s.col[j]);
    }
  }
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

std::size_t largest_at(const Numbers& v) {
  const auto is_less = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::max_element(v.begin(), v.end(), is_less) - v.begin());
}

/// The norm that the columns of the inverse have at least, by what makes ||A^-1 x||_1 larger.
double climb(const ScaledInverse& inverse, std::size_t n) {
  constexpr int most = 3;  // further ones hardly ever gain
  Numbers x(n, 1 / static_cast<double>(n)), signs(n, 0);
  double norm = 0;
  for (int step = 0; step < most; ++step) {
    inverse.apply(x);
    const double now = sum_of_sizes(x);
    bool has_changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double sign = std::copysign(1.0, x[i]);
      has_changed |= sign != signs[i];
      signs[i] = sign;
    }
    const bool is_higher = now > norm;
    norm = std::max(norm, now);
    if (!has_changed || !is_higher) break;
    x = signs;
    inverse.apply_transposed(x);
    const std::size_t next = largest_at(x);
    // Along the gradient nothing is to be gained from here.
    if (step > 0 && !(std::abs(x[next]) > now)) break;
    x.assign(n, 0);
    x[next] = 1;
  }
  return norm;
}

/// The 1-norm of the inverse, from below.
double norm_1(const ScaledInverse& inverse, std::size_t n) {
  const double norm = climb(inverse, n);
  Numbers x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (i % 2 == 0 ? 1 : -1) * (1 + (n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0));
  inverse.apply(x);
  return std::max(norm, 2 * sum_of_sizes(x) / (3 * static_cast<double>(n)));
}

}  // namespace

Condition estimate_condition(const CsrView<double>& a, const InverseMap& inverse, double unit) {
  if (a.rows == 0) return {};
  constexpr double most = 1e300;  // so that it stays a number
  const auto estimate = [&](const Scales& s) {
    const double value = norm_1(a, s) * norm_1(ScaledInverse(inverse, s), at(a.rows));
    return value >= 1 ? std::min(value, most) : value > 0 ? 1 : most;
  };
  const double value = estimate({});
  if (value * unit < 1) return {value, Condition::Of::matrix};
  const double scaled = estimate(scales_of(a));
  if (scaled < value) return {scaled, Condition::Of::scaled};
  return {value, Condition::Of::matrix};
}

Condition estimate_condition(const CsrView<double>& a, const Factors& f, const Preparation& how, double unit) {
  if (a.rows == 0 || f.boosted > 0 || f.shift > 0) return {};
  ByFactors inverse(f, how);
  return estimate_condition(
      a, {[&](std::span<double> v) { inverse.apply(v); }, [&](std::span<double> v) { inverse.apply_transposed(v); }},
      unit);
}

}  // namespace ostinato
