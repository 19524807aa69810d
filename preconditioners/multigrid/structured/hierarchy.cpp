// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/half_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/halving_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/preconditioners/multigrid/structured/star_by_axes.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::multigrid {

namespace {

/// A grid of this size is solved by a dense inverse.
constexpr std::size_t coarsest_points = 64;

/// The same for constant coefficients: less, because the inverse takes longer to make than another grid, unless rows
/// add up to 0 or nearly so at all sides. The last grid then has to show that constants solve A x = 0, which a grid of
/// one point can't. One of more than 27 points isn't halved to one.
std::size_t coarsest_points_of(const Classes& rows) {
  constexpr double held = 0.1;  // a row at a side where the solution is given adds up to more of its diagonal
  for (const auto& row : rows) {
    if (row[centre] > 0 && std::accumulate(row.begin(), row.end(), 0.0) > held * row[centre]) return 27;
  }
  return coarsest_points;
}

/// An axis that couples less than this share of the strongest isn't halved. In three dimensions and by point, the next
/// operator then has 27 coefficients for half of the points or more: that takes more time than the iterations that it
/// saves (coupling 0.3 along two axes, 90^3, one core, 2026-11: with 0.5 a digit took 2.3 times as long).
double weak_axis(int dimensions, bool by_class) { return dimensions > 2 && !by_class ? 0.25 : 0.5; }

/// The damping of Jacobi: what smooths a star best along as many axes as are halved. `largest` bounds the eigenvalues.
double damping(int axes, double largest) {
  constexpr double best[] = {1, 2.0 / 3, 0.8, 6.0 / 7};
  return best[(axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1)] * 2 / largest;
}

/// The periodic axes that keep 2 points. The diagonal of a grid on which an axis has 1 point is what other axes couple:
/// if that is hardly more than the rounding of the axis to float, the axis keeps 2.
Periodic axes_to_keep(const double (&strength)[3], const Periodic& periodic) {
  const auto is_alone = [&](double own) {
    constexpr double least = 5e-6;
    return strength[0] + strength[1] + strength[2] - own < least * own;
  };
  return {periodic.x && is_alone(strength[0]), periodic.y && is_alone(strength[1]),
          periodic.z && is_alone(strength[2])};
}

/// The axes to halve: those that couple points strongly, by the limit `weak`. The axes in `keep` keep 2 points.
int axes_to_halve(const double (&strength)[3], const Extents& e, double weak, const Periodic& keep = {}) {
  const bool can[3] = {e.x > (keep.x ? 2 : 1), e.y > (keep.y ? 2 : 1), e.z > (keep.z ? 2 : 1)};
  double strongest = 0;
  for (int k = 0; k < 3; ++k) strongest = can[k] ? std::max(strongest, strength[k]) : strongest;
  int axes = 0;
  for (int k = 0; k < 3; ++k) axes |= can[k] && strength[k] >= weak * strongest ? 1 << k : 0;
  return axes;
}

int all_axes(int dimensions) { return (1 << dimensions) - 1; }

Periodic periodic_axes(const Grid& grid) { return {grid.periodic[0], grid.periodic[1], grid.periodic[2]}; }

/// The grids of a hierarchy, without arrays. An axis couples a quarter as strongly once it is halved. stars: whether
/// coarse operators are stars as long as all axes are halved. plain: whether the first grid is.
template <class Space>
std::vector<Level<Space>> planned(const Grid& grid, bool by_class, const double (&strength)[3], const Periodic& keep,
                                  std::size_t coarsest = coarsest_points, bool stars = false, bool plain = false) {
  double now[3] = {strength[0], strength[1], strength[2]};
  const Periodic periodic = periodic_axes(grid);
  std::vector<Level<Space>> grids;
  PlainGrids plain_grids(plain);
  for (Extents e = grid.extents;; e = grids.back().next) {
    Level<Space> level{
        .grid = e, .dimensions = grid.dimensions, .star = grids.empty() ? grid.star : stars, .by_class = by_class};
    level.axes = e.points() > coarsest ? axes_to_halve(now, e, weak_axis(grid.dimensions, by_class), keep) : 0;
    level.next = halving(level.axes).of(e, periodic);
    level.periodic = periodic;
    level.plain = plain_grids.add(e, level.axes, stars);
    stars = stars && level.axes == all_axes(grid.dimensions);
    for (int k = 0; k < 3; ++k) now[k] *= (level.axes >> k & 1) != 0 ? 0.25 : 1;
    grids.push_back(std::move(level));
    if (grids.back().axes == 0) return grids;
  }
}

/// How far to trust planned() where all axes are even, or coefficients constant. On small grids the last few grids
/// count, whose couplings are known least.
Certainty certainty_for(const Extents& e, bool is_even) {
  constexpr std::size_t many_points = 1000;
  return is_even && e.points() > many_points ? Certainty::close : Certainty::rough;
}

/// Refuses a level whose numbers have left the range of float, or that can't be halved although it is large.
void require_usable(double omega, int axes, const Extents& e, std::size_t coarsest) {
  if (!std::isfinite(omega) || !(omega > 0)) throw ArgumentError("multigrid: a coarse operator isn't finite");
  if (axes == 0 && e.points() > coarsest) throw ArgumentError("multigrid: no axis of the grid can be halved");
}

/// A step of Gauss-Jordan elimination in place on n rows of n.
void eliminate(std::vector<double>& m, std::size_t n, std::size_t k) {
  double* const pivot = m.data() + k * n;
  const double scale = 1 / std::exchange(pivot[k], 1);
  for (std::size_t c = 0; c < n; ++c) pivot[c] *= scale;
  for (std::size_t i = 0; i < n; ++i) {
    double* const to = m.data() + i * n;
    if (i == k || to[k] == 0) continue;
    const double factor = std::exchange(to[k], 0);
    for (std::size_t c = 0; c < n; ++c) to[c] -= factor * pivot[c];
  }
}

/// Inverts a dense matrix of n rows of n in place, with row pivoting.
void invert(std::vector<double>& m, std::size_t n) {
  const auto row = [&](std::size_t i) { return m.data() + i * n; };
  std::vector<std::size_t> pivots(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t& pivot = pivots[k] = k;
    for (std::size_t i = k + 1; i < n; ++i) pivot = std::abs(row(i)[k]) > std::abs(row(pivot)[k]) ? i : pivot;
    if (pivot != k) std::swap_ranges(row(k), row(k) + n, row(pivot));
    if (!(std::abs(row(k)[k]) > 1e-12)) throw ArgumentError("multigrid: the coarsest operator is singular");
    eliminate(m, n, k);
  }
  for (std::size_t k = n; k-- > 0;) {  // rows that were exchanged are columns of the inverse
    for (std::size_t i = 0; i < n; ++i) std::swap(row(i)[k], row(i)[pivots[k]]);
  }
}

/// Inverts a symmetric matrix in place if it is positive definite, which shows in its pivots; otherwise leaves it as it
/// is. Gauss-Jordan elimination of the lower triangle, half of the work of all: what is eliminated stays symmetric,
/// with the other sign.
bool invert_if_positive(std::vector<double>& m, std::size_t n) {
  std::vector<double> a = m, column(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k * n + k];
    if (!(pivot > 1e-12)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = i < k ? a[k * n + i] : a[i * n + k];
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = column[i] / pivot;
      double* const row = a.data() + i * n;
      for (std::size_t c = 0; c <= i; ++c) row[c] -= factor * column[c];
    }
    for (std::size_t i = 0; i < n; ++i) (i < k ? a[k * n + i] : a[i * n + k]) = column[i] / pivot;
    a[k * n + k] = -1 / pivot;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c <= i; ++c) m[i * n + c] = m[c * n + i] = -a[i * n + c];
  }
  return true;
}

