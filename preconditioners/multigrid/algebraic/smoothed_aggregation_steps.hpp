// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of smoothed_aggregation.hpp, on both spaces.

#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/preconditioners/signs.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::algebraic {

/// Row i of the motions of a rigid body: along each axis, and about it where there are more vectors; without these the
/// row of constants.
struct FillNearNull {
  Points points;
  int vectors;
  const double* place;  ///< points x axes, point by point; of rotations
  double* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    const int own = points.unknown_of(row), axes = points.unknowns;
    double* const b = to + i * static_cast<std::size_t>(vectors);
    for (int v = 0; v < axes; ++v) b[v] = v == own ? 1 : 0;
    if (vectors == axes) return;
    const double* const at = place + static_cast<std::size_t>(points.point_of(row)) * static_cast<std::size_t>(axes);
    int rotation = axes;
    for (int u = 0; u < axes; ++u) {
      for (int v = u + 1; v < axes; ++v, ++rotation) b[rotation] = own == u ? -at[v] : own == v ? at[u] : 0;
    }
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
    const double diagonal = have_same_sign(own + lumped, own) ? own + lumped : own;
    const double scale = diagonal == 0 ? 0 : -damping / diagonal;
    for (Offset k = row_ptr[i]; k < to; ++k) {
      const double v = col[k] == row ? 1 + scale * diagonal : scale * static_cast<double>(val[k]);
      val[k] = static_cast<T>(v);
    }
  }
};

}  // namespace ostinato::algebraic
