// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy.hpp>
#include <ostinato/preconditioners/option_text.hpp>
#include <ostinato/preconditioners/require_rows.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace {

using namespace multigrid;

constexpr int most_sweeps = 8;

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

/// x of a level as c times a vector: the first sweep, from x = 0, is omega b and isn't stored.
struct Iterate {
  const float* x;
  float c;
};

}  // namespace

template <class Space, class T>
struct Multigrid<Space, T>::State {
  Space space;
  Hierarchy<Space, T> hierarchy;
  MultigridOptions options;
  int sweeps;
  double rate = 0;
  Vector<Space, double> unused;  ///< takes the dot product that apply() doesn't give

  State(const Analysis<Space, T>& analysis, const MultigridOptions& given)
      : space(analysis.space()),
        hierarchy(analysis, analysis.grid()),
        options(given),
        sweeps(given.sweeps > 0                                                       ? given.sweeps
               : analysis.structure().symmetric && given.smoother == Smoother::jacobi ? 1
                                                                                      : 2),
        unused(space, 1) {
    rate = measure_rate();
  }

  /// By what a cycle shrinks a random error, which solves A e = 0.
  double measure_rate() {
    const Level<Space>& finest = hierarchy.levels().front();
    const std::size_t n = finest.grid.points();
    const bool is_coarsest = hierarchy.levels().size() == 1;
    const Field<Space> e(space, finest.grid, finest.dimensions);
    for_each(space, n, RandomError{e.data()});
    Vector<Space, double> squares(space, 2);
    space.zero(finest.x.data(), n * sizeof(float));
    sum(space, n, Correct{finest.x.data(), e.data()}, squares.data());
    with_shape(finest.dimensions, finest.star, [&]<class S>(S) {
      for_grid(space, finest.grid, Residual<S>{finest.operator_view(), finest.x.data(), e.data(), 1, finest.b.data()});
    });
    const Iterate x = solve(0);
    float* out = other(finest, x);
    if (!is_coarsest) smooth(finest, 0, x, out);
    sum(space, n, Correct{is_coarsest ? x.x : out, e.data()}, squares.data() + 1);
    const std::vector<double> norms = squares.download();
    return std::sqrt(norms[1] / norms[0]);
  }

  void smooth(const Level<Space>& level, int sweep, Iterate from, float* out) const {
    with_shape(level.dimensions, level.star, [&]<class S>(S) {
      for_grid(space, level.grid,
               Smooth<S>{level.operator_view(), level.b.data(), from.x, from.c, omega(level, sweep), out});
    });
  }

  /// The damping of a sweep. Those after the coarse grid run backwards, so that the cycle is symmetric.
  float omega(const Level<Space>& level, int sweep) const {
    return static_cast<float>(damping_of(options.smoother, sweep, sweeps, level.omega, level.largest));
  }

  /// Smooths from x = 0 and hands the residual to the next level. Returns the smoothed x.
  Iterate descend(const Level<Space>& level, const Level<Space>& next) const {
    Iterate x{level.b.data(), omega(level, 0)};
    for (int sweep = 1; sweep < sweeps; ++sweep) {
      float* out = sweep % 2 == 1 ? level.x.data() : level.t.data();
      smooth(level, sweep, x, out);
      x = {out, 1};
    }
    float* residual = other(level, x);
    with_shape(level.dimensions, level.star, [&]<class S>(S) {
      for_grid(space, level.grid, Residual<S>{level.operator_view(), level.b.data(), x.x, x.c, residual});
    });
    with_axes(level.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      for_grid(space, next.grid, Restrict<A>{level.weights_view(), level.grid, residual, next.b.data()});
    });
    return x;
  }

  /// The one of the level's two vectors that doesn't hold x.
  static float* other(const Level<Space>& level, const Iterate& x) {
    return x.x == level.t.data() ? level.x.data() : level.t.data();
  }

  /// Adds the coarse solution to x and smooths all but one time.
  Iterate ascend(const Level<Space>& level, Iterate x, const float* coarse) const {
    float* out = other(level, x);
    with_axes(level.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      const Interpolate<A> step{level.weights_view(), level.grid, x.x, x.c, coarse, out};
      for_grid(space, step.cells(), step);
    });
    x = {out, 1};
    for (int sweep = sweeps - 1; sweep > 0; --sweep) {
      out = other(level, x);
      smooth(level, sweep, x, out);
      x = {out, 1};
    }
    return x;
  }

  /// Solves for b of level k. Returns x, before the last sweep on the finest level.
  Iterate solve(std::size_t k) const {
    const auto& levels = hierarchy.levels();
    const Level<Space>& level = levels[k];
    if (k + 1 == levels.size()) {
      for_each(space, level.grid.points(),
               DenseProduct{level.grid.points(), hierarchy.inverse().data(), level.b.data(), level.x.data()});
      return {level.x.data(), 1};
    }
    const Iterate x = descend(level, levels[k + 1]);
    const Iterate coarse = solve(k + 1);
    const Iterate corrected = ascend(level, x, coarse.x);
    if (k == 0) return corrected;
    float* out = other(level, corrected);
    smooth(level, 0, corrected, out);
    return {out, 1};
  }

  void apply(std::span<const T> r, std::span<T> z, double* slot) const {
    const Level<Space>& finest = hierarchy.levels().front();
    const Coefficients root = hierarchy.inverse_root();
    for_grid(space, finest.grid, Enter<T>{root, r.data(), finest.b.data()});
    const Iterate x = solve(0);
    with_shape(finest.dimensions, finest.star, [&]<class S>(S) {
      const float last = hierarchy.levels().size() > 1 ? omega(finest, 0) : 0.0f;
      const Smooth<S> smooth{finest.operator_view(), finest.b.data(), x.x, x.c, last, nullptr};
      sum_grid(space, finest.grid, Leave<S, T>{smooth, root, static_cast<T>(hierarchy.power()), r.data(), z.data()},
               slot);
    });
  }
};

