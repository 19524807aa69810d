// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::cli {

/// A x in long double, and of each row the sum |a||x|, by which errors are measured, and the number of entries.
struct Reference {
  std::vector<long double> y, size;
  std::vector<Offset> entries;
};

template <class T>
Reference reference_product(const CsrView<T>& a, std::span<const T> x) {
  Reference r{std::vector<long double>(a.rows), std::vector<long double>(a.rows), std::vector<Offset>(a.rows)};
  for (std::size_t i = 0; i < r.y.size(); ++i) {
    r.entries[i] = a.row_ptr[i + 1] - a.row_ptr[i];
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const long double term = static_cast<long double>(a.val[k]) * x[a.col[k]];
      r.y[i] += term;
      r.size[i] += std::abs(term);
    }
  }
  return r;
}

struct ProductError {
  double largest = 0;  ///< of a row, in units of eps sum |a||x|
  bool right = true;   ///< whether rounding explains the error of each row
};

/// Compares y with the reference. Rows whose sums may leave the range of T are passed over, and products too small for
/// T are no error. The error is infinite when a value isn't finite, or when the result of a row without entries isn't
/// 0. In whatever order a row of n entries is added, rounding alone stays below n / 2 (Higham, Accuracy and Stability
/// of Numerical Algorithms (2002), section 3.1); 10 leaves room for formats that split the entries of a short row.
template <class T>
ProductError error_of(const Reference& r, std::span<const T> y) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  ProductError result;
  for (std::size_t i = 0; i < r.y.size(); ++i) {
    const long double error = std::abs(static_cast<long double>(y[i]) - r.y[i]);
    const long double underflow = static_cast<long double>(std::numeric_limits<T>::denorm_min()) * r.entries[i];
    if (error == 0 || error < underflow || r.size[i] > std::numeric_limits<T>::max()) continue;
    const double units = static_cast<double>(error / (r.size[i] * std::numeric_limits<T>::epsilon()));
    result.largest = std::isfinite(units) ? std::max(result.largest, units) : infinite;
    if (!(units <= std::max(10.0, static_cast<double>(r.entries[i]) / 2))) result.right = false;
  }
  return result;
}

struct Triad {
  double *a, *b, *c;
  void operator()(std::size_t i) const { a[i] = b[i] + 3 * c[i]; }
};

/// Returns the memory bandwidth in bytes per second, measured on long arrays: a = b + 3 c on the CPU (24 bytes per
/// element), a copy on a GPU.
inline double measured_bandwidth(const Host& space) {
  constexpr std::size_t n = std::size_t{1} << 23;
  Vector<Host, double> a(space, n), b(space, n), c(space, n);
  const Triad triad{a.data(), b.data(), c.data()};
  space.zero(a.data(), a.bytes());
  space.zero(b.data(), b.bytes());
  space.zero(c.data(), c.bytes());
  return 24.0 * n / median_seconds(space, 9, [&] { for_each(space, n, triad); });
}

inline double measured_bandwidth(const Cuda& space) {
  constexpr std::size_t n = std::size_t{1} << 26;
  Vector<Cuda, double> a(space, n), b(space, n);
  space.zero(b.data(), b.bytes());
  return 16.0 * n / median_seconds(space, 9, [&] { space.copy(a.data(), b.data(), b.bytes()); });
}

}  // namespace ostinato::cli
