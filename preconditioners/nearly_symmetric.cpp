// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/nearly_symmetric.hpp>

#include <algorithm>
#include <cmath>

namespace ostinato {

bool is_nearly_symmetric(const CsrView<double>& a) {
  constexpr double asymmetry = 1e-6;
  if (a.rows != a.cols) return false;
  const Csr<double> t = transpose(a, checked);
  if (!std::equal(t.row_ptr.begin(), t.row_ptr.end(), a.row_ptr.begin(), a.row_ptr.end()) ||
      !std::equal(t.col.begin(), t.col.end(), a.col.begin(), a.col.end()))
    return false;
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
    const auto begin = static_cast<std::size_t>(a.row_ptr[i]), end = static_cast<std::size_t>(a.row_ptr[i + 1]);
    double largest = 0, difference = 0;
    for (std::size_t k = begin; k < end; ++k) {
      largest = std::max(largest, std::abs(a.val[k]));
      difference = std::max(difference, std::abs(a.val[k] - t.val[k]));
    }
    if (difference > asymmetry * largest) return false;
  }
  return true;
}

}  // namespace ostinato
