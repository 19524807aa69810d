// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The element-wise kernels of approximate_factored.hpp, on both spaces.

#include <cmath>
#include <cstddef>

#include <ostinato/preconditioners/triangular/scale_range.hpp>
#include <ostinato/preconditioners/triangular/triangle.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/ordering/renumber_steps.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// to[k] := from[k]. The sum counts elements that aren't finite then.
template <class V>
struct RoundElements {
  const double* from;
  V* to;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t k) const {
    to[k] = static_cast<V>(from[k]);
    return {{to[k] - to[k] == V{0} ? 0.0 : 1.0}};
  }
};

/// to[i] := scale[i] from[source[i]]; without a source from[i], without scales unscaled.
template <class From, class To>
struct MoveScaled {
  const From* from;
  const Index* source;
  const double* scale;
  To* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto at = source != nullptr ? static_cast<std::size_t>(source[i]) : i;
    const double v = static_cast<double>(from[at]);
    to[i] = static_cast<To>(scale != nullptr ? scale[i] * v : v);
  }
};

/// The rows of a triangle of factors in place.
struct UnitRows {
  Triangle triangle;
  const double *val, *over;  ///< over: what rows are divided by; null: 1
  bool diagonal;             ///< rows have a 1 on the diagonal

  OSTINATO_FUNCTION Offset length(std::size_t i) const {
    return triangle.end(i) - triangle.begin(i) + (diagonal ? 1 : 0);
  }
};

/// count[i] := entries of row i.
struct CountUnitRow {
  UnitRows rows;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { count[i] = rows.length(i); }
};

/// The entries of row i.
struct FillUnitRow {
  UnitRows rows;
  const Offset* row_ptr;
  Index* col;
  double* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Triangle& triangle = rows.triangle;
    Offset to = row_ptr[i];
    if (rows.diagonal) {
      const Offset at = triangle.upper ? to++ : row_ptr[i + 1] - 1;
      col[at] = static_cast<Index>(i);
      val[at] = 1;
    }
    for (Offset k = triangle.begin(i); k < triangle.end(i); ++k, ++to) {
      col[to] = triangle.a.col[k];
      val[to] = rows.over != nullptr ? 1 / rows.over[i] * rows.val[k] : rows.val[k];
    }
  }
};

/// place[row[i]] := i, the row of A whose place is i; null: the same. over_pivot[row[i]] := 1 / pivot[i]. Counts those
/// that are 0 in V, or leave its range or the magnitudes from `least` to `largest`.
template <class V>
struct PlaceRows {
  const Index* row;
  const double* pivot;
  ScaleRange<V> range;
  Index* place;
  double* over_pivot;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const std::size_t to = row == nullptr ? i : static_cast<std::size_t>(row[i]);
    const double exact = 1 / pivot[i];
    place[to] = static_cast<Index>(i);
    over_pivot[to] = exact;
    return {{range.holds(exact) ? 0.0 : 1.0}};
  }
};

}  // namespace ostinato::detail