/// Whether a symmetric dense matrix of n rows of n is positive definite: Cholesky's factorization succeeds.
bool is_positive(std::vector<double> m, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    if (!(m[k * n + k] > 0)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] / m[k * n + k];
      for (std::size_t c = k + 1; c <= i; ++c) m[i * n + c] -= factor * m[c * n + k];
    }
  }
  return true;
}

bool is_symmetric(const std::vector<double>& m, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (std::abs(m[i * n + k] - m[k * n + i]) > 1e-5) return false;
    }
  }
  return true;
}

/// Adds to the diagonal of a symmetric matrix what makes it positive definite, if that is no more than the rounding of
/// an operator in float may have taken away.
void lift(std::vector<double>& m, std::size_t n) {
  constexpr double least = 1e-6, most = 0.05;
  std::vector<double> lifted = m;
  for (double shift = 0; shift < most; shift = shift == 0 ? least : 2 * shift) {
    for (std::size_t i = 0; i < n; ++i) lifted[i * n + i] = m[i * n + i] + shift;
    if (!is_positive(lifted, n)) continue;
    for (std::size_t i = 0; i < n; ++i) m[i * n + i] += 2 * shift;
    return;
  }
}

std::vector<float> class_ones() { return std::vector<float>(scaled_classes, 1.0f); }

