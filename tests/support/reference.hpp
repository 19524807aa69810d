// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

// Reference products and residuals in long double, for comparison with the library's.

namespace ostinato::test {

/// One row of y = alpha A x + beta y in long double, and the sum of the absolute values of its terms.
struct ReferenceRow {
  long double value = 0;
  long double magnitude = 0;
  Offset entries = 0;

  /// The largest allowed error of a product in T: 10 eps times the magnitude for rows of up to 100 entries. No order of
  /// additions keeps this bound for rows of any length. The rounding of n additions usually grows as sqrt(n) (at worst
  /// as n), so the factor is sqrt(n) eps above 100 entries.
  template <class T>
  long double bound() const {
    const long double factor = std::max(10.0L, std::sqrt(static_cast<long double>(entries)));
    return factor * static_cast<long double>(std::numeric_limits<T>::epsilon()) * magnitude +
           static_cast<long double>(std::numeric_limits<T>::denorm_min());
  }
};

/// With beta == 0 y isn't read and may be empty.
template <class T>
std::vector<ReferenceRow> reference_product(const CsrView<T>& a, T alpha, const std::vector<T>& x, T beta,
                                            const std::vector<T>& y) {
  std::vector<ReferenceRow> out(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < out.size(); ++i) {
    ReferenceRow& row = out[i];
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const long double term =
          static_cast<long double>(alpha) * a.val[k] * static_cast<long double>(x[static_cast<std::size_t>(a.col[k])]);
      row.value += term;
      row.magnitude += std::abs(term);
    }
    row.entries = a.row_ptr[i + 1] - a.row_ptr[i];
    if (beta == T{0}) continue;
    const long double kept = static_cast<long double>(beta) * y[i];
    row.value += kept;
    row.magnitude += std::abs(kept);
  }
  return out;
}

/// Empty when each element is within its row's bound; otherwise describes the first element that isn't.
template <class T>
std::string difference(const std::vector<T>& y, const std::vector<ReferenceRow>& reference) {
  if (y.size() != reference.size()) return std::to_string(y.size()) + " elements";
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long double error = std::abs(static_cast<long double>(y[i]) - reference[i].value);
    if (error <= reference[i].template bound<T>()) continue;
    return "row " + std::to_string(i) + " of " + std::to_string(y.size()) + " (" +
           std::to_string(reference[i].entries) + " entries): got " + std::to_string(y[i]) + ", want " +
           std::to_string(reference[i].value) + ", off by " +
           std::to_string(static_cast<double>(error / reference[i].template bound<T>())) + " bounds";
  }
  return "";
}

/// ||b - A x|| in long double.
struct ReferenceResidual {
  double norm = 0;
  double b_norm = 0;
  double bound = 0;  ///< largest allowed error of the norm of a residual in T
};

template <class T>
ReferenceResidual reference_residual(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  const std::vector<ReferenceRow> rows = reference_product(a, T{-1}, x, T{1}, b);
  long double norm = 0, b_norm = 0, bound = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    norm += rows[i].value * rows[i].value;
    b_norm += static_cast<long double>(b[i]) * b[i];
    bound += rows[i].template bound<T>() * rows[i].template bound<T>();
  }
  return {static_cast<double>(std::sqrt(norm)), static_cast<double>(std::sqrt(b_norm)),
          static_cast<double>(std::sqrt(bound))};
}

/// True when the vectors hold the same bits, NaN included.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
bool all_finite(const std::vector<T>& x) {
  return std::all_of(x.begin(), x.end(), [](T v) { return std::isfinite(v); });
}

/// Returns the message of the exception of type E that f throws; fails the test when f throws none.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing of the expected type was thrown";
  return "";
}

}  // namespace ostinato::test
