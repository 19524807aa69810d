// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/multigrid/end_levels.hpp>
#include <ostinato/preconditioners/multigrid/structured/halving_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/planned_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/dense/dense_inverse.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::multigrid {

namespace hierarchy_definition {

/// The periodic axes that have a single point on a coarse grid.
inline Periodic axes_to_close(const Periodic& periodic, const Extents& coarse) {
  const auto closes = [](bool around, Index extent) { return around && extent == 1; };
  return {closes(periodic.x, coarse.x), closes(periodic.y, coarse.y), closes(periodic.z, coarse.z)};
}

/// The operator `a` of a level as a full matrix, row by row.
template <class Space>
std::vector<double> full_matrix(const Level<Space>& level, const std::vector<float>& a) {
  const Extents& e = level.grid;
  const std::size_t n = e.points();
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
  return m;
}

/// Where constants solve A x = 0, adds their direction to the coarsest matrix, so that the inverse exists; b has none
/// of it. root: the constants, as the scaled operator has them.
inline void add_constants(std::vector<double>& m, const std::vector<float>& root,
                          const std::function<bool()>& constants_vanish) {
  const std::size_t n = root.size();
  double length = 0, largest = 0;
  for (const float v : root) length += abs2(v);
  length = std::sqrt(length);
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0;
    for (std::size_t k = 0; k < n; ++k) product += m[i * n + k] * static_cast<double>(root[k]) / length;
    largest = std::max(largest, std::abs(product));
  }
  // The rounding of all the rows that a coarse point stands for adds up to more than 1e-5 on large grids.
  if (!(largest < 1e-5 || (largest < 0.1 && constants_vanish()))) return;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) m[i * n + k] += product_of(root[i], root[k]) / (length * length);
  }
}

}  // namespace hierarchy_definition

template <class Space>
Field<Space>::Field(const Space& space, const Extents& grid, int dimensions) {
  room_ = Vector<Space, float>(space, elements_of(grid, dimensions));
  space.zero(room_.data(), room_.bytes());
  data_ = room_.data() + margin(grid, dimensions);
}

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
std::size_t Level<Space>::predicted_bytes() const {
  signed char slot[neighbours];
  const auto of_a = static_cast<std::size_t>(number_slots(slot, dimensions, star)),
             of_p = axes == 0 ? 0 : static_cast<std::size_t>(number_slots(slot, halving(axes)));
  if (by_class) return (of_a + of_p) * scaled_classes * sizeof(float);
  return (of_a * grid.points() + of_p * next.points()) * sizeof(float);
}

template <class Space>
WeightsOf<const float> Level<Space>::weights() const {
  WeightsOf<const float> view{grid, next, halving(axes), p.data(), {}, periodic};
  number_slots(view.slot, view.halved);
  return view;
}

template <class Space>
Couplings CouplingMeter<Space>::measure(const Space& space, const Stencil& a) {
  space.zero(largest_.data(), sizeof(int));
  sum_grid(space, a.grid, MeasureStrength<Space>{a, largest_.data()}, strengths_.data());
  Couplings found;
  download(space, {{found.strength, strengths_.data(), sizeof found.strength},
                   {&found.largest_row, largest_.data(), sizeof found.largest_row}});
  return found;
}

template <class Space>
UnscaledLevel<Space>::UnscaledLevel(const Space& space, const Extents& grid, int dimensions, bool star,
                                    const Periodic& periodic)
    : level{.grid = grid, .dimensions = dimensions, .star = star, .periodic = periodic},
      a{.grid = grid, .a = nullptr, .slot = {}, .periodic = periodic},
      slots(number_slots(a.slot, dimensions, star)) {
  level.a = Vector<Space, float>(space, static_cast<std::size_t>(slots) * grid.points());
  a.a = level.a.data();
}

template <class Space>
void UnscaledLevel<Space>::find_roots(const Space& space) {
  inverse = Vector<Space, float>(space, a.grid.points());
  for_each(space, a.grid.points(), InverseRoot{a, inverse.data()});
}

