// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/passes.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::multigrid {

namespace cycle_definition {

template <int... Axes, class F>
void with_axes(int axes, std::integer_sequence<int, Axes...>, F f) {
  (void)((axes == Axes + 1 && (f(std::integral_constant<int, Axes + 1>{}), true)) || ...);
}

/// Calls f with the shape of a level's operator and its coefficients.
template <class Space, class F>
void with_operator(const Level<Space>& level, F f) {
  with_shape(level.dimensions, level.star, level.around(), [&](auto shape) { f(shape, level.operator_view()); });
}

}  // namespace cycle_definition

template <class Space>
Cycle<Space>::Cycle(const Space& space, Hierarchy<Space> hierarchy, Smoother smoother, int sweeps)
    : space_(space),
      hierarchy_(std::move(hierarchy)),
      smoother_(smoother),
      sweeps_(sweeps),
      ways_(ways(space, hierarchy_.levels(), sweeps)) {
  make_vectors();
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
    if (ways_[k] == Way::one_kernel) coarse_grids_.add(CoarseGrid(level(k), omega(k, 0)));
  }
  coarse_grids_.dimensions = level(0).dimensions;
  coarse_grids_.by_class = level(0).by_class;
  coarse_grids_.inverse = {hierarchy_.inverse().data(), 1,
                           static_cast<Index>(hierarchy_.levels().back().grid.points())};
  joined_ = join_coarse_grids(space, coarse_grids_);
  Transfer<Space> of_source = make_transfers();
  rate_ = measure_rate();  // of the scaled operator
  if (ways_[0] == Way::passes) transfers_[0] = std::move(of_source);
}

/// The coarsest level has no axes to halve, so that there are no passes over it.
template <class Space>
auto Cycle<Space>::ways(const Space& space, const std::vector<Level<Space>>& levels, int sweeps) -> std::vector<Way> {
  const std::size_t first_coarse = sweeps == 1 ? first_coarse_grid(space, levels) : levels.size();
  std::vector<Way> all;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const bool passes = sweeps == 1 && levels[k].axes != 0 && has_ascent(space, levels[k]);
    all.push_back(k >= first_coarse ? Way::one_kernel : passes ? Way::passes : Way::steps);
  }
  return all;
}

/// The vectors of all levels, in one array.
template <class Space>
void Cycle<Space>::make_vectors() {
  const auto elements = [&](std::size_t k) {
    return in_whole_lines(Field<Space>::elements_of(level(k).grid, level(k).dimensions));
  };
  std::size_t total = 0;
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k)
    total += static_cast<std::size_t>(fields_of(ways_, k)) * elements(k);
  const auto room = std::make_shared<Vector<Space, float>>(space_, total, 0.0f);
  std::size_t first = 0;
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
    Vectors& v = vectors_.emplace_back();
    int left = fields_of(ways_, k);
    for (Field<Space>* const field : {&v.b, &v.x, &v.t}) {
      if (left-- <= 0) break;
      *field = Field<Space>(room, first, level(k).grid, level(k).dimensions);
      first += elements(k);
    }
  }
}

/// The vectors of a level: none, b and x, or t as well. In one kernel, levels below the first have theirs in the shared
/// memory.
template <class Space>
int Cycle<Space>::fields_of(const std::vector<Way>& ways, std::size_t k) {
  if (ways[k] == Way::passes) return k > 0 ? 2 : 0;
  if (ways[k] == Way::one_kernel) return k == 0 || ways[k - 1] != Way::one_kernel ? 2 : 0;
  return 3;
}

template <class Space>
std::size_t Cycle<Space>::levels_above_one_kernel(const std::vector<Way>& ways) {
  return static_cast<std::size_t>(std::find(ways.begin(), ways.end(), Way::one_kernel) - ways.begin());
}

/// The elements of the matrix that join_coarse_grids() will make.
template <class Space>
std::size_t Cycle<Space>::joined_elements(const std::vector<Level<Space>>& levels, const std::vector<Way>& ways) {
  for (std::size_t k = levels_above_one_kernel(ways) + 1; k + 1 < ways.size(); ++k) {
    const std::size_t points = levels[k].grid.points();
    if (points <= CoarseGrids::most_joined) return points * points;
  }
  return 0;
}