/// Tables of classes one behind the other: those of each level's operator and of its weights in turn, then others.
struct ClassTables {
  struct Place {
    std::size_t first, size;
  };
  std::vector<float> values;
  std::vector<Place> places;

  ClassTables() { values.reserve(std::size_t{1} << 16); }  // ten levels in three dimensions

  void add(const std::vector<float>& table) {
    values.resize(in_whole_lines(values.size()));
    places.push_back({values.size(), table.size()});
    values.insert(values.end(), table.begin(), table.end());
  }
};

}  // namespace

template <class Space>
Field<Space>::Field(const Space& space, const Extents& grid, int dimensions) {
  room_ = Vector<Space, float>(space, elements_of(grid, dimensions));
  space.zero(room_.data(), room_.bytes());
  data_ = room_.data() + margin(grid, dimensions);
}

template <class Space>
Field<Space>::Field(const std::shared_ptr<Vector<Space, float>>& room, std::size_t first, const Extents& grid,
                    int dimensions)
    : room_(room, first, elements_of(grid, dimensions)), data_(room_.data() + margin(grid, dimensions)) {}

template <class Space>
std::size_t Level<Space>::nonzeros() const {
  // A neighbour lies outside for the points at one end of each axis that the step goes along.
  std::size_t count = 0;
  for (int k = 0; k < neighbours; ++k) {
    if (k != centre && !has_neighbour(k, dimensions, star)) continue;
    const Step d = Step::of(k);
    count += Extents{grid.x - (d.x != 0 && !periodic.x), grid.y - (d.y != 0 && !periodic.y),
                     grid.z - (d.z != 0 && !periodic.z)}
                 .points();
  }
  return count;
}

template <class Space>
std::size_t Level<Space>::predicted_bytes(bool half) const {
  signed char slot[neighbours];
  const auto of_a = static_cast<std::size_t>(number_slots(slot, dimensions, star)),
             of_p = axes == 0 ? 0 : static_cast<std::size_t>(number_slots(slot, halving(axes)));
  if (by_class) return (of_a + of_p) * scaled_classes * sizeof(float);
  const std::size_t coefficient = half && may_be_half() ? sizeof(Half) : sizeof(float);
  return of_a * grid.points() * coefficient + of_p * next.points() * sizeof(float);
}

template <class Space>
WeightsOf<const float> Level<Space>::weights() const {
  WeightsOf<const float> view{grid, next, halving(axes), p.data(), {}, periodic};
  number_slots(view.slot, view.halved);
  return view;
}

template <class Space>
template <class T>
Hierarchy<Space>::Hierarchy(const Analysis<Space, T>& analysis, const Grid& grid, int unknown,
                            const GridPlan<Space>& plan)
    : space_(analysis.space()) {
  scale_by(analysis.structure().norm_inf);
  const CsrView<T>& a = analysis.matrix().view();
  const UnknownBlock<T> block{
      ostinato::detail::pattern_of(a), a.val.data(), {grid.extents, grid.unknowns, grid.by_field}, unknown};
  Vector<Space, double> table(space_, neighbours * neighbours), deviants(space_, 1);
  std::vector<double> rows(table.size());
  const auto& census = analysis.structure().census;
  const bool many_differ = grid.unknowns == 1 && census != nullptr && census->class_rows.empty();
  bool by_class = !periodic_axes(grid).any() && !many_differ;
  if (by_class) {
    for_each(space_, neighbours, ReadClasses<T>{block, table.data()});
    DownloadBehind<Space> download(space_, {{rows.data(), table.data(), table.bytes()}});
    sum(space_, grid.extents.points(), CountDeviants<T>{block, table.data()}, deviants.data());
    download.finish();
    // A GPU counts while the host makes the tables.
    by_class = make_by_class(rows, grid, plan, [&] { return deviants.download()[0] == 0; });
  }
  if (!by_class) {
    const auto fill = [&](const Stencil& to) {
      for_each(space_, grid.extents.points(), FillStencil<T>{block, power_, to});
    };
    make_by_point(grid, fill, plan);
  }
  finish([&] {
    sum(space_, grid.extents.points(), CountUneven<T>{block}, deviants.data());
    return deviants.download()[0] == 0;
  });
}

