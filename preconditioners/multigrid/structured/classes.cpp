// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/classes.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

namespace ostinato::multigrid {

namespace {

int class_of(const Extents& e, Index x, Index y, Index z) {
  return place(x, e.x) + 3 * place(y, e.y) + 9 * place(z, e.z);
}
/// The places that points of an axis have, and the steps between them: a single point has one place and no steps.
int places_along(Index n) { return n == 1 ? 1 : 3; }
int middle_class(const Extents& e) { return class_of(e, e.x / 2, e.y / 2, e.z / 2); }

/// The weights of a coarse point for the fine points at steps -1, 0 and 1 along one axis, by the 1-D operator of that
/// axis: the row of class `at` in the middle of the other axes, summed over those.
std::array<double, 3> line_weights(const Classes& rows, const Extents& e, int axis, int at) {
  const int digit[3] = {1, 3, 9};
  const int middle = middle_class(e);
  const auto& row = rows[static_cast<std::size_t>(middle + (at - middle / digit[axis] % 3) * digit[axis])];
  double line[3] = {};
  for (int k = 0; k < neighbours; ++k) line[k / digit[axis] % 3] += row[static_cast<std::size_t>(k)];
  if (!(line[1] > 1e-4 * row[centre])) return {0, 1, 0};
  return {-line[2] / line[1], 1, -line[0] / line[1]};
}

/// The 125 classes of the points of a grid, each with a point that stands for it. Classes that a small grid doesn't
/// have get one of its points, or nothing where y or z has one point only. Steps lead from a point to its neighbours,
/// or from a coarse point to those of the fine grid.
class ClassPoints {
 public:
  explicit ClassPoints(const Extents& e) : ClassPoints(e, e, {false, false, false}) {}
  ClassPoints(const Extents& e, const Extents& fine, const Halving& halved)
      : axis_{Places(e.x, fine.x, halved.x, 1), Places(e.y, fine.y, halved.y, 3), Places(e.z, fine.z, halved.z, 9)} {}

  /// The class, one of 27, of the point that a step leads to from that of places x, y and z; -1 outside of the grid.
  int beside(int x, int y, int z, const Step& d) const {
    const int along_x = axis_[0].beside[d.x + 1][x], along_y = axis_[1].beside[d.y + 1][y],
              along_z = axis_[2].beside[d.z + 1][z];
    return along_x < 0 || along_y < 0 || along_z < 0 ? -1 : along_x + along_y + along_z;
  }

  /// Calls f(number, to) for the classes from whose points the step doesn't lead out of the grid, with the class, one
  /// of 27, of the point that it leads to.
  template <class F>
  void visit(const Step& d, F f) const {
    const auto &x_to = axis_[0].beside[d.x + 1], &y_to = axis_[1].beside[d.y + 1], &z_to = axis_[2].beside[d.z + 1];
    for (int z = 0; z < axis_[2].count; ++z) {
      for (int y = 0; y < axis_[1].count && z_to[z] >= 0; ++y) {
        for (int x = 0; x < 5 && y_to[y] >= 0; ++x) {
          if (x_to[x] >= 0)
            f(static_cast<std::size_t>(x + 5 * (y + 5 * z)), static_cast<std::size_t>(x_to[x] + y_to[y] + z_to[z]));
        }
      }
    }
  }

  /// The class, one of 27, of each point.
  std::array<std::size_t, scaled_classes> own() const {
    std::array<std::size_t, scaled_classes> all;
    auto at = all.begin();
    for (const int z : axis_[2].own) {
      for (const int y : axis_[1].own) {
        for (const int x : axis_[0].own) *at++ = static_cast<std::size_t>(x + y + z);
      }
    }
    return all;
  }

 private:
  /// The five places along an axis. A class of three places counts `digit` times.
  struct Places {
    int count;  ///< of places that are looked up: an axis of one point has only the first
    int own[5], beside[3][5];

    Places(Index n, Index fine, bool halved, int digit) : count(n == 1 ? 1 : 5) {
      const Index points[] = {0, 1, n / 2, n - 2, n - 1};
      for (int k = 0; k < 5; ++k) {
        const Index at = std::clamp(points[k], Index{0}, n - 1);
        own[k] = digit * place(at, n);
        for (int step = -1; step <= 1; ++step) {
          const Index to = Halving::fine(halved, at) + step;
          beside[step + 1][k] = to < 0 || to >= fine ? -1 : digit * place(to, fine);
        }
      }
    }
  };