template <class Space>
template <class T>
GridPlan<Space>::GridPlan(const Analysis<Space, T>& analysis, const Grid& grid, int unknown)
    : space_(analysis.space()), grid_(grid) {
  scale_by(analysis.structure().norm_inf);
  const CsrView<T>& a = analysis.matrix().view();
  const UnknownBlock<T> block{
      ostinato::detail::pattern_of(a), a.val.data(), {grid.extents, grid.unknowns, grid.by_field}, unknown};
  constants_vanish_ = [space = space_, points = grid.extents.points(), block] {
    Vector<Space, double> uneven(space, 1);
    sum(space, points, CountUneven<T>{block}, uneven.data());
    return uneven.download()[0] == 0;
  };
  const auto& census = analysis.structure().census;
  const bool many_differ = grid.unknowns == 1 && census != nullptr && census->class_rows.empty();
  if (!periodic_axes(grid).any() && !many_differ) {
    Vector<Space, double> table(space_, neighbours * neighbours), deviants(space_, 1);
    std::vector<double> rows(table.size());
    for_each(space_, neighbours, ReadClasses<T>{block, table.data()});
    DownloadBehind<Space> download(space_, {{rows.data(), table.data(), table.bytes()}});
    sum(space_, grid.extents.points(), CountDeviants<T>{block, table.data()}, deviants.data());
    download.finish();
    // A GPU counts while the host makes the tables.
    if (plan_by_class(rows, [&] { return deviants.download()[0] == 0; })) return;
  }
  plan_by_point([space = space_, points = grid.extents.points(), block, power = power_](const Stencil& to) {
    for_each(space, points, FillStencil<T>{block, power, to});
  });
}

template <class Space>
template <class T>
GridPlan<Space>::GridPlan(const StencilOperator<Space, T>& stencil) : space_(stencil.space()), grid_(stencil.grid()) {
  scale_by(stencil.structure().norm_inf);
  const ostinato::detail::StencilRows<T> rows{grid_.extents,
                                              stencil.coefficients().data(),
                                              !stencil.table().empty(),
                                              {grid_.dimensions, grid_.star, periodic_axes(grid_)}};
  constants_vanish_ = [space = space_, e = grid_.extents, rows] {
    Vector<Space, double> uneven(space, 1);
    sum_grid(space, e, CountUnevenPoints<T>{rows}, uneven.data());
    return uneven.download()[0] == 0;
  };
  if (!stencil.table().empty() && !periodic_axes(grid_).any()) {
    plan_by_class(stencil.table(), [] { return true; });
  } else {
    plan_by_point([space = space_, e = grid_.extents, rows, power = power_](const Stencil& to) {
      for_grid(space, e, RoundRows<T>{rows, power, to.a});
    });
  }
}

template <class Space>
GridPlan<Space>::GridPlan(const Space& space, const Grid& grid, const std::vector<double>& table, double norm)
    : space_(space), grid_(grid) {
  scale_by(norm);
  constants_vanish_ = [table] {
    for (std::size_t c = 0; c < neighbours; ++c) {
      double sum = 0, size = 0;
      for (std::size_t k = c * neighbours; k < (c + 1) * neighbours; ++k) {
        sum += table[k];
        size += std::abs(table[k]);
      }
      if (is_uneven<double>(sum, size)) return false;
    }
    return true;
  };
  plan_by_class(table, [] { return true; });
}

/// A times the power of two has a norm of 1 to 2.
template <class Space>
void GridPlan<Space>::scale_by(double norm) {
  power_ = norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
}

template <class Space>
void GridPlan<Space>::plan_by_point(std::function<void(const Stencil& a)> fill) {
  fill_ = std::move(fill);
  grids_ = planned<Space>(grid_, {1, 1, 1}, {});
  certainty_ = Certainty::at_least;
}

template <class Space>
bool GridPlan<Space>::measure() {
  if (!fill_ || finest_) return false;
  finest_.emplace(Finest{{space_, grid_.extents, grid_.dimensions, grid_.star, periodic_axes(grid_)},
                         CouplingMeter<Space>(space_),
                         {},
                         {}});
  fill_(finest_->level.a);
  finest_->level.find_roots(space_);
  finest_->couplings = finest_->meter.measure(space_, finest_->level.a);
  const auto& strength = finest_->couplings.strength;
  const Periodic keep = finest_->keep = axes_to_keep(strength, periodic_axes(grid_));
  // Where coefficients vary, the axes of coarser grids may couple somewhat less than those of this one.
  constexpr double margin = 1.25;
  const double weak = weak_axis(grid_.dimensions, false);
  const Extents& e = grid_.extents;
  const bool is_even = axes_to_halve(strength, e, margin * weak, keep) == axes_to_halve({1, 1, 1}, e, weak, keep);
  grids_ = planned<Space>(grid_, strength, keep);
  certainty_ = certainty_for(e, is_even);
  return true;
}

