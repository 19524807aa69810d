// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The element-wise kernels of approximate_factored.hpp, on both spaces.

#include <cstddef>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/renumber_steps.hpp>
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

/// Row p of a triangle, from that row of a sweep whose place it is.
template <class V>
struct TriangleRows {
  const Offset* sweep_ptr;
  const Index* sweep_col;
  const V* sweep_val;
  const Index* where;  ///< the row of the sweep for each place
  const Index* place;  ///< the place of each column of the sweep; null: itself
  bool diagonal;       ///< rows end in a 1 on the diagonal
  Offset* row_ptr;

  OSTINATO_FUNCTION Offset length(std::size_t p) const {
    return sweep_ptr[where[p] + 1] - sweep_ptr[where[p]] + (diagonal ? 1 : 0);
  }
};

/// row_ptr[p] := entries of row p.
template <class V>
struct CountTriangleRow {
  TriangleRows<V> rows;

  OSTINATO_FUNCTION void operator()(std::size_t p) const { rows.row_ptr[p] = rows.length(p); }
};

/// The entries of row p.
template <class V>
struct FillTriangleRow {
  TriangleRows<V> rows;
  bool upper;  ///< the diagonal entry comes first
  Index* col;
  double* val;

  OSTINATO_FUNCTION void operator()(std::size_t p) const {
    Offset to = rows.row_ptr[p];
    if (rows.diagonal) {
      const Offset at = upper ? to++ : rows.row_ptr[p + 1] - 1;
      col[at] = static_cast<Index>(p);
      val[at] = 1;
    }
    for (Offset k = rows.sweep_ptr[rows.where[p]]; k < rows.sweep_ptr[rows.where[p] + 1]; ++k, ++to) {
      col[to] = rows.place != nullptr ? rows.place[rows.sweep_col[k]] : rows.sweep_col[k];
      val[to] = static_cast<double>(rows.sweep_val[k]);
    }
  }
};

}  // namespace ostinato::detail
