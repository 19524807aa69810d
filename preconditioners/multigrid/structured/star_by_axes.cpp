// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/star_by_axes.hpp>

#include <algorithm>
#include <cmath>

namespace ostinato::multigrid {

namespace {

constexpr int digit[3] = {1, 3, 9};  ///< what a place or a step along an axis counts in a class or a neighbour

/// What a row at a side adds up to at least, of a neighbour's coefficient: 1 where the solution is given a step
/// outside. With a half CG takes two thirds of an iteration more.
constexpr double held = 0.9;

std::size_t neighbour_of(int axis, int step) { return static_cast<std::size_t>(centre + step * digit[axis]); }

}  // namespace

std::optional<StarByAxes> StarByAxes::of(const Classes& rows, const Extents& e) {
  if (std::min({e.x, e.y, e.z}) < 3) return {};
  StarByAxes star;
  constexpr int middle_class = 1 + 3 + 9;
  const auto& middle = rows[middle_class];
  const double rounding = 1e-6 * middle[centre];  // of matrices in float
  star.shift_ = middle[centre];
  for (int axis = 0; axis < 3; ++axis) {
    Axis& a = star.axis_[axis];
    std::fill_n(a.d, 3, 1.0);
    const double side = middle[neighbour_of(axis, 1)];
    if (!(side <= 0) || !(std::abs(side - middle[neighbour_of(axis, -1)]) <= rounding)) return {};
    star.shift_ += 2 * side;
    for (int at = 0; at < 3; ++at) {
      const auto& row = rows[static_cast<std::size_t>(middle_class + (at - 1) * digit[axis])];
      a.k[at][0] = at > 0 ? side : 0;
      a.k[at][2] = at < 2 ? side : 0;
      a.k[at][1] = row[centre] - middle[centre] - 2 * side;
      const double sum = a.k[at][0] + a.k[at][1] + a.k[at][2], least = at == 1 ? -rounding : -held * side;
      if (!(sum >= least)) return {};
    }
  }
  if (!(std::abs(star.shift_) <= rounding)) return {};
  star.shift_ = std::max(star.shift_, 0.0);
  return star.has_rows(rows, rounding) ? std::optional(star) : std::nullopt;
}

bool StarByAxes::has_rows(const Classes& other, double rounding) const {
  const Classes own = rows();
  for (int number = 0; number < neighbours; ++number) {
    const int place[3] = {number % 3, number / 3 % 3, number / 9};
    for (int k = 0; k < neighbours; ++k) {
      const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      const auto leads_out = [&](int axis) { return place[axis] + step[axis] < 0 || place[axis] + step[axis] > 2; };
      if (leads_out(0) || leads_out(1) || leads_out(2)) continue;
      const auto row = static_cast<std::size_t>(number), c = static_cast<std::size_t>(k);
      if (!(std::abs(own[row][c] - other[row][c]) <= rounding)) return false;
    }
  }
  return true;
}

void StarByAxes::halve(const HalvedClasses& next) {
  for (int axis = 0; axis < 3; ++axis) {
    const Axis fine = axis_[axis];
    Axis& made = axis_[axis] = {};
    next.for_terms(axis, [&](int at, Index e, int from, Index a, double factor) {
      made.k[at][e + 1] += factor * fine.k[from][a + 1];
    });
    next.for_weights(axis, [&](int at, int from, double weight) { made.d[at] += weight * fine.d[from]; });
  }
}

double StarByAxes::term(int axis, int step, const int (&place)[3]) const {
  double value = axis_[axis].k[place[axis]][step + 1];
  for (int other = 0; other < 3; ++other) value *= other == axis ? 1 : axis_[other].d[place[other]];
  return value;
}

PlainStar StarByAxes::plain() const {
  constexpr int first[3] = {0, 0, 0};  // place 1 of an axis of two points is the last one
  double diagonal = 0;
  for (int axis = 0; axis < 3; ++axis) diagonal += term(axis, 0, first);
  PlainStar star;
  for (int axis = 0; axis < 3; ++axis) {
    int last[3] = {0, 0, 0};
    last[axis] = 2;
    const auto of_diagonal = [&](double value) { return static_cast<float>(value / diagonal); };
    star.axis[axis] = {of_diagonal(term(axis, 1, first)), of_diagonal(term(axis, 0, first)),
                       of_diagonal(term(axis, 0, last)), static_cast<float>(axis_[axis].d[2] / axis_[axis].d[0])};
  }
  return star;
}

Classes StarByAxes::rows() const {
  Classes rows{};
  for (int number = 0; number < neighbours; ++number) {
    const int place[3] = {number % 3, number / 3 % 3, number / 9};
    auto& row = rows[static_cast<std::size_t>(number)];
    row[centre] = shift_;
    for (int axis = 0; axis < 3; ++axis) row[centre] *= axis_[axis].d[place[axis]];
    for (int axis = 0; axis < 3; ++axis) {
      row[centre] += term(axis, 0, place);
      for (const int step : {-1, 1}) row[neighbour_of(axis, step)] = term(axis, step, place);
    }
  }
  return rows;
}

}  // namespace ostinato::multigrid