template <class Space>
bool Cycle<Space>::descends_in_a_pass(const Space& space, const Level<Space>& level, int sweeps, Way way) {
  return way != Way::one_kernel && sweeps == 1 && level.axes != 0 && has_descent(space, level);
}

template <class Space>
std::size_t Cycle<Space>::predicted_bytes(const Space& space, const std::vector<Level<Space>>& grids, int sweeps) {
  const std::size_t coarsest = grids.back().grid.points();
  const std::size_t roots = grids.front().by_class ? scaled_classes : grids.front().grid.points();
  const std::vector<Way> all_ways = ways(space, grids, sweeps);
  std::size_t total = (coarsest * coarsest + roots + joined_elements(grids, all_ways)) * sizeof(float);
  for (std::size_t k = 0; k < grids.size(); ++k) {
    const auto fields = static_cast<std::size_t>(fields_of(all_ways, k));
    total += grids[k].predicted_bytes() + fields * Field<Space>::bytes_of(grids[k].grid, grids[k].dimensions);
    if (descends_in_a_pass(space, grids[k], sweeps, all_ways[k])) total += Transfer<Space>::bytes_of(grids[k]);
  }
  return total;
}

template <class Space>
Source<float> Cycle<Space>::unscaled(std::size_t k, const float* b) const {
  static const EvenPart one{.values = {1}, .begin = {0, 0, 0}, .end = {1 << 30, 1 << 30, 1 << 30}};
  return {{level(k).grid, hierarchy_.ones(), true}, &one, {b}};
}

/// Makes the transfers of all levels without a scale. Returns that of the first level with the scale of r, where passes
/// take it.
template <class Space>
Transfer<Space> Cycle<Space>::make_transfers() {
  std::vector<TransferOf<Space>> wanted;
  std::vector<std::size_t> levels;
  const bool scales_source = ways_[0] == Way::passes;
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
    if (!descends_in_a_pass(space_, level(k), sweeps_, ways_[k])) continue;
    const Source<float> one = unscaled(k, nullptr);
    wanted.push_back({&level(k), omega(k, 0), one.root, one.even_root, k == 0 && scales_source});
    levels.push_back(k);
  }
  if (scales_source)
    wanted.push_back({&level(0), omega(0, 0), hierarchy_.inverse_root(), &hierarchy_.even_inverse_root()});
  std::vector<Transfer<Space>> made = multigrid::make_transfers(space_, wanted);
  transfers_ = std::vector<Transfer<Space>>(hierarchy_.levels().size());
  for (std::size_t k = 0; k < levels.size(); ++k) transfers_[levels[k]] = std::move(made[k]);
  return made.size() > levels.size() ? std::move(made.back()) : Transfer<Space>{};
}

template <class Space>
std::size_t Cycle<Space>::bytes(std::size_t k) const {
  return level(k).bytes() + vectors_[k].b.bytes() + vectors_[k].x.bytes() + vectors_[k].t.bytes() +
         transfers_[k].bytes();
}

template <class Space>
std::size_t Cycle<Space>::bytes() const {
  std::size_t total = hierarchy_.bytes() + joined_.bytes();
  for (const Vectors& v : vectors_) total += v.b.bytes() + v.x.bytes() + v.t.bytes();
  for (const Transfer<Space>& t : transfers_) total += t.bytes();
  return total;
}

/// Each level reads its operator twice and its weights twice; its vectors are moved three times by passes, ten times by
/// single steps. In one kernel with other levels it takes the time of four barriers and waits for loads.
template <class Space>
double Cycle<Space>::seconds(std::size_t value_bytes) const {
  if constexpr (is_cuda<Space>) {
    constexpr double launch = 2e-6, barriers = 4e-6;
    double seconds = 0;
    for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
      const bool passes = ways_[k] == Way::passes;
      const std::size_t value = k == 0 ? value_bytes : sizeof(float);
      const auto vector = static_cast<double>(level(k).grid.points() * value);
      const double bytes = 2 * static_cast<double>(level(k).bytes()) + (passes ? 3 : 10) * vector;
      const double waits = ways_[k] == Way::one_kernel ? barriers : (passes ? 2 : 5) * launch;
      seconds += waits + bytes / space_.bandwidth();
    }
    return seconds;
  } else {
    return 0;
  }
}

