// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/distributed_multigrid.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/distributed_levels.hpp>
#include <ostinato/preconditioners/multigrid/gathered_multigrid.hpp>
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

namespace {

/// Of a matrix that isn't on a grid of constant coefficients.
template <class Local, class T>
void require_for_levels(const MultigridOptions& options, const Facts& facts) {
  Structure structure;
  static_cast<Facts&>(structure) = facts;
  multigrid_definition::require_suitable<Local, T>(structure);
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
template <class Local, class T>
MultigridOptions for_levels(MultigridOptions options, const Facts& facts) {
  require_for_levels<Local, T>(options, facts);
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
  double rate = 0;
  bool is_capturable = false;

  State(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MultigridOptions& given,
        const StopRequest& stop, const MemoryBudget& memory)
      : space(a.space()), options(given), rows(a.rows()) {
    const Team& team = space.team();
    multigrid_definition::require_usable(options);
    if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
    take_levels(a, mine, stop, memory);
    if constexpr (is_cuda<Local>) is_capturable = space.can_capture();
    rate = team.together([&] { return tried(); });
    if (!(rate < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
  }

  void take_levels(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const StopRequest& stop,
                   const MemoryBudget& memory) {
    options = for_levels<Local, T>(options, *a.facts());
    made.emplace(a, mine, options, stop, memory);
    const auto* const rest = made->rest();
    cycle.emplace(space.team().agreed([&] {
      std::optional<algebraic::InnerLevels> inner;
      if (rest != nullptr) inner = rest->inner_above();
      return algebraic::make_cycle<Space>(space, made->levels(), rest, std::abs(made->power()),
                                          options.smoother.value_or(Smoother::jacobi),
                                          multigrid_definition::algebraic_sweeps(options), inner);
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
      cycle->run(multigrid::Ends<float>{{r.data()}, {z.data()}, nullptr, 1});
    };
    if (made->rest() == nullptr) return multigrid::rate_of_repeated(space, rows, energy, product, once);
    return multigrid::try_on_error(space, rows, energy, false, product, once).rate;
  }
};

template <class Local, class T>
auto DistributedMultigrid<Local, T>::make(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                          const MultigridOptions& options, const StopRequest& stop,
                                          const MemoryBudget& memory)
    -> std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> {
  if (a.facts()->rows <= algebraic::fewest_shared_rows)
    return std::make_unique<GatheredMultigrid<Local, T>>(a, mine, options, stop, memory);
  return std::make_unique<DistributedMultigrid>(a, mine, options, stop, memory);
}

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
  for (int k = 0; k < z.columns; ++k) state_->template apply<T>(r.column(k).data(), z.column(k).data(), nullptr);
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
  return state_->cycle->varies() || (rest != nullptr && rest->varies());
}

template <class Local, class T>
bool DistributedMultigrid<Local, T>::capturable() const {
  if constexpr (is_cuda<Local>) return state_->is_capturable;
  return false;
}

template <class Local, class T>
std::vector<PreconditionerLevel> DistributedMultigrid<Local, T>::levels() const {
  std::vector<PreconditionerLevel> all = state_->cycle->grids();
  if (state_->made->rest() != nullptr) {
    all.pop_back();
    for (PreconditionerLevel& level : state_->made->rest()->grids()) all.push_back(std::move(level));
  }
  return all;
}

template <class Local, class T>
std::string DistributedMultigrid<Local, T>::remarks() const {
  const bool has_rest = state_->made->rest() != nullptr;
  const std::size_t shared = state_->cycle->levels().size() - (has_rest ? 1 : 0);
  return std::to_string(levels().size()) + " grids, of which ranks share " + std::to_string(shared);
}

OSTINATO_CLASS(DistributedMultigrid);

}  // namespace ostinato
