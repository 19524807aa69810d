// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the set-up of a hierarchy numbers the coefficients of an operator and of interpolation.

#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>

namespace ostinato::multigrid {

inline bool has_neighbour(int k, int dimensions, bool star) {
  const Step d = Step::of(k);
  return k != centre && (dimensions > 2 || d.z == 0) && (dimensions > 1 || d.y == 0) && (!star || d.axes() == 1);
}

/// Numbers the coefficients of the neighbours that `has` says, in ascending order. Returns their number.
template <class Has>
int number_slots(signed char (&slot)[neighbours], Has has) {
  int count = 0;
  for (int k = 0; k < neighbours; ++k) slot[k] = static_cast<signed char>(has(k) ? count++ : -1);
  return count;
}

/// Numbers the coefficients of an operator: its neighbours, then the centre.
inline int number_slots(signed char (&slot)[neighbours], int dimensions, bool star) {
  const int count = number_slots(slot, [=](int k) { return has_neighbour(k, dimensions, star); });
  slot[centre] = static_cast<signed char>(count);
  return count + 1;
}

inline int number_slots(signed char (&slot)[neighbours], const Halving& halved) {
  return number_slots(slot, [&](int k) { return halved.has(Step::of(k)); });
}

inline Halving halving(int axes) { return {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}; }

template <class F>
void for_points(const Extents& e, F f) {
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index x = 0; x < e.x; ++x) f(x, y, z);
    }
  }
}

}  // namespace ostinato::multigrid