template <class Space>
Hierarchy<Space>::Hierarchy(GridPlan<Space> plan, const StopRequest& stop) : space_(plan.space_), power_(plan.power_) {
  plan.measure();
  if (!plan.finest_) {
    take_classes(plan);
  } else {
    ones_ = Vector<Space, float>(space_, class_ones());
    periodic_axes(plan.grid_).any() ? make_levels_by_point<true>(plan, stop) : make_levels_by_point<false>(plan, stop);
  }
  invert_coarsest(plan.constants_vanish_);
  if (!by_class()) space_.wait();  // tables of classes are uploaded, other arrays made by kernels
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
  constexpr std::size_t few = Space::has_streams ? 4096 : 0;
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
void Hierarchy<Space>::make_levels_by_point(GridPlan<Space>& plan, const StopRequest& stop) {
  const double weak = weak_axis(plan.grid_.dimensions, false);
  Unscaled now = std::move(plan.finest_->level);
  for (Couplings found = plan.finest_->couplings;; found = plan.finest_->meter.measure(space_, now.a)) {
    Level<Space>& level = now.level;
    const Extents& e = level.grid;
    level.axes = e.points() > coarsest_points ? axes_to_halve(found.strength, e, weak, plan.finest_->keep) : 0;
    level.largest = static_cast<double>(found.largest_row);
    level.omega = damping(level.axes, level.largest);
    require_usable(level.omega, level.axes, e, coarsest_points);
    if (level.axes == 0) break;
    end_levels_on(stop);
    Unscaled next = halve<Wraps>(now);
    if (levels_.empty()) inverse_root_ = std::move(now.inverse);
    levels_.push_back(std::move(now.level));
    now = std::move(next);
  }
  add_coarsest<Wraps>(std::move(now));
}

/// Makes the next grid, the weights from there, and the scaled operator of this grid.
template <class Space>
template <bool Wraps>
auto Hierarchy<Space>::halve(Unscaled& fine) const -> Unscaled {
  Level<Space>& level = fine.level;
  const Stencil& a = fine.a;
  const Periodic& periodic = a.periodic;
  Weights p{
      .fine = a.grid, .coarse = {}, .halved = halving(level.axes), .w = nullptr, .slot = {}, .periodic = periodic};
  p.coarse = level.next = p.halved.of(a.grid, periodic);
  level.p = Vector<Space, float>(space_, static_cast<std::size_t>(number_slots(p.slot, p.halved)) * p.coarse.points());
  p.w = level.p.data();
  const bool halves_all = !Wraps && level.axes == all_axes(level.dimensions) && level.dimensions > 1;
  solve_weights<Wraps>(a, p, level, halves_all);
  const Periodic closed = hierarchy_definition::axes_to_close(periodic, p.coarse);
  Unscaled coarse(space_, p.coarse, level.dimensions, false,
                  {periodic.x && !closed.x, periodic.y && !closed.y, periodic.z && !closed.z});
  make_coarse_operator<Wraps>(a, p, coarse.a, coarse.slots);
  if (closed.any()) for_each(space_, p.coarse.points(), CloseAxes{coarse.a, closed});
  coarse.find_roots(space_);
  scale_weights<Wraps>(p, fine.inverse, coarse.inverse, level, halves_all);
  for_grid(space_, a.grid, ScaleStencil<Wraps>{a, fine.inverse.data()});
  return coarse;
}

/// Adds the last level, scaled, and keeps on the host what its inverse is made of.
template <class Space>
template <bool Wraps>
void Hierarchy<Space>::add_coarsest(Unscaled last) {
  for_grid(space_, last.a.grid, ScaleStencil<Wraps>{last.a, last.inverse.data()});
  coarsest_root_.resize(last.inverse.size());
  coarsest_a_.resize(last.level.a.size());
  download(space_, {{coarsest_root_.data(), last.inverse.data(), last.inverse.bytes()},
                    {coarsest_a_.data(), last.level.a.data(), last.level.a.bytes()}});
  for (float& v : coarsest_root_) v = 1 / v;
  levels_.push_back(std::move(last.level));
  if (levels_.size() == 1) inverse_root_ = std::move(last.inverse);
}

template <class Space>
void Hierarchy<Space>::invert_coarsest(const std::function<bool()>& constants_vanish) {
  const Level<Space>& level = levels_.back();
  const std::size_t n = level.grid.points();
  std::vector<double> m = hierarchy_definition::full_matrix(level, coarsest_a_);
  hierarchy_definition::add_constants(m, coarsest_root_, constants_vanish);
  m = dense_inverse(std::move(m), n, !level.by_class);
  std::vector<float> columns(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) columns[k * n + i] = static_cast<float>(m[i * n + k]);
  }
  inverse_ = Vector<Space, float>(space_, columns);
}

}  // namespace ostinato::multigrid
