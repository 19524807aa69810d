// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/classes.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/slots.hpp>

namespace ostinato::multigrid {

namespace {

int class_of(const Extents& e, Index x, Index y, Index z) {
  return place(x, e.x) + 3 * place(y, e.y) + 9 * place(z, e.z);
}
int middle_class(const Extents& e) { return class_of(e, e.x / 2, e.y / 2, e.z / 2); }

/// The weight of a coarse point for a fine point at step d along one axis, by the 1-D operator of that axis: the row of
/// class `at` in the middle of the other axes, summed over those.
double line_weight(const Classes& rows, const Extents& e, int axis, int at, int d) {
  if (d == 0) return 1;
  const int digit[3] = {1, 3, 9};
  const int middle = middle_class(e), row = middle + (at - middle / digit[axis] % 3) * digit[axis];
  double side = 0, own = 0;
  for (int k = 0; k < neighbours; ++k) {
    const int step = k / digit[axis] % 3 - 1;
    if (step == 0) own += rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)];
    if (step == -d) side += rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)];
  }
  return own > 1e-4 * rows[static_cast<std::size_t>(row)][centre] ? -side / own : 0;
}

/// The points that stand for the 125 classes. Classes that a small grid doesn't have get one of its points.
class ClassPoints {
 public:
  explicit ClassPoints(const Extents& e) {
    const Index extent[3] = {e.x, e.y, e.z};
    for (int axis = 0; axis < 3; ++axis) {
      const Index n = extent[axis], points[] = {0, 1, n / 2, n - 2, n - 1};
      for (int place = 0; place < 5; ++place) {
        at_[axis][place] = std::clamp(points[place], Index{0}, n - 1);
        first_[axis][place] = static_cast<int>(std::find(at_[axis], at_[axis] + place, at_[axis][place]) - at_[axis]);
      }
    }
  }

  std::array<Index, 3> operator[](int number) const {
    return {at_[0][number % 5], at_[1][number / 5 % 5], at_[2][number / 25]};
  }
  /// The first class with the same point.
  int first(int number) const {
    return first_[0][number % 5] + 5 * first_[1][number / 5 % 5] + 25 * first_[2][number / 25];
  }

  /// Calls f(number, x, y, z) for each point once, and copies what it wrote to the other classes of the point.
  template <class F>
  void fill(std::vector<float>& by_class, F f) const {
    for (int number = 0; number < scaled_classes; ++number) {
      const auto [x, y, z] = (*this)[number];
      const int same = first(number);
      if (same == number) {
        f(static_cast<std::size_t>(number), x, y, z);
      } else {
        for (std::size_t c = 0; c < by_class.size(); c += scaled_classes)
          by_class[c + static_cast<std::size_t>(number)] = by_class[c + static_cast<std::size_t>(same)];
      }
    }
  }

 private:
  Index at_[3][5];
  int first_[3][5];
};

ClassRoots inverses(const ClassRoots& roots) {
  ClassRoots inverse;
  std::transform(roots.begin(), roots.end(), inverse.begin(), [](double root) { return 1 / root; });
  return inverse;
}

}  // namespace

EvenPart even_part(const std::vector<float>& by_class, const Extents& e,
                   const std::function<bool(Index x, Index y, Index z, int c)>& matters) {
  const int count = static_cast<int>(by_class.size()) / scaled_classes;
  const int middle[3] = {scaled_place(e.x / 2, e.x), scaled_place(e.y / 2, e.y), scaled_place(e.z / 2, e.z)};
  const auto value = [&](int c, int number) { return by_class[static_cast<std::size_t>(c * scaled_classes + number)]; };
  const int even = middle[0] + 5 * middle[1] + 25 * middle[2];
  const ClassPoints points(e);
  std::array<bool, scaled_classes> is_even;
  for (int number = 0; number < scaled_classes; ++number) {
    const auto [x, y, z] = points[number];
    const int same = points.first(number);
    auto& all = is_even[static_cast<std::size_t>(number)];
    all = same == number || is_even[static_cast<std::size_t>(same)];
    for (int c = 0; all && same == number && c < count; ++c)
      all = value(c, number) == value(c, even) || !matters(x, y, z, c);
  }
  // A box of places, from that of the middle: each side moves out while all classes of the box are even.
  int low[3] = {middle[0], middle[1], middle[2]}, high[3] = {middle[0], middle[1], middle[2]};
  const auto box_is_even = [&] {
    for (int number = 0; number < scaled_classes; ++number) {
      const int place[3] = {number % 5, number / 5 % 5, number / 25};
      bool inside = true;
      for (int axis = 0; axis < 3; ++axis) inside = inside && place[axis] >= low[axis] && place[axis] <= high[axis];
      if (inside && !is_even[static_cast<std::size_t>(number)]) return false;
    }
    return true;
  };
  for (int axis = 0; axis < 3; ++axis) {
    while (low[axis] > 0 && (--low[axis], !box_is_even() ? (++low[axis], false) : true)) {
    }
    while (high[axis] < 4 && (++high[axis], !box_is_even() ? (--high[axis], false) : true)) {
    }
  }
  const auto from = [](int place, Index n) { return place < 3 ? Index{place} : n - 5 + place; };
  const auto until = [](int place, Index n) { return place < 2 ? Index{place + 1} : n - 4 + place; };
  EvenPart part{.begin = {from(low[0], e.x), from(low[1], e.y), from(low[2], e.z)},
                .end = {until(high[0], e.x), until(high[1], e.y), until(high[2], e.z)}};
  for (int c = 0; c < count; ++c) part.values.push_back(value(c, even));
  return part;
}

