// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

namespace {

constexpr std::size_t coarsest_points = 64;  ///< a grid of this size is solved by a dense inverse
constexpr double weak_axis = 0.25;  ///< an axis that couples less than this share of the strongest isn't halved

/// The damping of Jacobi: what smooths a star best along as many axes as are halved. `largest` bounds the eigenvalues.
double damping(int axes, double largest) {
  constexpr double best[] = {1, 2.0 / 3, 0.8, 6.0 / 7};
  return best[(axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1)] * 2 / largest;
}

bool has_neighbour(int k, int dimensions, bool star) {
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
int number_slots(signed char (&slot)[neighbours], int dimensions, bool star) {
  const int count = number_slots(slot, [=](int k) { return has_neighbour(k, dimensions, star); });
  slot[centre] = static_cast<signed char>(count);
  return count + 1;
}

int number_slots(signed char (&slot)[neighbours], const Halving& halved) {
  return number_slots(slot, [&](int k) { return halved.has(Step::of(k)); });
}

Halving halving(int axes) { return {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}; }

/// The axes to halve: those that couple points strongly.
int axes_to_halve(const double (&strength)[3], const Extents& e) {
  const Index extent[3] = {e.x, e.y, e.z};
  double strongest = 0;
  for (int k = 0; k < 3; ++k) strongest = extent[k] > 1 ? std::max(strongest, strength[k]) : strongest;
  int axes = 0;
  for (int k = 0; k < 3; ++k) axes |= extent[k] > 1 && strength[k] >= weak_axis * strongest ? 1 << k : 0;
  return axes;
}

/// The rows of the 27 classes of points: row[class][neighbour].
using Classes = std::array<std::array<double, neighbours>, neighbours>;

int class_of(const Extents& e, Index x, Index y, Index z) {
  return place(x, e.x) + 3 * place(y, e.y) + 9 * place(z, e.z);
}
int middle_class(const Extents& e) { return class_of(e, e.x / 2, e.y / 2, e.z / 2); }

template <class F>
void for_points(const Extents& e, F f) {
  for (Index z = 0; z < e.z; ++z) {
    for (Index y = 0; y < e.y; ++y) {
      for (Index x = 0; x < e.x; ++x) f(x, y, z);
    }
  }
}

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

/// Refuses a level whose numbers have left the range of float, or that can't be halved although it is large.
void require_usable(double omega, int axes, const Extents& e) {
  if (!std::isfinite(omega) || !(omega > 0)) throw ArgumentError("multigrid: a coarse operator isn't finite");
  if (axes == 0 && e.points() > coarsest_points) throw ArgumentError("multigrid: no axis of the grid can be halved");
}

/// A small grid with the classes of a large one, on which the coarse operator is made.
struct Model {
  Halving halved;
  Extents fine, coarse;
  std::vector<float> a, w, c;
  Stencil a_view, c_view;
  Weights w_view;

  Model(const Classes& rows, const Extents& e, int dimensions, bool star, int axes) : halved(halving(axes)) {
    const auto side = [](Index n, bool half) { return half ? (n <= 7 ? n : 6 + n % 2) : std::min(n, 3); };
    fine = {side(e.x, halved.x), side(e.y, halved.y), side(e.z, halved.z)};
    coarse = halved.of(fine);
    a_view.grid = w_view.fine = fine;
    c_view.grid = w_view.coarse = coarse;
    w_view.halved = halved;
    a.resize(static_cast<std::size_t>(number_slots(a_view.slot, dimensions, star)) * fine.points());
    w.resize(static_cast<std::size_t>(number_slots(w_view.slot, halved)) * coarse.points());
    const int coarse_slots = number_slots(c_view.slot, dimensions, false);
    c.resize(static_cast<std::size_t>(coarse_slots) * coarse.points());
    a_view.a = a.data();
    w_view.w = w.data();
    c_view.a = c.data();
    fill(rows);
    weigh(rows);
    const Galerkin galerkin{a_view, w_view, c_view, coarse_slots};
    for_points(galerkin.calls(), galerkin);
  }

  void fill(const Classes& rows) {
    for_points(fine, [&](Index x, Index y, Index z) {
      const auto& row = rows[static_cast<std::size_t>(class_of(fine, x, y, z))];
      for (int k = 0; k < neighbours; ++k) {
        if (a_view.slot[k] >= 0)
          a_view.at(k, fine.number(x, y, z)) = static_cast<float>(row[static_cast<std::size_t>(k)]);
      }
    });
  }

  void weigh(const Classes& rows) {
    for_points(coarse, [&](Index x, Index y, Index z) {
      const Index f[3] = {Halving::fine(halved.x, x), Halving::fine(halved.y, y), Halving::fine(halved.z, z)};
      const Index n[3] = {fine.x, fine.y, fine.z};
      for (int k = 0; k < neighbours; ++k) {
        if (w_view.slot[k] < 0) continue;
        const Step d = Step::of(k);
        const int step[3] = {d.x, d.y, d.z};
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) {
          const Index at = f[axis] + step[axis];
          weight *= at < n[axis] ? line_weight(rows, fine, axis, place(at, n[axis]), step[axis]) : 0;
        }
        w_view.at(k, coarse.number(x, y, z)) = static_cast<float>(weight);
      }
    });
  }

  /// The coarse point of the model in the class with this number.
  std::size_t coarse_point(int number) const {
    const auto at = [](int place, Index n) { return place == 0 ? 0 : place == 2 ? n - 1 : n / 2; };
    return coarse.number(at(number % 3, coarse.x), at(number / 3 % 3, coarse.y), at(number / 9, coarse.z));
  }

  /// The rows of the coarse operator.
  Classes coarse_rows() const {
    Classes rows{};
    for (int number = 0; number < neighbours; ++number) {
      for (int k = 0; k < neighbours; ++k) {
        rows[static_cast<std::size_t>(number)][static_cast<std::size_t>(k)] =
            static_cast<double>(c_view.value(k, coarse_point(number)));
      }
    }
    return rows;
  }
};

/// The point that stands for one of the 125 classes. Classes that a small grid doesn't have get one of its points.
std::array<Index, 3> point_of_class(const Extents& e, int number) {
  const auto at = [](int place, Index n) {
    const Index points[] = {0, 1, n / 2, n - 2, n - 1};
    return std::clamp(points[place], Index{0}, n - 1);
  };
  return {at(number % 5, e.x), at(number / 5 % 5, e.y), at(number / 25, e.z)};
}

double root_at(const Classes& rows, const Extents& e, Index x, Index y, Index z) {
  const double own = rows[static_cast<std::size_t>(class_of(e, x, y, z))][centre];
  return own > 0 ? std::sqrt(own) : 1;
}

/// The coefficients of the scaled operator, A(i, j) / sqrt(A(i, i) A(j, j)), of the 125 classes.
std::vector<float> scaled_operator(const Classes& rows, const Extents& e, int dimensions, bool star) {
  signed char slot[neighbours];
  std::vector<float> scaled(static_cast<std::size_t>(number_slots(slot, dimensions, star)) * scaled_classes);
  for (int number = 0; number < scaled_classes; ++number) {
    const auto [x, y, z] = point_of_class(e, number);
    const auto& row = rows[static_cast<std::size_t>(class_of(e, x, y, z))];
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (slot[k] < 0 || !e.contains(x + d.x, y + d.y, z + d.z)) continue;
      scaled[static_cast<std::size_t>(slot[k] * scaled_classes + number)] = static_cast<float>(
          row[static_cast<std::size_t>(k)] / root_at(rows, e, x, y, z) / root_at(rows, e, x + d.x, y + d.y, z + d.z));
    }
  }
  return scaled;
}

