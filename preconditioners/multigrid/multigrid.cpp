// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include <utility>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

namespace {

/// Steps of Jacobi when the options name none.
int sweeps_for(const Structure& s) { return s.symmetric ? 1 : 2; }

constexpr const char* no_smaller_error = "a cycle doesn't make a random error smaller";

[[noreturn]] void refuse(const std::string& why) {
  throw ArgumentError("multigrid: " + why + "; use --precond jacobi");
}

}  // namespace

template <class Space, class T>
struct Multigrid<Space, T>::State {
  Space space;
  multigrid::Cycle<Space, T> cycle;
  Vector<Space, double> unused;  ///< takes the dot product that apply() doesn't give

  State(const Space& home, multigrid::Hierarchy<Space, T> hierarchy, const Structure& s,
        const MultigridOptions& options)
      : space(home),
        cycle(space, std::move(hierarchy), options.sweeps > 0 ? options.sweeps : sweeps_for(s)),
        unused(space, 1) {}
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
Multigrid<Space, T>::Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options) {
  const Structure& s = analysis.structure();
  if (const std::string why = why_not(s); !why.empty()) refuse(why);
  if (!analysis.grid()) refuse(analysis.grid().why_not);
  state_ =
      std::make_unique<State>(analysis.space(), multigrid::Hierarchy<Space, T>(analysis, analysis.grid()), s, options);
  if (!(rate() < 1)) refuse(no_smaller_error);
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options) {
  const Structure& s = stencil.structure();
  if (const std::string why = why_not(s); !why.empty()) refuse(why);
  state_ = std::make_unique<State>(stencil.space(), multigrid::Hierarchy<Space, T>(stencil), s, options);
  if (!(rate() < 1)) refuse(no_smaller_error);
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>& Multigrid<Space, T>::operator=(Multigrid&&) noexcept = default;
template <class Space, class T>
Multigrid<Space, T>::~Multigrid() = default;

template <class Space, class T>
void Multigrid<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  state_->cycle.apply({r.data()}, {z.data()}, state_->unused.data());
}

template <class Space, class T>
void Multigrid<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  state_->cycle.apply({r.data()}, {z.data()}, slot);
}

template <class Space, class T>
std::size_t Multigrid<Space, T>::bytes() const {
  return state_->cycle.bytes();
}

template <class Space, class T>
double Multigrid<Space, T>::seconds() const {
  return state_->cycle.seconds();
}

template <class Space, class T>
std::vector<PreconditionerLevel> Multigrid<Space, T>::levels() const {
  std::vector<PreconditionerLevel> all;
  for (const auto& level : state_->cycle.hierarchy().levels()) {
    const Grid grid{level.grid, level.dimensions, level.star};
    all.push_back({level.grid.points(), level.nonzeros(), state_->cycle.bytes(all.size()), grid.text(),
                   level.by_class ? "classes" : "diagonals"});
  }
  return all;
}

template <class Space, class T>
double Multigrid<Space, T>::rate() const {
  return state_->cycle.rate();
}

template class Multigrid<Host, float>;
template class Multigrid<Host, double>;
template class Multigrid<Cuda, float>;
template class Multigrid<Cuda, double>;

OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
