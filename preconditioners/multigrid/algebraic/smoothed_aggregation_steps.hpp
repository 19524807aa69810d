// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of smoothed_aggregation.hpp, on both spaces.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::algebraic {

/// Factors the near-null space on aggregate i, B = Q R with orthonormal columns of Q, and puts Q in the place of B. A
/// vector that depends on those before it gives a column 0 of Q and a row 0 of R.
///
/// Source    Gram-Schmidt, modified and done twice.
struct FactorAggregate {
  detail::CsrPattern members;  ///< the points of each aggregate
  Points points;
  int vectors;
  double* b;  ///< rows x vectors, row by row
  double* r;  ///< vectors x vectors for each aggregate, row by row

  static constexpr double dependent = 1e-8;  ///< what is left of a vector, in its norm

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto width = static_cast<std::size_t>(vectors);
    double* const factor = r + i * width * width;
    for (std::size_t k = 0; k < width * width; ++k) factor[k] = 0;
    for (int v = 0; v < vectors; ++v) {
      const double before = sqrt(dot(i, v, v));
      for (int pass = 0; pass < 2; ++pass) {
        for (int u = 0; u < v; ++u) {
          const double part = dot(i, u, v);
          factor[static_cast<std::size_t>(u * vectors + v)] += part;
          visit(i, [=](double* row) { row[v] -= part * row[u]; });
        }
      }
      const double left = sqrt(dot(i, v, v));
      const bool counts = left > dependent * before;
      factor[static_cast<std::size_t>(v * vectors + v)] = counts ? left : 0;
      const double inverse = counts ? 1 / left : 0;
      visit(i, [=](double* row) { row[v] *= inverse; });
    }
  }

  /// Calls f for the vectors' elements of each row of aggregate i.
  template <class F>
  OSTINATO_FUNCTION void visit(std::size_t i, F f) const {
    for (Offset k = members.row_ptr[i]; k < members.row_ptr[i + 1]; ++k) {
      for (int unknown = 0; unknown < points.unknowns; ++unknown)
        f(b + static_cast<std::size_t>(points.row(members.col[k], unknown)) * static_cast<std::size_t>(vectors));
    }
  }
  OSTINATO_FUNCTION double dot(std::size_t i, int u, int v) const {
    double total = 0;
    visit(i, [&total, u, v](const double* row) { total += row[u] * row[v]; });
    return total;
  }
};

/// The number of entries of row i of the tentative interpolation.
struct CountTentative {
  Points points;
  const Index* aggregate;
  Offset vectors;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    count[i] = aggregate[points.point_of(static_cast<Index>(i))] >= 0 ? vectors : 0;
  }
};

/// Row i of the tentative interpolation: that of Q.
template <class T>
struct FillTentative {
  Points points;
  const Index* aggregate;
  const double* q;
  int vectors;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Index of = aggregate[points.point_of(static_cast<Index>(i))];
    for (int v = 0; of >= 0 && v < vectors; ++v) {
      col[row_ptr[i] + v] = of * vectors + v;
      val[row_ptr[i] + v] = static_cast<T>(q[i * static_cast<std::size_t>(vectors) + static_cast<std::size_t>(v)]);
    }
  }
};

/// A matrix with the strong blocks of its points.
template <class T>
struct FilteredMatrix {
  detail::CsrPattern a;
  const T* val;
  Points points;
  detail::CsrPattern graph;
  const Index* strong;  ///< Aggregation::strong

  /// Whether entry k of row i belongs to a strong block, or to that of a point with itself.
  OSTINATO_FUNCTION bool keeps(std::size_t i, Offset k) const {
    const Index p = points.point_of(static_cast<Index>(i)), q = points.point_of(a.col[k]);
    if (p == q) return true;
    return strong[points.unknowns == 1 ? k : graph.first_from(p, q)] != p;
  }
};

/// The number of entries of row i that are kept.
template <class T>
struct CountStrongEntries {
  FilteredMatrix<T> m;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Offset kept = 0;
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) kept += m.keeps(i, k);
    count[i] = kept;
  }
};

/// Row i of I - damping D^-1 A_f, where A_f holds the entries that are kept, and on its diagonal D also the sum of the
/// others that couple an unknown with itself. D is that of A where lumping changes its sign.
template <class T>
struct FillSmoothing {
  FilteredMatrix<T> m;
  double damping;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    double own = 0, lumped = 0;
    Offset to = row_ptr[i];
    for (Offset k = m.a.row_ptr[i]; k < m.a.row_ptr[i + 1]; ++k) {
      const Index j = m.a.col[k];
      const auto v = static_cast<double>(m.val[k]);
      if (m.keeps(i, k)) {
        col[to] = j;
        val[to++] = m.val[k];
        if (j == row) own = v;
      } else if (m.points.unknown_of(j) == m.points.unknown_of(row)) {
        lumped += v;
      }
    }
    const double diagonal = (own + lumped) * own > 0 ? own + lumped : own;
    const double scale = diagonal == 0 ? 0 : -damping / diagonal;
    for (Offset k = row_ptr[i]; k < to; ++k) {
      const double v = col[k] == row ? 1 + scale * diagonal : scale * static_cast<double>(val[k]);
      val[k] = static_cast<T>(v);
    }
  }
};

}  // namespace ostinato::algebraic
