// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/slab_multigrid.hpp>

#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/preconditioners/multigrid/rate.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

template <class Local, class T>
std::unique_ptr<SlabMultigrid<Local, T>> SlabMultigrid<Local, T>::make(const DistributedOperator<Local, T>& a,
                                                                       const CsrView<T>& mine,
                                                                       const MultigridOptions& options,
                                                                       const StopRequest& stop,
                                                                       const MemoryBudget& memory) {
  const Team& team = a.space().team();
  const Facts& facts = *a.facts();
  multigrid_definition::require_usable(options);
  if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
  const bool asked = options.kind == MultigridKind::automatic || options.kind == MultigridKind::structured;
  if (!asked || multigrid_definition::has_preconditioner(options) || !facts.positive_diagonal ||
      static_cast<std::size_t>(facts.rows) <= multigrid::fewest_shared_points)
    return nullptr;
  const multigrid::ConstantGrid found = multigrid::find_constant_grid(team, facts, a.row_parts(), mine);
  if (found.grid.dimensions < 2) return nullptr;
  const Smoother smoother = multigrid_definition::structured_smoother(options);
  const int sweeps = options.sweeps > 0 ? options.sweeps : facts.symmetric && smoother == Smoother::jacobi ? 1 : 2;
  auto cycle = multigrid::make_slab_cycle(a.space(), found, facts.norm_inf, a.row_parts(), smoother, sweeps, memory);
  if (!cycle) return nullptr;
  return std::unique_ptr<SlabMultigrid>(new SlabMultigrid(a, std::move(*cycle)));
}

template <class Local, class T>
SlabMultigrid<Local, T>::SlabMultigrid(const DistributedOperator<Local, T>& a, multigrid::Cycle<Space> cycle)
    : PreconditionerBase<Space, T>(a.space()), rows_(a.rows()), cycle_(std::move(cycle)) {
  rate_ = a.space().team().together([&] { return tried(a); });
  if (!(rate_ < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
}

/// By what a cycle shrinks a random error, which is the same for any number of ranks.
template <class Local, class T>
double SlabMultigrid<Local, T>::tried(const DistributedOperator<Local, T>& a) const {
  const Team& team = a.space().team();
  const Local& local = a.space().local();
  const auto first = static_cast<std::size_t>(a.row_parts().begin(team));
  Vector<Local, T> r(local, rows_), z(local, rows_);
  Vector<Local, double> squares(local, 2);
  for_each(local, rows_, multigrid::FillRandom<T>{z.data(), first});
  a.apply(1, std::as_const(z).span(), 0, r.span());
  cycle_.template apply<T>({r.data()}, {z.data()}, nullptr);
  sum(local, rows_, multigrid::RandomLeft<T>{{1, nullptr}, 1, z.data(), first}, squares.data());
  const std::vector<double> values = squares.download();
  return multigrid::part_left(team.sum(values[0]), team.sum(values[1]), 0);
}

template <class Local, class T>
void SlabMultigrid<Local, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k) cycle_.template apply<T>({r.column(k).data()}, {z.column(k).data()}, nullptr);
}

template <class Local, class T>
void SlabMultigrid<Local, T>::apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
  for (int k = 0; k < z.columns; ++k) cycle_.template apply<T>({r.column(k).data()}, {z.column(k).data()}, slots + k);
}

template <class Local, class T>
std::size_t SlabMultigrid<Local, T>::bytes() const {
  std::size_t total = 0;
  for (const PreconditionerLevel& level : levels()) total += level.bytes;
  return total;
}

template <class Local, class T>
std::string SlabMultigrid<Local, T>::remarks() const {
  return std::to_string(levels().size()) + " grids, of which ranks share " + std::to_string(cycle_.levels().size() - 1);
}

OSTINATO_CLASS(SlabMultigrid);

}  // namespace ostinato