/// The weights for the scaled operators, P(i, j) sqrt(A(i, i) / coarse A(j, j)), of the 125 classes of coarse points.
std::vector<float> scaled_weights(const Model& model, const Classes& rows, const Extents& e, const Classes& next_rows,
                                  const Extents& next) {
  const Halving& h = model.halved;
  std::vector<float> scaled(model.w.size() / model.coarse.points() * scaled_classes);
  for (int number = 0; number < scaled_classes; ++number) {
    const auto [x, y, z] = point_of_class(next, number);
    const std::size_t in_model = model.coarse_point(class_of(next, x, y, z));
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const Index fx = Halving::fine(h.x, x) + d.x, fy = Halving::fine(h.y, y) + d.y, fz = Halving::fine(h.z, z) + d.z;
      if (model.w_view.slot[k] < 0 || !e.contains(fx, fy, fz)) continue;
      scaled[static_cast<std::size_t>(model.w_view.slot[k] * scaled_classes + number)] =
          static_cast<float>(static_cast<double>(model.w_view.at(k, in_model)) * root_at(rows, e, fx, fy, fz) /
                             root_at(next_rows, next, x, y, z));
    }
  }
  return scaled;
}

std::vector<float> inverse_roots(const Classes& rows, const Extents& e) {
  std::vector<float> inverse(scaled_classes);
  for (int number = 0; number < scaled_classes; ++number) {
    const auto [x, y, z] = point_of_class(e, number);
    inverse[static_cast<std::size_t>(number)] = static_cast<float>(1 / root_at(rows, e, x, y, z));
  }
  return inverse;
}

