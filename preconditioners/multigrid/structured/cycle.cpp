// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

namespace {

template <class F>
void with_shape(int dimensions, bool star, F f) {
  if (dimensions == 1) return f(Shape<1, true>{});
  if (dimensions == 2) return star ? f(Shape<2, true>{}) : f(Shape<2, false>{});
  return star ? f(Shape<3, true>{}) : f(Shape<3, false>{});
}

template <int... Axes, class F>
void with_axes(int axes, std::integer_sequence<int, Axes...>, F f) {
  (void)((axes == Axes + 1 && (f(std::integral_constant<int, Axes + 1>{}), true)) || ...);
}

}  // namespace

template <class Space, class T>
Cycle<Space, T>::Cycle(const Space& space, Hierarchy<Space, T> hierarchy, int sweeps)
    : space_(space), hierarchy_(std::move(hierarchy)), sweeps_(sweeps), rate_(measure_rate()) {}

/// The error solves A e = 0.
template <class Space, class T>
double Cycle<Space, T>::measure_rate() const {
  const Level<Space>& finest = hierarchy_.levels().front();
  const std::size_t n = finest.grid.points();
  const bool is_coarsest = hierarchy_.levels().size() == 1;
  const Field<Space> e(space_, finest.grid, finest.dimensions);
  for_each(space_, n, RandomError{e.data()});
  Vector<Space, double> squares(space_, 2);
  space_.zero(finest.x.data(), n * sizeof(float));
  sum(space_, n, Correct{finest.x.data(), e.data()}, squares.data());
  with_shape(finest.dimensions, finest.star, [&]<class S>(S) {
    for_grid(space_, finest.grid, Residual<S>{finest.operator_view(), finest.x.data(), e.data(), 1, finest.b.data()});
  });
  const Iterate x = solve(0);
  float* out = other(finest, x);
  if (!is_coarsest) smooth(finest, x, out);
  sum(space_, n, Correct{is_coarsest ? x.x : out, e.data()}, squares.data() + 1);
  const std::vector<double> norms = squares.download();
  return std::sqrt(norms[1] / norms[0]);
}

template <class Space, class T>
void Cycle<Space, T>::smooth(const Level<Space>& level, Iterate from, float* out) const {
  with_shape(level.dimensions, level.star, [&]<class S>(S) {
    for_grid(space_, level.grid,
             Smooth<S>{level.operator_view(), level.b.data(), from.x, from.c, static_cast<float>(level.omega), out});
  });
}

/// Smooths from x = 0 and hands the residual to the next level. Returns the smoothed x.
template <class Space, class T>
auto Cycle<Space, T>::descend(const Level<Space>& level, const Level<Space>& next) const -> Iterate {
  Iterate x{level.b.data(), static_cast<float>(level.omega)};
  for (int sweep = 1; sweep < sweeps_; ++sweep) {
    float* out = sweep % 2 == 1 ? level.x.data() : level.t.data();
    smooth(level, x, out);
    x = {out, 1};
  }
  float* residual = other(level, x);
  with_shape(level.dimensions, level.star, [&]<class S>(S) {
    for_grid(space_, level.grid, Residual<S>{level.operator_view(), level.b.data(), x.x, x.c, residual});
  });
  with_axes(level.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
    for_grid(space_, next.grid, Restrict<A>{level.weights_view(), level.grid, residual, next.b.data()});
  });
  return x;
}

/// Adds the coarse solution to x and smooths all but one time.
template <class Space, class T>
auto Cycle<Space, T>::ascend(const Level<Space>& level, Iterate x, const float* coarse) const -> Iterate {
  float* out = other(level, x);
  with_axes(level.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
    const Interpolate<A> step{level.weights_view(), level.grid, x.x, x.c, coarse, out};
    for_grid(space_, step.cells(), step);
  });
  x = {out, 1};
  for (int sweep = 1; sweep < sweeps_; ++sweep) {
    out = other(level, x);
    smooth(level, x, out);
    x = {out, 1};
  }
  return x;
}

/// Solves for b of level k. Returns x, before the last sweep on the finest level.
template <class Space, class T>
auto Cycle<Space, T>::solve(std::size_t k) const -> Iterate {
  const auto& levels = hierarchy_.levels();
  const Level<Space>& level = levels[k];
  if (k + 1 == levels.size()) {
    for_each(space_, level.grid.points(),
             DenseProduct{level.grid.points(), hierarchy_.inverse().data(), level.b.data(), level.x.data()});
    return {level.x.data(), 1};
  }
  const Iterate x = descend(level, levels[k + 1]);
  const Iterate coarse = solve(k + 1);
  const Iterate corrected = ascend(level, x, coarse.x);
  if (k == 0) return corrected;
  float* out = other(level, corrected);
  smooth(level, corrected, out);
  return {out, 1};
}

template <class Space, class T>
void Cycle<Space, T>::apply(Strided<const T> r, Strided<T> z, double* slot) const {
  const Level<Space>& finest = hierarchy_.levels().front();
  const Coefficients root = hierarchy_.inverse_root();
  for_grid(space_, finest.grid, Enter<T>{root, r, finest.b.data()});
  const Iterate x = solve(0);
  with_shape(finest.dimensions, finest.star, [&]<class S>(S) {
    const float last = hierarchy_.levels().size() > 1 ? static_cast<float>(finest.omega) : 0.0f;
    const Smooth<S> smooth{finest.operator_view(), finest.b.data(), x.x, x.c, last, nullptr};
    sum_grid(space_, finest.grid, Leave<S, T>{smooth, root, static_cast<T>(hierarchy_.power()), r, z}, slot);
  });
}

template class Cycle<Host, float>;
template class Cycle<Host, double>;
template class Cycle<Cuda, float>;
template class Cycle<Cuda, double>;

}  // namespace ostinato::multigrid
