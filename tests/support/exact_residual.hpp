// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::test {

struct ExactResidual {
  long double norm = 0;
  long double b_norm = 0;
  double relative = 0;     ///< to ||b||; the norm itself when b = 0
  double backward = 0;     ///< ||b - A x|| / (||A||_inf ||x|| + ||b||)
  long double a_norm = 0;  ///< ||A||_inf, also beyond the range of double
};

/// An exact sum of products of doubles: parts that don't overlap, in order of size (Shewchuk, Discrete Comput. Geom. 18
/// (1997) 305, Grow-Expansion). Quadruple precision holds each product, and its range holds products of any doubles.
class ExactSum {
 public:
  using Quad = __float128;

  void add_product(double u, double v) {
    Quad carried = static_cast<Quad>(u) * static_cast<Quad>(v);
    std::vector<Quad> grown;
    for (const Quad part : parts_) {
      const Quad sum = carried + part, of_part = sum - carried;
      const Quad rest = (carried - (sum - of_part)) + (part - of_part);
      if (rest != 0) grown.push_back(rest);
      carried = sum;
    }
    grown.push_back(carried);
    parts_.swap(grown);
  }

  Quad value() const {
    Quad sum = 0;
    for (const Quad part : parts_) sum += part;
    return sum;
  }

 private:
  std::vector<Quad> parts_;
};

/// ||b - A x||, where each row is summed exactly and rounded once.
template <class T>
ExactResidual exact_residual(const CsrView<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  using Quad = ExactSum::Quad;
  Quad norm = 0, b_norm = 0, x_norm = 0, a_norm = 0;
  for (const T v : x) x_norm += static_cast<Quad>(v) * static_cast<Quad>(v);
  for (std::size_t i = 0; i < b.size(); ++i) {
    ExactSum sum;
    Quad row = 0;
    sum.add_product(b[i], 1);
    b_norm += static_cast<Quad>(b[i]) * static_cast<Quad>(b[i]);
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      sum.add_product(-a.val[k], x[static_cast<std::size_t>(a.col[k])]);
      row += std::abs(static_cast<long double>(a.val[k]));
    }
    const Quad r = sum.value();
    norm += r * r;
    a_norm = row > a_norm ? row : a_norm;
  }
  const auto root = [](Quad square) { return std::sqrt(static_cast<long double>(square)); };
  const long double size = root(norm), b_size = root(b_norm), largest = static_cast<long double>(a_norm);
  return {size, b_size, static_cast<double>(size / (b_size > 0 ? b_size : 1)),
          size == 0 ? 0 : static_cast<double>(size / (largest * root(x_norm) + b_size)), largest};
}

}  // namespace ostinato::test