/// The error solves A e = 0.
template <class Space>
double Cycle<Space>::measure_rate() const {
  const Level<Space>& finest = level(0);
  const std::size_t n = finest.grid.points();
  const Field<Space> e(space_, finest.grid, finest.dimensions);
  Vector<Space, float> b(space_, n), x(space_, n);
  Vector<Space, double> slots(space_, 3);
  sum(space_, n, RandomError{e.data()}, slots.data());
  space_.zero(x.data(), x.bytes());
  cycle_definition::with_operator(finest, [&]<class S>(S, const Coefficients& a) {
    for_grid(space_, finest.grid, Residual<S>{a, x.data(), e.data(), 1, b.data()});
  });
  const Source<float> source = unscaled(0, b.data());
  run(source, Target<float>{1, {x.data()}, slots.data() + 2});
  sum(space_, n, Correct{x.data(), e.data()}, slots.data() + 1);
  const std::vector<double> norms = slots.download();
  return std::sqrt(norms[1] / norms[0]);
}

template <class Space>
void Cycle<Space>::smooth(std::size_t k, int sweep, Iterate from, float* out) const {
  const Level<Space>& l = level(k);
  cycle_definition::with_operator(l, [&]<class S>(S, const Coefficients& a) {
    for_grid(space_, l.grid, Smooth<S>{a, vectors_[k].b.data(), from.x, from.c, omega(k, sweep), out});
  });
}

/// The damping of a sweep. Those after the coarse grid run backwards, so that the cycle is symmetric.
template <class Space>
float Cycle<Space>::omega(std::size_t k, int sweep) const {
  return static_cast<float>(damping_of(smoother_, sweep, sweeps_, level(k).omega, level(k).largest));
}

/// Smooths from x = 0 and hands the residual to the next level. Returns the smoothed x.
template <class Space>
auto Cycle<Space>::descend(std::size_t k) const -> Iterate {
  const Level<Space>& l = level(k);
  const Vectors& v = vectors_[k];
  Iterate x{v.b.data(), omega(k, 0)};
  for (int sweep = 1; sweep < sweeps_; ++sweep) {
    float* out = sweep % 2 == 1 ? v.x.data() : v.t.data();
    smooth(k, sweep, x, out);
    x = {out, 1};
  }
  if constexpr (is_cuda<Space>) {
    if (transfers_[k].is_there()) {
      multigrid::descend(space_, l, transfers_[k], unscaled(k, v.b.data()), vectors_[k + 1].b.data());
      return x;
    }
  }
  float* residual = other(k, x);
  cycle_definition::with_operator(l, [&]<class S>(S, const Coefficients& a) {
    for_grid(space_, l.grid, Residual<S>{a, v.b.data(), x.x, x.c, residual});
  });
  float* const out = vectors_[k + 1].b.data();
  if (l.periodic.any()) {
    for_grid(space_, l.next, RestrictAround{l.weights(), residual, out});
    return x;
  }
  cycle_definition::with_axes(l.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
    for_grid(space_, l.next, Restrict<A>{l.weights_view(), l.grid, residual, out});
  });
  return x;
}

/// Whether InterpolateCells is faster than Interpolate, which has four times the threads (H200, 2026-11: 11.8 us
/// instead of 16.4 on 128^3, but 5.8 instead of 4.1 on 64^3).
template <class Space>
bool takes_cells(const Level<Space>& level) {
  return is_cuda<Space> && level.axes == 7 && level.grid.points() >= std::size_t{1} << 20;
}

