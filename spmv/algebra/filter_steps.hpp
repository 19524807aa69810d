// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of filter.hpp, for both spaces.

#include <cmath>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// A matrix and the rule by which entries stay.
template <class T>
struct Filtered {
  CsrPattern a;
  const T* val;
  double tolerance;
  bool lump;

  /// The smallest magnitude that stays in row i; negative when all entries stay.
  OSTINATO_FUNCTION double bound(std::size_t i) const {
    double largest = 0;
    bool has_diagonal = false;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double magnitude = fabs(static_cast<double>(val[k]));
      if (a.col[k] == static_cast<Index>(i)) {
        has_diagonal = true;
      } else if (magnitude > largest) {
        largest = magnitude;
      }
    }
    return lump && !has_diagonal ? -1 : tolerance * largest;
  }

  OSTINATO_FUNCTION bool stays(std::size_t i, Offset k, double bound) const {
    const double magnitude = fabs(static_cast<double>(val[k]));
    return a.col[k] == static_cast<Index>(i) || !(magnitude < bound || (magnitude == 0 && bound >= 0));
  }
};

/// count[i] := entries of row i that stay.
template <class T>
struct CountFiltered {
  Filtered<T> filtered;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const double bound = filtered.bound(i);
    Offset n = 0;
    for (Offset k = filtered.a.row_ptr[i]; k < filtered.a.row_ptr[i + 1]; ++k) n += filtered.stays(i, k, bound);
    count[i] = n;
  }
};

/// Writes the entries that stay.
template <class T>
struct FillFiltered {
  Filtered<T> filtered;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const double bound = filtered.bound(i);
    Offset at = row_ptr[i], on_diagonal = -1;
    T dropped = 0;
    for (Offset k = filtered.a.row_ptr[i]; k < filtered.a.row_ptr[i + 1]; ++k) {
      if (!filtered.stays(i, k, bound)) {
        dropped += filtered.val[k];
        continue;
      }
      if (filtered.a.col[k] == static_cast<Index>(i)) on_diagonal = at;
      col[at] = filtered.a.col[k];
      val[at++] = filtered.val[k];
    }
    if (filtered.lump && on_diagonal >= 0) val[on_diagonal] += dropped;
  }
};

}  // namespace ostinato::detail
