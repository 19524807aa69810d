// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The phases of zero_fill.hpp that go row after row, on spaces other than Cuda: one element of a loop does it all.

#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_rows.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// A group of one lane, in a space where rows come one after the other.
struct InTurn {
  static constexpr bool looks_ahead = false;

  OSTINATO_FUNCTION static constexpr int lane() { return 0; }
  OSTINATO_FUNCTION static constexpr int lanes() { return 1; }
  OSTINATO_FUNCTION static void sync() {}
  template <class V>
  OSTINATO_FUNCTION static bool look(const V* p, V& v) {
    v = *p;
    return true;
  }
  template <class V>
  OSTINATO_FUNCTION static void publish(V* p, V v) {
    *p = v;
  }
  template <class V>
  OSTINATO_FUNCTION static V largest(V v) {
    return v;
  }
  template <class V>
  OSTINATO_FUNCTION static V of_lane(V v, int) {
    return v;
  }
  OSTINATO_FUNCTION static unsigned all_bits(unsigned v) { return v; }
  OSTINATO_FUNCTION static bool any(bool v) { return v; }
  OSTINATO_FUNCTION static void raise(Index* p, Index v) { *p = *p < v ? v : *p; }
  OSTINATO_FUNCTION static double minus_product(double a, double b, double c) { return a - b * c; }
};

/// The levels of both triangles, by turns.
struct LevelsInTurn {
  Triangle lower;
  Index *level, *upper_level, *latest;

  OSTINATO_FUNCTION void operator()(std::size_t) const {
    latest[0] = latest[1] = -1;
    for (Index t = 0; t < lower.a.rows; ++t) {
      find_levels_of_rows(InTurn{}, lower, t, level, latest);
      find_levels_of_rows(InTurn{}, {lower.a, lower.after, true}, t, upper_level, latest + 1);
    }
  }
};

/// Factors all rows in the order of the matrix.
struct FactorInTurn {
  FactoredRows rows;
  ZeroFillKind kind;
  double parameter;
  FactorCounts* counts;

  OSTINATO_FUNCTION void operator()(std::size_t) const {
    counts->bad = -1;
    double diagonal = 0;
    const RowRoom room{&diagonal};
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.a.rows); ++i) {
      const bool counts_row = kind == ZeroFillKind::ilu ? rows.eliminate(InTurn{}, i, parameter, room)
                                                        : rows.decompose(InTurn{}, i, parameter, room);
      if (counts_row) ++counts->bad;
    }
  }
};

template <class Space>
Vector<Space, Index> find_levels(const Space& space, const Triangle& lower) {
  const auto n = static_cast<std::size_t>(lower.a.rows);
  Vector<Space, Index> level(space, 2 * n + 2);
  for_each(space, 1, LevelsInTurn{lower, level.data(), level.data() + n, level.data() + 2 * n});
  return level;
}

template <class Space>
void factor_rows(const Space& space, const FactoredRows& rows, Offset, const FactorOrder&, ZeroFillKind kind,
                 double parameter, FactorCounts* counts) {
  for_each(space, 1, FactorInTurn{rows, kind, parameter, counts});
}

}  // namespace ostinato::detail
