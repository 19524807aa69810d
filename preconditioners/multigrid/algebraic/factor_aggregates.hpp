// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato {

class Cuda;

namespace algebraic {

/// Factors the near-null space on aggregate i, B = Q R with orthonormal columns of Q, and puts Q in the place of B. A
/// vector that depends on those before it gives a column 0 of Q and a row 0 of R.
///
/// Source    Gram-Schmidt, modified and done twice.
struct FactorAggregate {
  detail::CsrPattern members;  ///< the points of each aggregate
  Points points;
  int vectors;
  double* b;  ///< rows x vectors, row by row
  double* r;  ///< vectors x vectors for each aggregate, row by row; 0 before

  static constexpr double dependent = 1e-8;  ///< what is left of a vector, in its norm

  /// `lanes` share the rows of the aggregate: lanes.each(count, f) calls f(q) for those rows q < count that a lane has,
  /// and lanes.sum(count, f) gives each of them the sum of f(q) over all rows. A lane has the same rows each time.
  template <class Lanes>
  OSTINATO_FUNCTION void factor(std::size_t i, const Lanes& lanes) const {
    const auto width = static_cast<std::size_t>(vectors);
    double* const of_aggregate = r + i * width * width;
    const Offset count = (members.row_ptr[i + 1] - members.row_ptr[i]) * points.unknowns;
    const auto dot = [&](int u, int v) {
      return lanes.sum(count, [&](Offset q) {
        const double* const at = row(i, q);
        return at[u] * at[v];
      });
    };
    for (int v = 0; v < vectors; ++v) {
      const double before = sqrt(dot(v, v));
      for (int pass = 0; pass < 2; ++pass) {
        for (int u = 0; u < v; ++u) {
          const double part = dot(u, v);
          if (lanes.is_first()) of_aggregate[static_cast<std::size_t>(u * vectors + v)] += part;
          lanes.each(count, [&](Offset q) { row(i, q)[v] -= part * row(i, q)[u]; });
        }
      }
      const double left = sqrt(dot(v, v));
      const bool counts = left > dependent * before;
      if (lanes.is_first()) of_aggregate[static_cast<std::size_t>(v * vectors + v)] = counts ? left : 0;
      const double inverse = counts ? 1 / left : 0;
      lanes.each(count, [&](Offset q) { row(i, q)[v] *= inverse; });
    }
  }

 private:
  /// The vectors' elements of row q of aggregate i.
  OSTINATO_FUNCTION double* row(std::size_t i, Offset q) const {
    const Index point = members.col[members.row_ptr[i] + q / points.unknowns];
    const Index at = points.row(point, static_cast<int>(q % points.unknowns));
    return b + static_cast<std::size_t>(at) * static_cast<std::size_t>(vectors);
  }
};

/// One lane has all rows.
struct OneLane {
  OSTINATO_FUNCTION static bool is_first() { return true; }
  template <class F>
  OSTINATO_FUNCTION void each(Offset count, F f) const {
    for (Offset q = 0; q < count; ++q) f(q);
  }
  template <class F>
  OSTINATO_FUNCTION double sum(Offset count, F f) const {
    double total = 0;
    for (Offset q = 0; q < count; ++q) total += f(q);
    return total;
  }
};

struct FactorAlone {
  FactorAggregate f;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { f.factor(i, OneLane{}); }
};

/// Calls f.factor() for each of so many aggregates. On Cuda a warp has an aggregate. The same bits on every run.
/// Exec      Enqueued on Cuda.
template <class Space>
void factor_aggregates(const Space& space, std::size_t aggregates, const FactorAggregate& f) {
  for_each(space, aggregates, FactorAlone{f});
}
void factor_aggregates(const Cuda& space, std::size_t aggregates, const FactorAggregate& f);

}  // namespace algebraic
}  // namespace ostinato
