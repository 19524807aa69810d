// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/distributed_multigrid.hpp>

#include <cmath>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/distributed_levels.hpp>
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

namespace {

/// Of a matrix that isn't gathered at once, and isn't on a grid.
void require_for_levels(const MultigridOptions& options) {
  if (options.kind == MultigridKind::structured)
    multigrid_definition::refuse("ranks take grids of constant coefficients alone, without periodic axes");
  if (options.kind != MultigridKind::automatic && options.kind != MultigridKind::plain)
    throw ArgumentError("multigrid: with ranks there are kind=automatic, kind=structured and kind=plain");
  if (multigrid_definition::has_preconditioner(options))
    throw ArgumentError("multigrid: with ranks there are smoother=jacobi and smoother=chebyshev");
  if (options.unknowns > 1) throw ArgumentError("multigrid: with ranks a point has one unknown");
  if (options.reuse != MultigridReuse::none) throw ArgumentError("multigrid: with ranks there is reuse=none");
}

/// The options of the levels, of which each rank has some rows.
MultigridOptions for_levels(MultigridOptions options, const Facts& facts) {
  if (facts.rows <= algebraic::most_gathered_rows) return options;
  require_for_levels(options);
  options.kind = MultigridKind::plain;
  options.smoother = options.smoother.value_or(facts.symmetric ? Smoother::chebyshev : Smoother::jacobi);
  return options;
}

}  // namespace

template <class Local, class T>
struct DistributedMultigrid<Local, T>::State {
  using Space = Distributed<Local>;

  Space space;
  MultigridOptions options;
  std::size_t rows;
  std::optional<algebraic::DistributedLevels<Local, T>> made;  ///< to which the cycle refers
  std::optional<multigrid::Cycle<Space>> cycle;
  mutable Vector<Local, sum_t<T>> unused;  ///< takes the dot product that apply() doesn't give
  double rate = 0;

  State(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MultigridOptions& given,
        const StopRequest& stop, const MemoryBudget& memory)
      : space(a.space()), options(given), rows(a.rows()) {
    const Team& team = space.team();
    multigrid_definition::require_usable(options);
    team.agreed([&] { unused = Vector<Local, sum_t<T>>(space.local(), 1); });
    if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
    take_levels(a, mine, stop, memory);
    rate = made->levels().size() == 1 && made->rest() != nullptr ? made->rest()->made().rate()
                                                                 : team.together([&] { return tried(); });
    if (!(rate < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
  }

  void take_levels(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const StopRequest& stop,
                   const MemoryBudget& memory) {
    options = for_levels(options, *a.facts());
    made.emplace(a, mine, options, stop, memory);
    cycle.emplace(space.team().agreed([&] {
      return algebraic::make_cycle<Space>(space, made->levels(), made->rest(), std::abs(made->power()),
                                          options.smoother.value_or(Smoother::jacobi),
                                          multigrid_definition::algebraic_sweeps(options), false);
    }));
  }

  template <class V>
  void apply(const V* r, V* z, Slot<V> slot) const {
    cycle->template apply<V>({r}, {z}, slot);
  }

  /// By what a cycle shrinks a random error; where the last level isn't solved, the last of some cycles.
  double tried() const {
    const auto& a = made->levels().front().a;
    const bool energy = a.facts()->symmetric;
    const auto product = [&](const auto& x, auto& y) { a.apply(1, x.span(), 0, y.span()); };
    const auto once = [&](const auto& r, auto& z) {
      cycle->run(multigrid::Ends<float>{{r.data()}, {z.data()}, unused.data(), 1});
    };
    if (made->rest() == nullptr) return multigrid::rate_of_repeated(space, rows, energy, product, once);
    return multigrid::try_on_error(space, rows, energy, false, product, once).rate;
  }
};

template <class Local, class T>
DistributedMultigrid<Local, T>::DistributedMultigrid(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                                     const MultigridOptions& options, const StopRequest& stop,
                                                     const MemoryBudget& memory)
    : PreconditionerBase<Distributed<Local>, T>(a.space()),
      state_(std::make_unique<State>(a, mine, options, stop, memory)) {}

template <class Local, class T>
DistributedMultigrid<Local, T>::~DistributedMultigrid() = default;

template <class Local, class T>
void DistributedMultigrid<Local, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k)
    state_->template apply<T>(r.column(k).data(), z.column(k).data(), state_->unused.data());
}

template <class Local, class T>
void DistributedMultigrid<Local, T>::apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
  for (int k = 0; k < z.columns; ++k) state_->template apply<T>(r.column(k).data(), z.column(k).data(), slots + k);
}

template <class Local, class T>
std::size_t DistributedMultigrid<Local, T>::rows() const {
  return state_->rows;
}

template <class Local, class T>
std::size_t DistributedMultigrid<Local, T>::bytes() const {
  return state_->made->bytes();
}

template <class Local, class T>
double DistributedMultigrid<Local, T>::rate() const {
  return state_->rate;
}

template <class Local, class T>
bool DistributedMultigrid<Local, T>::varies() const {
  const auto* const rest = state_->made->rest();
  return state_->cycle->varies() || (rest != nullptr && rest->made().varies());
}

template <class Local, class T>
bool DistributedMultigrid<Local, T>::symmetric() const {
  const auto* const rest = state_->made->rest();
  return rest == nullptr || rest->made().symmetric();
}

template <class Local, class T>
std::vector<PreconditionerLevel> DistributedMultigrid<Local, T>::levels() const {
  std::vector<PreconditionerLevel> all = state_->cycle->grids();
  if (state_->made->rest() != nullptr) {
    all.pop_back();
    for (PreconditionerLevel& level : state_->made->rest()->made().levels()) all.push_back(std::move(level));
  }
  return all;
}

template <class Local, class T>
std::string DistributedMultigrid<Local, T>::remarks() const {
  const bool has_rest = state_->made->rest() != nullptr;
  const std::size_t shared = state_->cycle->levels().size() - (has_rest ? 1 : 0);
  return std::to_string(levels().size()) + " grids, of which ranks share " + std::to_string(shared);
}

template class DistributedMultigrid<Host, double>;
template class DistributedMultigrid<Host, float>;

}  // namespace ostinato
