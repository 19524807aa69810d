// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include <array>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>
#include <ostinato/preconditioners/option_text.hpp>
#include <ostinato/preconditioners/require_rows.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace {

constexpr int most_sweeps = 8;

int sweeps_for(const MultigridOptions& options, const Structure& s) {
  if (options.sweeps > 0) return options.sweeps;
  return s.symmetric && options.smoother == Smoother::jacobi ? 1 : 2;
}

constexpr const char* no_smaller_error = "a cycle doesn't make a random error smaller";

[[noreturn]] void refuse(const std::string& why) {
  throw ArgumentError("multigrid: " + why + "; use --precond jacobi");
}

void require_usable(const MultigridOptions& options) {
  if (options.sweeps < 0 || options.sweeps > most_sweeps) throw ArgumentError("multigrid: sweeps must be in 0..8");
}

}  // namespace

template <class Space, class T>
struct Multigrid<Space, T>::State {
  using Cycle = multigrid::Cycle<Space, T>;
  using Hierarchy = multigrid::Hierarchy<Space, T>;

  Space space;
  Grid grid;
  MultigridOptions options;
  std::vector<Cycle> cycles;     ///< one for each unknown of a point
  Vector<Space, double> unused;  ///< takes the dot product that apply() doesn't give
  double rate = 0;

  State(const Analysis<Space, T>& analysis, const MultigridOptions& given)
      : space(analysis.space()), grid(analysis.grid()), options(given), unused(space, 1) {
    cycles.reserve(static_cast<std::size_t>(grid.unknowns));
    for (int u = 0; u < grid.unknowns; ++u) cycles.push_back(cycle(Hierarchy(analysis, grid, u), analysis.structure()));
    rate = cycles.size() == 1 ? cycles.front().rate() : measure_rate(analysis.matrix().view());
  }

  State(const StencilOperator<Space, T>& stencil, const MultigridOptions& given)
      : space(stencil.space()), grid(stencil.grid()), options(given), unused(space, 1) {
    cycles.push_back(cycle(Hierarchy(stencil), stencil.structure()));
    rate = cycles.front().rate();
  }

  Cycle cycle(Hierarchy hierarchy, const Structure& s) const {
    return Cycle(space, std::move(hierarchy), options.smoother, sweeps_for(options, s));
  }

  /// The elements that belong to unknown u.
  template <class V>
  multigrid::Strided<V> unknown(V* v, std::size_t u) const {
    if (grid.by_field) return {v + u * grid.extents.points()};
    return {v + u, static_cast<Index>(cycles.size())};
  }

  /// z = M^-1 r. With one unknown, *slot = r . z; otherwise the last unknown's part of it.
  void apply(const T* r, T* z, double* slot) const {
    for (std::size_t u = 0; u < cycles.size(); ++u) cycles[u].apply(unknown(r, u), unknown(z, u), slot);
  }
  double measure_rate(const CsrView<T>& a);
};

template <class Space, class T>
double Multigrid<Space, T>::State::measure_rate(const CsrView<T>& a) {
  const auto n = static_cast<std::size_t>(a.rows);
  const double power = cycles.front().hierarchy().power();
  Vector<Space, T> r(space, n), z(space, n);
  Vector<Space, double> squares(space, 2);
  for_each(space, n, multigrid::ProductOfRandom<T>{detail::pattern_of(a), a.val.data(), power, r.data()});
  apply(r.data(), z.data(), unused.data());
  sum(space, n, multigrid::RandomLeft<T>{power, z.data()}, squares.data());
  const std::vector<double> values = squares.download();
  return std::sqrt(values[0] / values[1]);
}

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
  require_usable(options);
  if (const std::string why = why_not(analysis.structure()); !why.empty()) refuse(why);
  const Grid& grid = analysis.grid();
  if (!grid) refuse(grid.why_not);
  state_ = std::make_unique<State>(analysis, options);
  if (!(rate() < 1)) refuse(no_smaller_error);
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options) {
  require_usable(options);
  if (const std::string why = why_not(stencil.structure()); !why.empty()) refuse(why);
  state_ = std::make_unique<State>(stencil, options);
  if (!(rate() < 1)) refuse(no_smaller_error);
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>& Multigrid<Space, T>::operator=(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>::~Multigrid() = default;

template <class Space, class T>
auto Multigrid<Space, T>::state() const -> State& {
  if (state_ == nullptr) throw ArgumentError("multigrid: the preconditioner was moved from");
  return *state_;
}

template <class Space, class T>
void Multigrid<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), state().grid.extents.points() * state().cycles.size());
  *this = Multigrid(analysis, state().options);
}

template <class Space, class T>
void Multigrid<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  state().apply(r.data(), z.data(), state().unused.data());
}

template <class Space, class T>
void Multigrid<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  state().apply(r.data(), z.data(), slot);
  if (state().cycles.size() > 1) dot<T>(state().space, r, z, slot);
}

template <class Space, class T>
std::size_t Multigrid<Space, T>::bytes() const {
  std::size_t total = 0;
  for (const auto& cycle : state().cycles) total += cycle.bytes();
  return total;
}

template <class Space, class T>
double Multigrid<Space, T>::seconds() const {
  double total = 0;
  for (const auto& cycle : state().cycles) total += cycle.seconds();
  return total;
}

template <class Space, class T>
std::vector<PreconditionerLevel> Multigrid<Space, T>::levels() const {
  std::vector<PreconditionerLevel> all;
  for (const auto& cycle : state().cycles) {
    std::size_t k = 0;
    for (const auto& level : cycle.hierarchy().levels()) {
      Grid grid = state().grid;
      grid.extents = level.grid;
      grid.star = level.star;
      grid.periodic = {level.periodic.x, level.periodic.y, level.periodic.z};
      if (k == all.size()) all.push_back({0, 0, 0, grid.text(), level.by_class ? "classes" : "diagonals"});
      PreconditionerLevel& sum = all[k];
      sum.rows += level.grid.points();
      sum.nonzeros += level.nonzeros();
      sum.bytes += cycle.bytes(k++);
    }
  }
  return all;
}

template <class Space, class T>
double Multigrid<Space, T>::rate() const {
  return state().rate;
}

template class Multigrid<Host, float>;
template class Multigrid<Host, double>;
template class Multigrid<Cuda, float>;
template class Multigrid<Cuda, double>;

OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