EvenPart even_rows(const std::vector<float>& by_class, const Extents& e, int dimensions, bool star) {
  signed char slot[neighbours];
  number_slots(slot, dimensions, star);
  std::vector<Step> steps;
  for (int k = 0; k < neighbours; ++k) {
    if (k != centre && slot[k] >= 0) steps.push_back(Step::of(k));
  }
  steps.push_back({0, 0, 0});
  EvenPart part = even_part(by_class, e, [&](Index x, Index y, Index z, int c) {
    const Step d = steps[static_cast<std::size_t>(c)];
    return e.contains(x + d.x, y + d.y, z + d.z);
  });
  part.values.pop_back();
  return part;
}

EvenPart even_weights(const std::vector<float>& by_class, const Extents& e, const Extents& next, const Halving& h) {
  std::vector<Step> steps;
  for (int k = 0; k < neighbours; ++k) {
    if (h.has(Step::of(k))) steps.push_back(Step::of(k));
  }
  return even_part(by_class, next, [&](Index x, Index y, Index z, int c) {
    const Step d = steps[static_cast<std::size_t>(c)];
    return e.contains(Halving::fine(h.x, x) + d.x, Halving::fine(h.y, y) + d.y, Halving::fine(h.z, z) + d.z);
  });
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
  std::vector<float> inverse(scaled_classes);
  ClassPoints(e).fill(inverse, [&](std::size_t number, Index x, Index y, Index z) {
    inverse[number] = static_cast<float>(1 / root_at(roots, e, x, y, z));
  });
  return inverse;
}

std::vector<float> scaled_operator(const Classes& rows, const ClassRoots& roots, const Extents& e, int dimensions,
                                   bool star) {
  signed char slot[neighbours];
  std::vector<float> scaled(static_cast<std::size_t>(number_slots(slot, dimensions, star)) * scaled_classes);
  const ClassRoots inverse = inverses(roots);
  ClassPoints(e).fill(scaled, [&](std::size_t number, Index x, Index y, Index z) {
    const auto of_class = static_cast<std::size_t>(class_of(e, x, y, z));
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (slot[k] < 0 || !e.contains(x + d.x, y + d.y, z + d.z)) continue;
      const double scale = inverse[of_class] * root_at(inverse, e, x + d.x, y + d.y, z + d.z);
      scaled[static_cast<std::size_t>(slot[k]) * scaled_classes + number] =
          static_cast<float>(rows[of_class][static_cast<std::size_t>(k)] * scale);
    }
  });
  return scaled;
}

Model::Model(const Classes& rows, const Extents& e, int axes) : halved(halving(axes)) {
  const auto side = [](Index n, bool half) { return half ? (n <= 7 ? n : 6 + n % 2) : std::min(n, 3); };
  fine_ = {side(e.x, halved.x), side(e.y, halved.y), side(e.z, halved.z)};
  coarse_ = halved.of(fine_);
  weigh(rows);
  multiply(rows);
}

/// The fine point that a coarse point lies on.
Model::Point Model::fine_point(const Point& at) const {
  return {Halving::fine(halved.x, at[0]), Halving::fine(halved.y, at[1]), Halving::fine(halved.z, at[2])};
}

/// The coarse point in the class with this number.
Model::Point Model::coarse_point(int number) const {
  const auto at = [](int place, Index n) { return place == 0 ? 0 : place == 2 ? n - 1 : n / 2; };
  return {at(number % 3, coarse_.x), at(number / 3 % 3, coarse_.y), at(number / 9, coarse_.z)};
}