  Places axis_[3];
};

/// A coefficient and the step that it is for.
struct Coefficient {
  std::size_t k;     ///< number of the step
  std::size_t slot;  ///< first element of its 125 classes
  Step step;
};

/// The coefficients that have a slot, in the order of their slots.
std::vector<Coefficient> coefficients_of(const signed char (&slot)[neighbours], int count) {
  std::vector<Coefficient> all(static_cast<std::size_t>(count));
  for (int k = 0; k < neighbours; ++k) {
    if (slot[k] < 0) continue;
    const auto c = static_cast<std::size_t>(slot[k]);
    all[c] = {static_cast<std::size_t>(k), c * scaled_classes, Step::of(k)};
  }
  return all;
}
std::vector<Coefficient> coefficients_of(int dimensions, bool star) {
  signed char slot[neighbours];
  const int count = number_slots(slot, dimensions, star);
  return coefficients_of(slot, count);
}
std::vector<Coefficient> coefficients_of(const Halving& halved) {
  signed char slot[neighbours];
  const int count = number_slots(slot, halved);
  return coefficients_of(slot, count);
}

ClassRoots inverses(const ClassRoots& roots) {
  ClassRoots inverse;
  std::transform(roots.begin(), roots.end(), inverse.begin(), [](double root) { return 1 / root; });
  return inverse;
}

/// The even part of the coefficients of a table. One that leads out of the grid doesn't count.
EvenPart even_part(const std::vector<float>& by_class, const Extents& e, const ClassPoints& points,
                   const std::vector<Coefficient>& coefficients) {
  const int middle[3] = {scaled_place(e.x / 2, e.x), scaled_place(e.y / 2, e.y), scaled_place(e.z / 2, e.z)};
  const auto even = static_cast<std::size_t>(middle[0] + 5 * middle[1] + 25 * middle[2]);
  const auto is_even = [&](int x, int y, int z) {
    const auto number = static_cast<std::size_t>(x + 5 * (y + 5 * z));
    return std::all_of(coefficients.begin(), coefficients.end(), [&](const Coefficient& c) {
      return by_class[c.slot + number] == by_class[c.slot + even] || points.beside(x, y, z, c.step) < 0;
    });
  };
  // A box of places, from that of the middle: each side moves out while all classes of the box are even.
  int low[3] = {middle[0], middle[1], middle[2]}, high[3] = {middle[0], middle[1], middle[2]};
  const auto layer_is_even = [&](int axis, int place) {
    int from[3] = {low[0], low[1], low[2]}, to[3] = {high[0], high[1], high[2]};
    from[axis] = to[axis] = place;
    for (int z = from[2]; z <= to[2]; ++z) {
      for (int y = from[1]; y <= to[1]; ++y) {
        for (int x = from[0]; x <= to[0]; ++x) {
          if (!is_even(x, y, z)) return false;
        }
      }
    }
    return true;
  };
  for (int axis = 0; axis < 3; ++axis) {
    while (low[axis] > 0 && layer_is_even(axis, low[axis] - 1)) --low[axis];
    while (high[axis] < 4 && layer_is_even(axis, high[axis] + 1)) ++high[axis];
  }
  EvenPart part;
  for (const Coefficient& c : coefficients) part.values.push_back(by_class[c.slot + even]);
  const auto from = [](int place, Index n) { return place < 3 ? Index{place} : n - 5 + place; };
  const auto until = [](int place, Index n) { return place < 2 ? Index{place + 1} : n - 4 + place; };
  part.begin = {from(low[0], e.x), from(low[1], e.y), from(low[2], e.z)};
  part.end = {until(high[0], e.x), until(high[1], e.y), until(high[2], e.z)};
  return part;
}

}  // namespace

EvenPart even_values(const std::vector<float>& by_class, const Extents& e) {
  return even_part(by_class, e, ClassPoints(e), {{centre, 0, {0, 0, 0}}});
}

EvenPart even_rows(const std::vector<float>& by_class, const Extents& e, int dimensions, bool star) {
  EvenPart part = even_part(by_class, e, ClassPoints(e), coefficients_of(dimensions, star));
  part.values.pop_back();
  return part;
}

EvenPart even_weights(const std::vector<float>& by_class, const Extents& e, const Extents& next, const Halving& h) {
  return even_part(by_class, next, ClassPoints(next, e, h), coefficients_of(h));
}

bool is_plain(const Classes& rows, const Extents& e, int dimensions, bool star) {
  if (dimensions != 3 || !star || std::min({e.x, e.y, e.z}) < 4) return false;
  constexpr double rounding = 1e-6;  // of interpolation weights in float
  const auto& middle = rows[static_cast<std::size_t>(middle_class(e))];
  double total = 0;
  for (std::size_t k = 0; k < neighbours; ++k) {
    if (middle[k] != middle[2 * centre - k] || (k != centre && middle[k] > 0)) return false;
    total += middle[k];
  }
  if (!(std::abs(total) <= rounding * middle[centre])) return false;
  for (int number = 0; number < neighbours; ++number) {
    const int at[3] = {number % 3, number / 3 % 3, number / 9};
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const int step[3] = {d.x, d.y, d.z};
      bool is_there = true;
      for (int axis = 0; axis < 3; ++axis) is_there = is_there && (at[axis] == 1 || step[axis] != at[axis] - 1);
      const auto c = static_cast<std::size_t>(k);
      if (is_there && rows[static_cast<std::size_t>(number)][c] != middle[c]) return false;
    }
  }
  return true;
}