/// The largest sum of absolute values in a row over its diagonal. Classes that the grid doesn't have are empty.
double largest_row(const Classes& rows) {
  double largest = 0;
  for (const auto& row : rows) {
    double total = 0;
    for (const double v : row) total += std::abs(v);
    if (row[centre] > 0) largest = std::max(largest, total / row[centre]);
  }
  return largest;
}

/// How strongly each axis couples the points, by one row.
void couplings(const std::array<double, neighbours>& row, double (&strength)[3]) {
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

/// Inverts a dense matrix of n rows of n in place, by Gauss-Jordan elimination with row pivoting.
void invert(std::vector<double>& m, std::size_t n) {
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) pivot = std::abs(m[i * n + k]) > std::abs(m[pivot * n + k]) ? i : pivot;
    for (std::size_t c = 0; c < n; ++c) {
      std::swap(m[k * n + c], m[pivot * n + c]);
      std::swap(inverse[k * n + c], inverse[pivot * n + c]);
    }
    if (!(std::abs(m[k * n + k]) > 1e-12)) throw ArgumentError("multigrid: the coarsest operator is singular");
    const double scale = 1 / m[k * n + k];
    for (std::size_t c = 0; c < n; ++c) m[k * n + c] *= scale, inverse[k * n + c] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = m[i * n + k];
      if (i == k || factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c) {
        m[i * n + c] -= factor * m[k * n + c];
        inverse[i * n + c] -= factor * inverse[k * n + c];
      }
    }
  }
  m = std::move(inverse);
}

}  // namespace

template <class Space>
Field<Space>::Field(const Space& space, const Extents& grid, int dimensions) {
  // Rounded up to whole cache lines.
  const std::size_t beyond = grid.number(1, dimensions > 1 ? 1 : 0, dimensions > 2 ? 1 : 0),
                    margin = (beyond + 31) / 32 * 32;
  room_ = Vector<Space, float>(space, grid.points() + 2 * margin);
  space.zero(room_.data(), room_.bytes());
  data_ = room_.data() + margin;
}

template <class Space>
std::size_t Level<Space>::nonzeros() const {
  // A neighbour lies outside for the points at one end of each axis that the step goes along.
  std::size_t count = 0;
  for (int k = 0; k < neighbours; ++k) {
    if (k != centre && !has_neighbour(k, dimensions, star)) continue;
    const Step d = Step::of(k);
    count += Extents{grid.x - (d.x != 0), grid.y - (d.y != 0), grid.z - (d.z != 0)}.points();
  }
  return count;
}

template <class Space, class T>
Hierarchy<Space, T>::Hierarchy(const Analysis<Space, T>& analysis, const Grid& grid) : space_(analysis.space()) {
  const double norm = analysis.structure().norm_inf;
  power_ = norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
  const CsrView<T>& a = analysis.matrix().view();
  const auto pattern = ostinato::detail::pattern_of(a);
  Vector<Space, double> table(space_, neighbours * neighbours), deviants(space_, 1);
  for_each(space_, neighbours, ReadClasses<T>{pattern, a.val.data(), grid.extents, table.data()});
  sum(space_, static_cast<std::size_t>(a.rows), CountDeviants<T>{pattern, a.val.data(), grid.extents, table.data()},
      deviants.data());
  if (deviants.download()[0] == 0) {
    make_by_class(table.download(), grid);
  } else {
    make_by_point(analysis, grid);
  }
  add_vectors();
  invert_coarsest();
  space_.wait();
}

