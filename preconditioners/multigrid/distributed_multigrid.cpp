// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/distributed_multigrid.hpp>

#include <cmath>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/distributed_levels.hpp>
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>
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
  std::optional<algebraic::DistributedLevels<Local, T>> made;  ///< to which the cycle refers; none on a grid
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
    if (!take_grid(a, mine, memory)) take_levels(a, mine, stop, memory);
    rate = made && made->levels().size() == 1 && made->rest() != nullptr
               ? made->rest()->made().rate()
               : team.together([&] { return made ? tried() : tried_on_grid(a); });
    if (!(rate < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
  }

  /// Makes the cycle over slabs of a grid, where the matrix is on one, and large.
  bool take_grid(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MemoryBudget& memory) {
    const Facts& facts = *a.facts();
    const bool asked = options.kind == MultigridKind::automatic || options.kind == MultigridKind::structured;
    if (!asked || multigrid_definition::has_preconditioner(options) || !facts.positive_diagonal ||
        facts.rows <= algebraic::most_gathered_rows)
      return false;
    const multigrid::ConstantGrid found = multigrid::find_constant_grid(space.team(), facts, a.row_parts(), mine);
    if (found.grid.dimensions < 2) return false;
    const Smoother smoother = multigrid_definition::structured_smoother(options);
    const int sweeps = options.sweeps > 0 ? options.sweeps : facts.symmetric && smoother == Smoother::jacobi ? 1 : 2;
    auto slabs = multigrid::make_slab_cycle(space, found, facts.norm_inf, a.row_parts(), smoother, sweeps, memory);
    if (slabs) cycle.emplace(std::move(*slabs));
    return cycle.has_value();
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
    if (!made && slot != unused.data()) dot<V>(space, In<V>(r, rows), In<V>(z, rows), slot);
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

  /// The error is the same for any number of ranks.
  double tried_on_grid(const DistributedOperator<Local, T>& a) const {
    const auto first = static_cast<std::size_t>(a.row_parts().begin(space.team()));
    Vector<Local, T> e(space.local(), rows), r(space.local(), rows), z(space.local(), rows);
    for (std::size_t i = 0; i < rows; ++i) e.data()[i] = static_cast<T>(multigrid::random_error(first + i));
    a.apply(1, e.span(), 0, r.span());
    apply<T>(r.data(), z.data(), unused.data());
    double left = 0, all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      left += abs2(e.data()[i] - z.data()[i]);
      all += abs2(e.data()[i]);
    }
    return multigrid::part_left(space.team().sum(left), space.team().sum(all), 0);
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
  if (state_->made) return state_->made->bytes();
  std::size_t total = 2 * state_->rows * sizeof(double);
  for (const auto& level : state_->cycle->levels()) total += level->elements() * sizeof(float);
  for (const PreconditionerLevel& level : levels()) total += level.bytes;
  return total;
}

template <class Local, class T>
double DistributedMultigrid<Local, T>::rate() const {
  return state_->rate;
}

template <class Local, class T>
bool DistributedMultigrid<Local, T>::varies() const {
  const auto* const rest = state_->made ? state_->made->rest() : nullptr;
  return state_->cycle->varies() || (rest != nullptr && rest->made().varies());
}

template <class Local, class T>
bool DistributedMultigrid<Local, T>::symmetric() const {
  const auto* const rest = state_->made ? state_->made->rest() : nullptr;
  return rest == nullptr || rest->made().symmetric();
}

template <class Local, class T>
std::vector<PreconditionerLevel> DistributedMultigrid<Local, T>::levels() const {
  std::vector<PreconditionerLevel> all = state_->cycle->grids();
  if (state_->made && state_->made->rest() != nullptr) {
    all.pop_back();
    for (PreconditionerLevel& level : state_->made->rest()->made().levels()) all.push_back(std::move(level));
  }
  return all;
}

template <class Local, class T>
std::string DistributedMultigrid<Local, T>::remarks() const {
  const bool has_rest = !state_->made || state_->made->rest() != nullptr;
  const std::size_t shared = state_->cycle->levels().size() - (has_rest ? 1 : 0);
  return std::to_string(levels().size()) + " grids, of which ranks share " + std::to_string(shared);
}

template class DistributedMultigrid<Host, double>;
template class DistributedMultigrid<Host, float>;

}  // namespace ostinato