void couplings(const Classes& rows, const Extents& e, double (&strength)[3]) {
  const auto& row = rows[static_cast<std::size_t>(middle_class(e))];
  double side[3][2] = {};
  for (int k = 0; k < neighbours; ++k) {
    const Step d = Step::of(k);
    const int step[3] = {d.x, d.y, d.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (step[axis] != 0) side[axis][step[axis] > 0] += row[static_cast<std::size_t>(k)];
    }
  }
  for (int axis = 0; axis < 3; ++axis) strength[axis] = std::abs(side[axis][0]) + std::abs(side[axis][1]);
}

double largest_row(const Classes& rows) {
  double largest = 0;
  for (const auto& row : rows) {
    double total = 0;
    for (const double v : row) total += std::abs(v);
    if (row[centre] > 0) largest = std::max(largest, total / row[centre]);
  }
  return largest;
}

ClassRoots roots_of(const Classes& rows) {
  ClassRoots roots;
  for (std::size_t c = 0; c < neighbours; ++c) roots[c] = rows[c][centre] > 0 ? std::sqrt(rows[c][centre]) : 1;
  return roots;
}

double root_at(const ClassRoots& roots, const Extents& e, Index x, Index y, Index z) {
  return roots[static_cast<std::size_t>(class_of(e, x, y, z))];
}

std::vector<float> inverse_roots(const ClassRoots& roots, const Extents& e) {
  std::vector<float> inverse;
  for (const std::size_t own : ClassPoints(e).own()) inverse.push_back(static_cast<float>(1 / roots[own]));
  return inverse;
}

std::vector<float> scaled_operator(const Classes& rows, const ClassRoots& roots, const Extents& e, int dimensions,
                                   bool star) {
  const std::vector<Coefficient> coefficients = coefficients_of(dimensions, star);
  std::vector<float> scaled(coefficients.size() * scaled_classes);
  const ClassRoots inverse = inverses(roots);
  const ClassPoints points(e);
  const auto own = points.own();
  for (const Coefficient& c : coefficients) {
    points.visit(c.step, [&, values = scaled.data() + c.slot](std::size_t number, std::size_t to) {
      values[number] = static_cast<float>(rows[own[number]][c.k] * (inverse[own[number]] * inverse[to]));
    });
  }
  return scaled;
}

HalvedClasses::HalvedClasses(const Classes& rows, const Extents& e, int axes)
    : halved(halving(axes)), fine_(e), coarse_(halved.of(e)), rows_(rows) {
  const bool is_halved[3] = {halved.x, halved.y, halved.z};
  for (int axis = 0; axis < 3; ++axis) {
    for (int at = 0; at < 3; ++at)
      line_[axis][static_cast<std::size_t>(at)] =
          is_halved[axis] ? line_weights(rows, fine_, axis, at) : std::array<double, 3>{0, 1, 0};
  }
}