void Model::weigh(const Classes& rows) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int at = 0; at < 3; ++at) {
      for (int step = -1; step <= 1; ++step) line_[axis][at][step + 1] = line_weight(rows, fine_, axis, at, step);
    }
  }
  weights_.assign(coarse_.points(), {});
  for_points(coarse_, [&](Index x, Index y, Index z) {
    const auto [fx, fy, fz] = fine_point({x, y, z});
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (!halved.has(d) || !fine_.contains(fx + d.x, fy + d.y, fz + d.z)) continue;
      weights_[coarse_.number(x, y, z)][static_cast<std::size_t>(k)] = line_[0][place(fx + d.x, fine_.x)][d.x + 1] *
                                                                       line_[1][place(fy + d.y, fine_.y)][d.y + 1] *
                                                                       line_[2][place(fz + d.z, fine_.z)][d.z + 1];
    }
  });
}

/// The operator P^T A P: along each axis in turn, as P is a product of weights along the axes.
void Model::multiply(const Classes& rows) {
  extents_ = {fine_.x, fine_.y, fine_.z};
  operator_.clear();
  for_points(fine_, [&](Index x, Index y, Index z) {
    operator_.push_back(rows[static_cast<std::size_t>(class_of(fine_, x, y, z))]);
  });
  if (halved.x) halve(0);
  if (halved.y) halve(1);
  if (halved.z) halve(2);
}

/// P^T A P for the weights along one axis.
void Model::halve(int axis) {
  const Index fine[3] = {extents_.x, extents_.y, extents_.z}, coarse[3] = {coarse_.x, coarse_.y, coarse_.z};
  const Index n = fine[axis], next = coarse[axis];
  const auto digit = static_cast<std::size_t>(axis == 0 ? 1 : axis == 1 ? 3 : 9);
  Extents to = extents_;
  (axis == 0 ? to.x : axis == 1 ? to.y : to.z) = next;
  // The steps that don't lead along the axis.
  std::array<std::size_t, 9> beside;
  std::size_t count = 0;
  for (std::size_t k = 0; k < neighbours; ++k) {
    if (k / digit % 3 == 0) beside[count++] = k;
  }
  const auto weight = [&](Index j, Index step) { return line_[axis][place(2 * j + 1 + step, n)][step + 1]; };
  std::vector<std::array<double, neighbours>> made(to.points());
  for_points(to, [&](Index x, Index y, Index z) {
    const Index j = axis == 0 ? x : axis == 1 ? y : z;
    auto& row = made[to.number(x, y, z)];
    row = {};
    for (Index d = -1; d <= 1; ++d) {
      const Index i = 2 * j + 1 + d;
      if (i >= n) continue;
      const auto& from = operator_[extents_.number(axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z)];
      for (Index a = -1; a <= 1; ++a) {
        for (Index e = -1; e <= 1; ++e) {
          const Index left = d + a - 2 * e;
          if (i + a < 0 || i + a >= n || j + e < 0 || j + e >= next || left < -1 || left > 1) continue;
          const double factor = weight(j, d) * weight(j + e, left);
          const std::size_t of_a = static_cast<std::size_t>(a + 1) * digit,
                            of_e = static_cast<std::size_t>(e + 1) * digit;
          for (const std::size_t k : beside) row[k + of_e] += factor * from[k + of_a];
        }
      }
    }
  });
  operator_ = std::move(made);
  extents_ = to;
}

Classes Model::coarse_rows() const {
  Classes rows{};
  for (int number = 0; number < neighbours; ++number) {
    const auto [x, y, z] = coarse_point(number);
    const auto& row = operator_[coarse_.number(x, y, z)];
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const auto c = static_cast<std::size_t>(k);
      if (coarse_.contains(x + d.x, y + d.y, z + d.z)) rows[static_cast<std::size_t>(number)][c] = row[c];
    }
  }
  return rows;
}

std::vector<float> Model::scaled_weights(const ClassRoots& roots, const Extents& e, const ClassRoots& next_roots,
                                         const Extents& next) const {
  signed char slot[neighbours];
  std::vector<float> scaled(static_cast<std::size_t>(number_slots(slot, halved)) * scaled_classes);
  const ClassRoots next_inverse = inverses(next_roots);
  ClassPoints(next).fill(scaled, [&](std::size_t number, Index x, Index y, Index z) {
    const Point in_model = coarse_point(class_of(next, x, y, z)), f = fine_point({x, y, z});
    const auto& weights = weights_[coarse_.number(in_model[0], in_model[1], in_model[2])];
    const double own = root_at(next_inverse, next, x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const Index fx = f[0] + d.x, fy = f[1] + d.y, fz = f[2] + d.z;
      if (slot[k] < 0 || !e.contains(fx, fy, fz)) continue;
      scaled[static_cast<std::size_t>(slot[k]) * scaled_classes + number] =
          static_cast<float>(weights[static_cast<std::size_t>(k)] * root_at(roots, e, fx, fy, fz) * own);
    }
  });
  return scaled;
}

}  // namespace ostinato::multigrid