template <class Space>
template <class T>
Hierarchy<Space>::Hierarchy(const StencilOperator<Space, T>& stencil, const GridPlan<Space>& plan)
    : space_(stencil.space()) {
  scale_by(stencil.structure().norm_inf);
  const Grid& grid = stencil.grid();
  const ostinato::detail::StencilRows<T> rows{grid.extents,
                                              stencil.coefficients().data(),
                                              !stencil.table().empty(),
                                              {grid.dimensions, grid.star, periodic_axes(grid)}};
  if (!stencil.table().empty() && !periodic_axes(grid).any()) {
    make_by_class(stencil.table(), grid, plan, [] { return true; });
  } else {
    const auto fill = [&](const Stencil& to) { for_grid(space_, grid.extents, RoundRows<T>{rows, power_, to.a}); };
    make_by_point(grid, fill, plan);
  }
  finish([&] {
    Vector<Space, double> uneven(space_, 1);
    sum_grid(space_, grid.extents, CountUnevenPoints<T>{rows}, uneven.data());
    return uneven.download()[0] == 0;
  });
}

/// A times the power of two has a norm of 1 to 2.
template <class Space>
void Hierarchy<Space>::scale_by(double norm) {
  power_ = norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
}

template <class Space>
void Hierarchy<Space>::finish(const std::function<bool()>& constants_vanish) {
  invert_coarsest(constants_vanish);
  if (!by_class()) space_.wait();  // tables of classes are uploaded, other arrays made by kernels
}

template <class Space>
bool Hierarchy<Space>::make_by_class(const std::vector<double>& table, const Grid& grid, const GridPlan<Space>& plan,
                                     const std::function<bool()>& are_its_rows) {
  Classes rows;
  for (std::size_t c = 0; c < neighbours; ++c) {
    for (std::size_t k = 0; k < neighbours; ++k) rows[c][k] = table[c * neighbours + k] * power_;
  }
  Extents e = grid.extents;
  bool star = grid.star;
  ClassRoots roots = roots_of(rows);
  const std::vector<float> inverse = inverse_roots(roots, e);
  const std::size_t coarsest = coarsest_points_of(rows);
  std::vector<Level<Space>> levels, announced;
  std::vector<float> coarsest_a;
  // The memory of several unknowns is predicted from that of the first one.
  const std::optional<StarByAxes> finest = star ? StarByAxes::of(rows, e) : std::nullopt;
  std::optional<StarByAxes> by_axes = grid.unknowns == 1 ? finest : std::nullopt;
  const bool plain = finest && is_plain(rows, e, grid.dimensions, star);
  PlainGrids plain_grids(plain);
  ClassTables tables;
  for (;;) {
    Level<Space> level{.grid = e, .dimensions = grid.dimensions, .star = star, .by_class = true};
    const std::vector<float> a = scaled_operator(rows, roots, e, grid.dimensions, star);
    tables.add(a);
    level.even_a = even_rows(a, e, grid.dimensions, star);
    double strength[3];
    couplings(rows, e, strength);
    if (levels.empty() && plan)
      announced = planned<Space>(grid, true, strength, {}, coarsest, by_axes.has_value(), plain);
    level.axes = e.points() > coarsest ? axes_to_halve(strength, e, weak_axis(grid.dimensions, true)) : 0;
    level.plain = plain_grids.add(e, level.axes, by_axes.has_value());
    if (level.plain) level.plain_star = (levels.empty() ? finest : by_axes)->plain();
    if (level.plain && !levels.empty()) levels.back().plain_star.next_is_plain = true;
    level.largest = largest_row(rows);
    level.omega = damping(level.axes, level.largest);
    if (level.axes == 0) {
      coarsest_a = a;
      levels.push_back(std::move(level));
      break;
    }
    const HalvedClasses next(rows, e, level.axes);
    if (level.axes != all_axes(grid.dimensions)) by_axes.reset();
    if (by_axes) by_axes->halve(next);
    const Classes next_rows = by_axes ? by_axes->rows() : next.galerkin_rows();
    const ClassRoots next_roots = roots_of(next_rows);
    level.next = next.grid();
    const std::vector<float> p = next.scaled_weights(roots, next_roots);
    tables.add(p);
    level.even_p = even_weights(p, e, level.next, next.halved);
    if (level.plain) {
      level.plain_star.weight = p[Halved<7>::coefficient(centre) * std::size_t{scaled_classes}];
      level.plain_star.find_scales(next_roots, e);
    }
    e = level.next;
    rows = next_rows;
    roots = next_roots;
    star = by_axes.has_value();
    levels.push_back(std::move(level));
  }
  if (!are_its_rows()) return false;
  if (plan) plan(announced, certainty_for(grid.extents, true));
  for (const Level<Space>& level : levels) require_usable(level.omega, level.axes, level.grid, coarsest);
  levels_ = std::move(levels);
  coarsest_a_ = std::move(coarsest_a);
  for_points(
      e, [&](Index x, Index y, Index z) { coarsest_root_.push_back(static_cast<float>(root_at(roots, e, x, y, z))); });
  even_inverse_root_ = even_values(inverse, grid.extents);
  tables.add(inverse);
  tables.add(class_ones());
  const auto all = std::make_shared<Vector<Space, float>>(space_, tables.values);
  const auto part = [&](std::size_t k) { return Part<Space>(all, tables.places[k].first, tables.places[k].size); };
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    levels_[k].a = part(2 * k);
    if (k + 1 < levels_.size()) levels_[k].p = part(2 * k + 1);
  }
  inverse_root_ = part(2 * levels_.size() - 1);
  ones_ = part(2 * levels_.size());
  return true;
}

