// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/dense_inverse.hpp>
#include <ostinato/preconditioners/multigrid/structured/half_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/halving_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/planned_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/slots.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::multigrid {

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
  invert_dense(m, n, !level.by_class);
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

}  // namespace ostinato::multigrid