template <class Space, class T>
void Hierarchy<Space, T>::make_by_class(const std::vector<double>& table, const Grid& grid) {
  Classes rows;
  for (std::size_t c = 0; c < neighbours; ++c) {
    for (std::size_t k = 0; k < neighbours; ++k) rows[c][k] = table[c * neighbours + k] * power_;
  }
  Extents e = grid.extents;
  bool star = grid.star;
  inverse_root_ = Vector<Space, float>(space_, inverse_roots(rows, e));
  for (;;) {
    Level<Space> level{.grid = e, .dimensions = grid.dimensions, .star = star, .by_class = true};
    level.a = Vector<Space, float>(space_, scaled_operator(rows, e, grid.dimensions, star));
    double strength[3];
    couplings(rows[static_cast<std::size_t>(middle_class(e))], strength);
    level.axes = e.points() > coarsest_points ? axes_to_halve(strength, e) : 0;
    level.largest = largest_row(rows);
    level.omega = damping(level.axes, level.largest);
    require_usable(level.omega, level.axes, e);
    if (level.axes == 0) {
      for_points(e, [&](Index x, Index y, Index z) {
        coarsest_root_.push_back(static_cast<float>(root_at(rows, e, x, y, z)));
      });
      levels_.push_back(std::move(level));
      return;
    }
    const Model model(rows, e, grid.dimensions, star, level.axes);
    const Classes next_rows = model.coarse_rows();
    level.next = model.halved.of(e);
    level.p = Vector<Space, float>(space_, scaled_weights(model, rows, e, next_rows, level.next));
    e = level.next;
    rows = next_rows;
    star = false;
    levels_.push_back(std::move(level));
  }
}

template <class Space, class T>
void Hierarchy<Space, T>::make_by_point(const Analysis<Space, T>& analysis, const Grid& grid) {
  const CsrView<T>& csr = analysis.matrix().view();
  Stencil a{.grid = grid.extents, .a = nullptr, .slot = {}};
  const auto slots = static_cast<std::size_t>(number_slots(a.slot, grid.dimensions, grid.star));
  Level<Space> level{.grid = grid.extents, .dimensions = grid.dimensions, .star = grid.star};
  level.a = Vector<Space, float>(space_, slots * grid.extents.points());
  a.a = level.a.data();
  for_each(space_, grid.extents.points(), FillStencil<T>{ostinato::detail::pattern_of(csr), csr.val.data(), power_, a});
  Vector<Space, double> strengths(space_, 3);
  Vector<Space, int> largest(space_, 1);
  Vector<Space, float> inverse(space_, a.grid.points());
  for_each(space_, a.grid.points(), InverseRoot{a, inverse.data()});
  for (;;) {
    space_.zero(largest.data(), sizeof(int));
    sum_grid(space_, a.grid, MeasureStrength<Space>{a, largest.data()}, strengths.data());
    double strength[3];
    space_.download(strength, strengths.data(), sizeof strength);
    float row = 0;
    space_.download(&row, largest.data(), sizeof row);
    level.axes = a.grid.points() > coarsest_points ? axes_to_halve(strength, a.grid) : 0;
    level.largest = static_cast<double>(row);
    level.omega = damping(level.axes, level.largest);
    require_usable(level.omega, level.axes, a.grid);
    if (level.axes == 0) {
      for_grid(space_, a.grid, ScaleStencil{a, inverse.data()});
      coarsest_root_ = inverse.download();
      for (float& v : coarsest_root_) v = 1 / v;
      levels_.push_back(std::move(level));
      break;
    }
    Weights p{.fine = a.grid, .coarse = {}, .halved = halving(level.axes), .w = nullptr, .slot = {}};
    p.coarse = level.next = p.halved.of(a.grid);
    level.p =
        Vector<Space, float>(space_, static_cast<std::size_t>(number_slots(p.slot, p.halved)) * p.coarse.points());
    p.w = level.p.data();
    for_grid(space_, p.coarse, SolveWeights{a, p});
    Level<Space> next{.grid = p.coarse, .dimensions = grid.dimensions};
    Stencil coarse{.grid = p.coarse, .a = nullptr, .slot = {}};
    const auto coarse_slots = static_cast<std::size_t>(number_slots(coarse.slot, grid.dimensions, false));
    next.a = Vector<Space, float>(space_, coarse_slots * p.coarse.points());
    coarse.a = next.a.data();
    const Galerkin galerkin{a, p, coarse, static_cast<int>(coarse_slots)};
    for_grid(space_, galerkin.calls(), galerkin);
    Vector<Space, float> coarse_inverse(space_, p.coarse.points());
    for_each(space_, p.coarse.points(), InverseRoot{coarse, coarse_inverse.data()});
    for_grid(space_, p.coarse, ScaleWeights{p, inverse.data(), coarse_inverse.data()});
    for_grid(space_, a.grid, ScaleStencil{a, inverse.data()});
    if (levels_.empty()) {
      inverse_root_ = std::move(inverse);
      inverse = Vector<Space, float>();
    }
    inverse = std::move(coarse_inverse);
    levels_.push_back(std::move(level));
    level = std::move(next);
    a = coarse;
  }
  if (levels_.size() == 1) inverse_root_ = std::move(inverse);
}