/// Adds the coarse solution to x and smooths all but one time.
template <class Space>
auto Cycle<Space>::ascend(std::size_t k, Iterate x, const float* coarse) const -> Iterate {
  const Level<Space>& l = level(k);
  float* out = other(k, x);
  if (l.periodic.any()) {
    for_grid(space_, l.grid, InterpolateAround{l.weights(), x.x, x.c, coarse, out});
  } else if (takes_cells(l)) {
    if constexpr (is_cuda<Space>) {
      const InterpolateCells step{l.weights_view(), l.grid, x.x, x.c, coarse, out};
      for_grid(space_, step.cells(), step);
    }
  } else {
    cycle_definition::with_axes(l.axes, std::make_integer_sequence<int, 7>{},
                                [&]<int A>(std::integral_constant<int, A>) {
                                  const Interpolate<A> step{l.weights_view(), l.grid, x.x, x.c, coarse, out};
                                  for_grid(space_, step.cells(), step);
                                });
  }
  x = {out, 1};
  for (int sweep = sweeps_ - 1; sweep > 0; --sweep) {
    out = other(k, x);
    smooth(k, sweep, x, out);
    x = {out, 1};
  }
  return x;
}

/// x of level k before the last sweep.
template <class Space>
auto Cycle<Space>::correct(std::size_t k) const -> Iterate {
  if (ways_[k] == Way::one_kernel) {
    solve_coarse_grids(space_, coarse_grids_, vectors_[k].b.data(), vectors_[k].x.data(), false);
    return {vectors_[k].x.data(), 1};
  }
  const Iterate x = descend(k);
  return ascend(k, x, solve(k + 1));
}

/// Solves for b of level k. Returns x.
template <class Space>
const float* Cycle<Space>::solve(std::size_t k) const {
  if (ways_[k] == Way::one_kernel) {
    solve_coarse_grids(space_, coarse_grids_, vectors_[k].b.data(), vectors_[k].x.data(), true);
    return vectors_[k].x.data();
  }
  if (k + 1 == hierarchy_.levels().size()) return solve_coarsest();
  if (ways_[k] == Way::passes) return solve_by_passes(k);
  const Iterate x = correct(k);
  float* out = other(k, x);
  smooth(k, 0, x, out);
  return out;
}

template <class Space>
const float* Cycle<Space>::solve_coarsest() const {
  const Vectors& v = vectors_.back();
  const std::size_t n = hierarchy_.levels().back().grid.points();
  for_each(space_, n, DenseProduct{n, hierarchy_.inverse().data(), v.b.data(), v.x.data()});
  return v.x.data();
}

template <class Space>
const float* Cycle<Space>::solve_by_passes(std::size_t k) const {
  const Vectors& v = vectors_[k];
  pass(k, unscaled(k, v.b.data()), Target<float>{1, {v.x.data()}, nullptr});
  return v.x.data();
}

/// Solves for the source by passes over level k, which has them.
template <class Space>
template <class T>
void Cycle<Space>::pass(std::size_t k, const Source<T>& source, const Target<T>& target) const {
  if constexpr (is_cuda<Space>) {
    multigrid::descend(space_, level(k), transfers_[k], source, vectors_[k + 1].b.data());
    multigrid::ascend(space_, level(k), transfers_[k], source, solve(k + 1), target);
  }
}

/// Solves for the source.
template <class Space>
template <class T>
void Cycle<Space>::run(const Source<T>& source, const Target<T>& target) const {
  if (ways_[0] == Way::passes) return pass(0, source, target);
  const Level<Space>& finest = level(0);
  const Vectors& v = vectors_[0];
  for_grid(space_, finest.grid, Enter<T>{source.root, source.r, v.b.data()});
  // The last sweep is part of the last step, unless the finest level is the coarsest.
  const bool is_coarsest = hierarchy_.levels().size() == 1;
  const Iterate x = is_coarsest ? Iterate{solve(0), 1} : correct(0);
  const float last = is_coarsest ? 0 : omega(0, 0);
  cycle_definition::with_operator(finest, [&]<class S>(S, const Coefficients& a) {
    const Smooth<S> smooth{a, v.b.data(), x.x, x.c, last, nullptr};
    sum_grid(space_, finest.grid, Leave<S, T>{smooth, source.root, target.power, source.r, target.z}, target.slot);
  });
}

template <class Space>
template <class T>
void Cycle<Space>::apply_to(Strided<const T> r, Strided<T> z, Slot<T> slot) const {
  run(Source<T>{hierarchy_.inverse_root(), &hierarchy_.even_inverse_root(), r},
      Target<T>{static_cast<T>(hierarchy_.power()), z, slot});
}

}  // namespace ostinato::multigrid