template <class Space>
void Hierarchy<Space>::make_by_point(const Grid& grid, const Filler& fill, const GridPlan<Space>& plan) {
  if (plan) plan(planned<Space>(grid, false, {1, 1, 1}, {}), Certainty::at_least);
  ones_ = Vector<Space, float>(space_, class_ones());
  if (periodic_axes(grid).any()) return make_levels_by_point<true>(grid, fill, plan);
  make_levels_by_point<false>(grid, fill, plan);
}

/// Calls f with the shape of a grid whose axes are all halved.
template <class Space, class F>
void with_halved(const Level<Space>& level, F f) {
  if (level.dimensions == 2) return level.star ? f(Shape<2, true>{}) : f(Shape<2, false>{});
  level.star ? f(Shape<3, true>{}) : f(Shape<3, false>{});
}

template <class Space>
template <bool Wraps>
void Hierarchy<Space>::solve_weights(const Stencil& a, const Weights& p, const Level<Space>& level,
                                     bool halves_all) const {
  if (!halves_all) return for_grid(space_, p.coarse, SolveWeights<Wraps>{a, p});
  with_halved(level, [&]<int D, bool Star>(Shape<D, Star>) {
    for_grid(space_, p.coarse, SolveHalvedWeights<D, Star>{{a.grid, p.coarse, a.a, p.w}});
  });
}

template <class Space>
template <bool Wraps>
void Hierarchy<Space>::make_coarse_operator(const Stencil& a, const Weights& p, const Stencil& coarse,
                                            int slots) const {
  // A small grid has fewer points than the GPU has threads (H200, 2026-11: 16^3 take 150 us point by point).
  constexpr std::size_t few = Space::on_device ? 4096 : 0;
  if (Wraps || coarse.grid.points() <= few) {
    const GalerkinAround galerkin{a, p, coarse, slots};
    for_grid(space_, galerkin.calls(), galerkin);
  } else if (p.halved.x) {
    for_grid(space_, coarse.grid, GalerkinOfPoint<true>{a, p, coarse});
  } else {
    for_grid(space_, coarse.grid, GalerkinOfPoint<false>{a, p, coarse});
  }
}

template <class Space>
template <bool Wraps>
void Hierarchy<Space>::scale_weights(const Weights& p, const Vector<Space, float>& inverse,
                                     const Vector<Space, float>& coarse_inverse, const Level<Space>& level,
                                     bool halves_all) const {
  if (!halves_all) return for_grid(space_, p.coarse, ScaleWeights<Wraps>{p, inverse.data(), coarse_inverse.data()});
  with_halved(level, [&]<int D, bool Star>(Shape<D, Star>) {
    for_grid(space_, p.coarse,
             ScaleHalvedWeights<D>{{p.fine, p.coarse, nullptr, p.w}, inverse.data(), coarse_inverse.data()});
  });
}