template <int Axis>
void HalvedClasses::halve(Classes& rows) const {
  constexpr int digit = Axis == 0 ? 1 : Axis == 1 ? 3 : 9, up = Axis == 0 ? 3 : 1, far = Axis == 2 ? 3 : 9;
  // The classes and the steps of the other axes, by their extents by now.
  const int up_places = places_along(Axis == 0 ? fine_.y : coarse_.x),
            far_places = places_along(Axis == 2 ? coarse_.y : fine_.z);
  std::size_t classes[9], steps[9], count = 0;
  for (int v = 0; v < far_places; ++v) {
    for (int u = 0; u < up_places; ++u) {
      const int step_up = up_places == 1 ? 1 : u, step_far = far_places == 1 ? 1 : v;  // 1 is no step
      classes[count] = static_cast<std::size_t>(u * up + v * far);
      steps[count++] = static_cast<std::size_t>(step_up * up + step_far * far);
    }
  }
  Classes made{};
  for_terms(Axis, [&](int at, Index e, int place_of_fine, Index a, double factor) {
    const auto from_row = static_cast<std::size_t>(digit * place_of_fine), row = static_cast<std::size_t>(digit * at),
               from = static_cast<std::size_t>(digit * (a + 1)), to = static_cast<std::size_t>(digit * (e + 1));
    for (const std::size_t c : std::span(classes, count)) {
      for (const std::size_t k : std::span(steps, count))
        made[row + c][to + k] += factor * rows[from_row + c][from + k];
    }
  });
  rows = made;
}

Classes HalvedClasses::galerkin_rows() const {
  Classes made = rows_;
  if (halved.x) halve<0>(made);
  if (halved.y) halve<1>(made);
  if (halved.z) halve<2>(made);
  // Coefficients that lead out of the grid are left out.
  const auto at = [](int place, Index n) { return place == 0 ? 0 : place == 2 ? n - 1 : n / 2; };
  const auto first = [](Index i) { return i > 0 ? -1 : 0; };
  const auto last = [](Index i, Index n) { return i + 1 < n ? 1 : 0; };
  Classes rows{};
  for (int number = 0; number < neighbours; ++number) {
    const Index x = at(number % 3, coarse_.x), y = at(number / 3 % 3, coarse_.y), z = at(number / 9, coarse_.z);
    const double* const from = made[static_cast<std::size_t>(class_of(coarse_, x, y, z))].data() + centre;
    double* const to = rows[static_cast<std::size_t>(number)].data() + centre;
    for (int w = first(z); w <= last(z, coarse_.z); ++w) {
      for (int v = first(y); v <= last(y, coarse_.y); ++v) {
        for (int u = first(x); u <= last(x, coarse_.x); ++u) to[u + 3 * v + 9 * w] = from[u + 3 * v + 9 * w];
      }
    }
  }
  return rows;
}

std::vector<float> HalvedClasses::scaled_weights(const ClassRoots& roots, const ClassRoots& next_roots) const {
  const std::vector<Coefficient> coefficients = coefficients_of(halved);
  std::vector<float> scaled(coefficients.size() * scaled_classes);
  const ClassRoots next_inverse = inverses(next_roots);
  const ClassPoints points(coarse_, fine_, halved);
  const auto own = points.own();
  for (const Coefficient& c : coefficients) {
    ClassRoots weight;  // of the fine points, times their roots
    const auto along = [&](int axis, int place, Index step) {
      return line_[axis][static_cast<std::size_t>(place)][static_cast<std::size_t>(step + 1)];
    };
    std::size_t k = 0;
    for (int z = 0; z < places_along(fine_.z); ++z) {
      for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x, ++k)
          weight[k] = along(0, x, c.step.x) * along(1, y, c.step.y) * along(2, z, c.step.z) * roots[k];
      }
    }
    points.visit(c.step, [&, values = scaled.data() + c.slot](std::size_t number, std::size_t to) {
      values[number] = static_cast<float>(weight[to] * next_inverse[own[number]]);
    });
  }
  return scaled;
}

}  // namespace ostinato::multigrid
