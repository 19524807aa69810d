// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel that counts rows for positive_rows.hpp, on both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// Counts those of some rows, `step` rows from each other, in which the entries with the sign of the diagonal are more
/// than `share` of the sum of all beside it, by size; and those whose diagonal exceeds that sum by more than `excess`
/// of itself.
template <class T>
struct CountPositiveRows {
  CsrPattern a;
  const T* val;
  std::size_t step;
  double share, excess;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t number) const {
    const std::size_t i = number * step;
    const Index row = static_cast<Index>(i);
    double positive = 0, negative = 0, diagonal = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double v = static_cast<double>(val[k]);
      if (a.col[k] == row) {
        diagonal = v;
      } else if (v > 0) {
        positive += v;
      } else {
        negative -= v;
      }
    }
    const double with_its_sign = diagonal < 0 ? negative : positive, own = diagonal < 0 ? -diagonal : diagonal;
    const double beside = positive + negative;
    return {{with_its_sign > share * beside ? 1.0 : 0.0, own - beside > excess * own ? 1.0 : 0.0}};
  }
};

}  // namespace ostinato::detail
