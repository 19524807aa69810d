// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/plain_star.hpp>

#include <algorithm>

namespace ostinato::multigrid {

namespace {

bool is_last(int end, int along) { return (end >> along & 1) != 0; }

}  // namespace

void PlainStar::find_scales(const ClassRoots& roots, const Extents& fine) {
  const Index n[3] = {fine.x, fine.y, fine.z};
  constexpr int digit[3] = {1, 3, 9};
  for (int end = 0; end < 8; ++end) {
    int number = 0;  // of the class; that of the first places stands for most rows, also where there are two places
    for (int k = 0; k < 3; ++k) number += is_last(end, k) && n[k] % 2 == 0 ? 2 * digit[k] : 0;
    next_scale[end] = static_cast<float>(roots[0] / roots[static_cast<std::size_t>(number)]);
  }
}

float PlainStar::mass_beside(int along, int end) const {
  float mass = 1;
  for (int k = 0; k < 3; ++k) mass *= k != along && is_last(end, k) ? axis[k].last_mass : 1;
  return mass;
}

float PlainStar::diagonal(int end) const {
  float sum = 0;
  for (int k = 0; k < 3; ++k) sum += mass_beside(k, end) * (is_last(end, k) ? axis[k].last_own : axis[k].own);
  return sum;
}

bool PlainStar::ends_differ() const {
  return std::any_of(axis, axis + 3, [](const Axis& a) { return a.last_own != a.own || a.last_mass != 1; });
}

bool PlainGrids::add(const Extents& e, int axes, bool star) {
  const Index n[3] = {e.x, e.y, e.z};
  so_far_ =
      so_far_ && axes == 7 && std::min({e.x, e.y, e.z}) >= 4 && (is_finest_ || (star && e.points() >= fewest_points));
  for (int axis = 0; axis < 3; ++axis) {
    so_far_ = so_far_ && (n[axis] % 2 == 0 || alike_[axis]);
    alike_[axis] = alike_[axis] && n[axis] % 2 != 0;
  }
  is_finest_ = false;
  return so_far_;
}

}  // namespace ostinato::multigrid