template <class Space, class T>
void Hierarchy<Space, T>::add_vectors() {
  for (Level<Space>& level : levels_) {
    level.b = Field<Space>(space_, level.grid, level.dimensions);
    level.x = Field<Space>(space_, level.grid, level.dimensions);
    level.t = Field<Space>(space_, level.grid, level.dimensions);
  }
}

template <class Space, class T>
void Hierarchy<Space, T>::invert_coarsest() {
  const Level<Space>& level = levels_.back();
  const Extents& e = level.grid;
  const std::size_t n = e.points();
  const std::vector<float> a = level.a.download();
  Coefficients view = level.operator_view();
  signed char slot[neighbours];
  number_slots(slot, level.dimensions, level.star);
  std::vector<double> m(n * n, 0.0);
  for_points(e, [&](Index x, Index y, Index z) {
    const std::size_t i = e.number(x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      const Index nx = x + d.x, ny = y + d.y, nz = z + d.z;
      if (slot[k] < 0 || !e.contains(nx, ny, nz)) continue;
      const std::size_t at = static_cast<std::size_t>(slot[k]) * view.stride() + view.at(x, y, z, i);
      m[i * n + e.number(nx, ny, nz)] = static_cast<double>(a[at]);
    }
  });
  // Where constants solve A x = 0, their direction is added to A, so that the inverse exists; b has none of it.
  double length = 0, largest = 0;
  for (const float v : coarsest_root_) length += static_cast<double>(v) * static_cast<double>(v);
  length = std::sqrt(length);
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0;
    for (std::size_t k = 0; k < n; ++k) product += m[i * n + k] * static_cast<double>(coarsest_root_[k]) / length;
    largest = std::max(largest, std::abs(product));
  }
  if (largest < 1e-5) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k)
        m[i * n + k] +=
            static_cast<double>(coarsest_root_[i]) * static_cast<double>(coarsest_root_[k]) / (length * length);
    }
  }
  invert(m, n);
  std::vector<float> columns(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) columns[k * n + i] = static_cast<float>(m[i * n + k]);
  }
  inverse_ = Vector<Space, float>(space_, columns);
}

template <class Space, class T>
std::size_t Hierarchy<Space, T>::bytes() const {
  std::size_t total = inverse_.bytes() + inverse_root_.bytes();
  for (const Level<Space>& level : levels_) total += level.bytes();
  return total;
}

template class Field<Host>;
template class Field<Cuda>;
template struct Level<Host>;
template struct Level<Cuda>;
template class Hierarchy<Host, float>;
template class Hierarchy<Host, double>;
template class Hierarchy<Cuda, float>;
template class Hierarchy<Cuda, double>;

}  // namespace ostinato::multigrid