template <class Space>
template <bool Wraps>
void Hierarchy<Space>::make_levels_by_point(const Grid& grid, const Filler& fill, const GridPlan<Space>& plan) {
  const double weak = weak_axis(grid.dimensions, false);
  Periodic periodic = periodic_axes(grid), keep;
  Stencil a{.grid = grid.extents, .a = nullptr, .slot = {}, .periodic = periodic};
  const auto slots = static_cast<std::size_t>(number_slots(a.slot, grid.dimensions, grid.star));
  Level<Space> level{.grid = grid.extents, .dimensions = grid.dimensions, .star = grid.star, .periodic = periodic};
  level.a = Vector<Space, float>(space_, slots * grid.extents.points());
  a.a = level.a.data();
  fill(a);
  Vector<Space, double> strengths(space_, 3);
  Vector<Space, int> largest(space_, 1);
  Vector<Space, float> inverse(space_, a.grid.points());
  for_each(space_, a.grid.points(), InverseRoot{a, inverse.data()});
  for (;;) {
    space_.zero(largest.data(), sizeof(int));
    sum_grid(space_, a.grid, MeasureStrength<Space>{a, largest.data()}, strengths.data());
    double strength[3];
    float row = 0;
    download(space_, {{strength, strengths.data(), sizeof strength}, {&row, largest.data(), sizeof row}});
    if (levels_.empty()) {
      keep = axes_to_keep(strength, periodic);
      // Where coefficients vary, the axes of coarser grids may couple somewhat less than those of this one.
      constexpr double margin = 1.25;
      const bool is_even =
          axes_to_halve(strength, a.grid, margin * weak, keep) == axes_to_halve({1, 1, 1}, a.grid, weak, keep);
      if (plan) plan(planned<Space>(grid, false, strength, keep), certainty_for(a.grid, is_even));
    }
    level.axes = a.grid.points() > coarsest_points ? axes_to_halve(strength, a.grid, weak, keep) : 0;
    level.largest = static_cast<double>(row);
    level.omega = damping(level.axes, level.largest);
    require_usable(level.omega, level.axes, a.grid, coarsest_points);
    if (level.axes == 0) {
      for_grid(space_, a.grid, ScaleStencil<Wraps>{a, inverse.data()});
      coarsest_root_.resize(inverse.size());
      coarsest_a_.resize(level.a.size());
      download(space_, {{coarsest_root_.data(), inverse.data(), inverse.bytes()},
                        {coarsest_a_.data(), level.a.data(), level.a.bytes()}});
      for (float& v : coarsest_root_) v = 1 / v;
      levels_.push_back(std::move(level));
      break;
    }
    Weights p{
        .fine = a.grid, .coarse = {}, .halved = halving(level.axes), .w = nullptr, .slot = {}, .periodic = periodic};
    p.coarse = level.next = p.halved.of(a.grid, periodic);
    level.p =
        Vector<Space, float>(space_, static_cast<std::size_t>(number_slots(p.slot, p.halved)) * p.coarse.points());
    p.w = level.p.data();
    const bool halves_all = !Wraps && level.axes == all_axes(grid.dimensions) && grid.dimensions > 1;
    solve_weights<Wraps>(a, p, level, halves_all);
    const auto closes = [](bool around, Index extent) { return around && extent == 1; };
    const Periodic closed{closes(periodic.x, p.coarse.x), closes(periodic.y, p.coarse.y),
                          closes(periodic.z, p.coarse.z)};
    periodic = {periodic.x && !closed.x, periodic.y && !closed.y, periodic.z && !closed.z};
    Level<Space> next{.grid = p.coarse, .dimensions = grid.dimensions, .periodic = periodic};
    Stencil coarse{.grid = p.coarse, .a = nullptr, .slot = {}, .periodic = periodic};
    const auto coarse_slots = static_cast<std::size_t>(number_slots(coarse.slot, grid.dimensions, false));
    next.a = Vector<Space, float>(space_, coarse_slots * p.coarse.points());
    coarse.a = next.a.data();
    make_coarse_operator<Wraps>(a, p, coarse, static_cast<int>(coarse_slots));
    if (closed.any()) for_each(space_, p.coarse.points(), CloseAxes{coarse, closed});
    Vector<Space, float> coarse_inverse(space_, p.coarse.points());
    for_each(space_, p.coarse.points(), InverseRoot{coarse, coarse_inverse.data()});
    scale_weights<Wraps>(p, inverse, coarse_inverse, level, halves_all);
    for_grid(space_, a.grid, ScaleStencil<Wraps>{a, inverse.data()});
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

template <class Space>
void Hierarchy<Space>::invert_coarsest(const std::function<bool()>& constants_vanish) {
  const Level<Space>& level = levels_.back();
  const Extents& e = level.grid;
  const std::size_t n = e.points();
  const std::vector<float>& a = coarsest_a_;
  Coefficients view = level.operator_view();
  signed char slot[neighbours];
  number_slots(slot, level.dimensions, level.star);
  std::vector<double> m(n * n, 0.0);
  for_points(e, [&](Index x, Index y, Index z) {
    const std::size_t i = e.number(x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      Index nx = x, ny = y, nz = z;
      if (slot[k] < 0 || !level.periodic.go(e, Step::of(k), nx, ny, nz)) continue;
      const std::size_t at = static_cast<std::size_t>(slot[k]) * view.stride() + view.at(x, y, z, i);
      m[i * n + e.number(nx, ny, nz)] += static_cast<double>(a[at]);
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
  // The rounding of all the rows that a coarse point stands for adds up to more than 1e-5 on large grids.
  if (largest < 1e-5 || (largest < 0.1 && constants_vanish())) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k)
        m[i * n + k] +=
            static_cast<double>(coarsest_root_[i]) * static_cast<double>(coarsest_root_[k]) / (length * length);
    }
  }
  if (const bool symmetric = is_symmetric(m, n); !symmetric || !invert_if_positive(m, n)) {
    if (symmetric && !level.by_class) lift(m, n);
    invert(m, n);
  }
  std::vector<float> columns(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) columns[k * n + i] = static_cast<float>(m[i * n + k]);
  }
  inverse_ = Vector<Space, float>(space_, columns);
}

template <class Space>
std::size_t Hierarchy<Space>::bytes() const {
  std::size_t total = inverse_.bytes() + inverse_root_.bytes();
  for (const Level<Space>& level : levels_) total += level.bytes();
  return total;
}

template <class Space>
void Hierarchy<Space>::round_to_half(std::size_t count) {
  Vector<Space, double> beyond(space_, count, 0.0);
  Vector<Space, float> coarse_root;
  for (std::size_t k = 0; k < count; ++k) {
    Level<Space>& level = levels_[k];
    level.half_a = Vector<Space, Half>(space_, level.a.size());
    const float* const root = k == 0 ? inverse_root_.data() : coarse_root.data();
    RoundOperator round{level.grid, {}, level.a.data(), root, level.half_a.data()};
    number_slots(round.slot, level.dimensions, level.star);
    sum_grid(space_, level.grid, round, beyond.data() + k);
    level.a = {};
    if (level.axes == 0) break;
    Vector<Space, float> next_root(space_, level.next.points());
    const WeightsOf<const float> p = level.weights();
    for_grid(space_, p.coarse, CoarseRoot{p.fine, p.coarse, p.halved, root, &p.at(centre, 0), next_root.data()});
    coarse_root = std::move(next_root);
  }
  const std::vector<double> counts = beyond.download();
  if (std::any_of(counts.begin(), counts.end(), [](double n) { return n > 0; }))
    throw ArgumentError(
        "multigrid: precision=half holds numbers up to 65504, and coefficients of a grid are larger; "
        "use precision=single");
}

template class Field<Host>;
template class Field<Cuda>;
template struct Level<Host>;
template struct Level<Cuda>;
template class Hierarchy<Host>;
template class Hierarchy<Cuda>;

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template Hierarchy<Space>::Hierarchy(const Analysis<Space, T>&, const Grid&, int, const GridPlan<Space>&); \
  template Hierarchy<Space>::Hierarchy(const StencilOperator<Space, T>&, const GridPlan<Space>&);
OSTINATO_INSTANTIATE(Host, float)
OSTINATO_INSTANTIATE(Host, double)
OSTINATO_INSTANTIATE(Cuda, float)
OSTINATO_INSTANTIATE(Cuda, double)
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::multigrid