template <class Space, class T>
std::string Multigrid<Space, T>::why_not(const Structure& s) {
  if (!s.positive_diagonal) return "the diagonal isn't positive";
  if (!s.finite) return "not all values are finite";
  constexpr double largest = sizeof(T) == 4 ? 1e32 : 1e250;  // 1 / A stays in range, with room for the size of x
  if (!(s.norm_inf < largest && s.norm_inf > 1 / largest)) return "the values are too large or too small";
  return {};
}

template <class Space, class T>
MultigridOptions Multigrid<Space, T>::parse_options(std::string_view text) {
  MultigridOptions parsed;
  const std::array<PreconditionerOption, 3> known = {{
      {"kind", "structured", [](std::string_view value) { return value == "structured"; }},
      {"sweeps", "0..8", [&](std::string_view value) { return read_number(value, 0, most_sweeps, parsed.sweeps); }},
      {"smoother", "jacobi|chebyshev",
       [&](std::string_view value) {
         parsed.smoother = value == "chebyshev" ? Smoother::chebyshev : Smoother::jacobi;
         return value == "chebyshev" || value == "jacobi";
       }},
  }};
  read_options(name, text, known);
  return parsed;
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options) {
  const auto refuse = [](const std::string& why) {
    throw ArgumentError("multigrid: " + why + "; use --precond jacobi");
  };
  if (const std::string why = why_not(analysis.structure()); !why.empty()) refuse(why);
  if (options.sweeps < 0 || options.sweeps > most_sweeps) throw ArgumentError("multigrid: sweeps must be in 0..8");
  if (!analysis.grid()) refuse(analysis.grid().why_not);
  state_ = std::make_unique<State>(analysis, options);
  if (!(rate() < 1)) refuse("a cycle doesn't make a random error smaller");
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>& Multigrid<Space, T>::operator=(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>::~Multigrid() = default;

template <class Space, class T>
void Multigrid<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), state_->hierarchy.levels().front().grid.points());
  *this = Multigrid(analysis, state_->options);
}

template <class Space, class T>
void Multigrid<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  state_->apply(r, z, state_->unused.data());
}

template <class Space, class T>
void Multigrid<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  state_->apply(r, z, slot);
}

template <class Space, class T>
std::size_t Multigrid<Space, T>::bytes() const {
  return state_->hierarchy.bytes();
}

template <class Space, class T>
std::vector<PreconditionerLevel> Multigrid<Space, T>::levels() const {
  std::vector<PreconditionerLevel> all;
  for (const auto& level : state_->hierarchy.levels()) {
    const Grid grid{level.grid, level.dimensions, level.star};
    all.push_back(
        {level.grid.points(), level.nonzeros(), level.bytes(), grid.text(), level.by_class ? "classes" : "diagonals"});
  }
  return all;
}

/// Each level reads its operator twice and its weights twice, and moves ten vectors.
template <class Space, class T>
double Multigrid<Space, T>::seconds() const {
  if constexpr (Space::on_device) {
    constexpr double launches = 10e-6;
    double bytes = 0;
    for (const auto& level : state_->hierarchy.levels())
      bytes += 2 * static_cast<double>(level.bytes()) + 16 * static_cast<double>(level.grid.points());
    return launches * static_cast<double>(state_->hierarchy.levels().size()) + bytes / state_->space.bandwidth();
  } else {
    return 0;
  }
}

template <class Space, class T>
double Multigrid<Space, T>::rate() const {
  return state_->rate;
}

template class Multigrid<Host, float>;
template class Multigrid<Host, double>;
template class Multigrid<Cuda, float>;
template class Multigrid<Cuda, double>;

OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
