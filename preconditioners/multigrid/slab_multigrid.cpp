// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/slab_multigrid.hpp>

#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/preconditioners/multigrid/rate.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

/// The cycle for vectors in float.
template <class Local, class T>
class SlabMultigrid<Local, T>::Lower final : public PreconditionerBase<Space, float> {
 public:
  explicit Lower(const SlabMultigrid& m) : PreconditionerBase<Space, float>(m.space_), m_(m) {}
  void apply(Block<const float> r, Block<float> z) const override { m_.template cycle<float>(r, z, nullptr); }
  void apply_dot(Block<const float> r, Block<float> z, Slot<float> slots) const override {
    m_.template cycle<float>(r, z, slots);
  }
  bool capturable() const override { return m_.capturable(); }

 private:
  const SlabMultigrid& m_;
};

namespace {

/// Whether options ask for such a cycle, and the facts allow it.
/// Throws    Stopped.
bool may_be(const Team& team, const Facts& facts, const MultigridOptions& options, const StopRequest& stop) {
  multigrid_definition::require_usable(options);
  if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
  const bool asked = options.kind == MultigridKind::automatic || options.kind == MultigridKind::structured;
  return asked && !multigrid_definition::has_preconditioner(options) && facts.positive_diagonal &&
         static_cast<std::size_t>(facts.rows) > multigrid::fewest_shared_points;
}

}  // namespace

template <class Local, class T>
std::unique_ptr<SlabMultigrid<Local, T>> SlabMultigrid<Local, T>::make(const DistributedOperator<Local, T>& a,
                                                                       const CsrView<T>& mine,
                                                                       const MultigridOptions& options,
                                                                       const StopRequest& stop,
                                                                       const MemoryBudget& memory) {
  const Team& team = a.space().team();
  if (!may_be(team, *a.facts(), options, stop)) return nullptr;
  return make(a, a.row_parts(), multigrid::find_constant_grid(team, *a.facts(), a.row_parts(), mine), options, memory);
}

template <class Local, class T>
std::unique_ptr<SlabMultigrid<Local, T>> SlabMultigrid<Local, T>::make(const DistributedStencil<Local, T>& a,
                                                                       const MultigridOptions& options,
                                                                       const StopRequest& stop,
                                                                       const MemoryBudget& memory) {
  if (!may_be(a.space().team(), *a.facts(), options, stop) || a.table().empty() || !a.grid().periodic_axes().empty())
    return nullptr;
  return make(a, a.row_parts(), {a.grid(), a.table()}, options, memory);
}

template <class Local, class T>
std::unique_ptr<SlabMultigrid<Local, T>> SlabMultigrid<Local, T>::make(const Map& a, const Partition& rows,
                                                                       const multigrid::ConstantGrid& found,
                                                                       const MultigridOptions& options,
                                                                       const MemoryBudget& memory) {
  if (found.grid.dimensions < 2) return nullptr;
  const Facts& facts = *a.facts();
  const Smoother smoother = multigrid_definition::structured_smoother(options);
  const int sweeps = options.sweeps > 0 ? options.sweeps : facts.symmetric && smoother == Smoother::jacobi ? 1 : 2;
  auto cycle = multigrid::make_slab_cycle(a.space(), found, facts.norm_inf, rows, smoother, sweeps, memory);
  if (!cycle) return nullptr;
  return std::unique_ptr<SlabMultigrid>(new SlabMultigrid(a, rows, std::move(*cycle)));
}

template <class Local, class T>
SlabMultigrid<Local, T>::SlabMultigrid(const Map& a, const Partition& rows, multigrid::Cycle<Space> cycle)
    : PreconditionerBase<Space, T>(a.space()), rows_(a.rows()), cycle_(std::move(cycle)) {
  if constexpr (is_cuda<Local>) capturable_ = a.space().can_capture();
  rate_ = a.space().team().together([&] { return tried(a, rows); });
  if (!(rate_ < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
  const double power = cycle_.power();
  if (!is_single<T> && power < multigrid_definition::largest_power_in_float &&
      power > 1 / multigrid_definition::largest_power_in_float)
    lower_ = std::make_unique<Lower>(*this);
  if (lower_ != nullptr && capturable_) load_kernels();
}

/// Captures a cycle and drops it. So the kernels of captured cycles are on the GPU before a solve would wait for them.
template <class Local, class T>
void SlabMultigrid<Local, T>::load_kernels() const {
  if constexpr (is_cuda<Local>) {
    const Local& local = this->space_.local();
    const RanksTogether ranks(this->space_);
    if (!ranks.all(CudaGraph::can_capture(local))) return;
    Vector<Local, double> unread(local, 2);  // nothing of the cycle runs
    float* const v = reinterpret_cast<float*>(unread.data());
    CudaGraph graph(local);
    try {
      RanksTogether(ranks).captured([&] {
        graph.begin();
        cycle_.template apply<float>({static_cast<const float*>(v)}, {v}, unread.data());
      });
    } catch (const DeviceError&) {  // a solve will find out, too
    }
    (void)graph.abandon();
  }
}

/// By what a cycle shrinks a random error, which is the same for any number of ranks.
template <class Local, class T>
double SlabMultigrid<Local, T>::tried(const Map& a, const Partition& rows) const {
  const Team& team = a.space().team();
  const Local& local = a.space().local();
  const auto first = static_cast<std::size_t>(rows.begin(team));
  Vector<Local, T> r(local, rows_), z(local, rows_);
  Vector<Local, double> squares(local, 2);
  for_each(local, rows_, multigrid::FillRandom<T>{z.data(), first});
  a.apply(1, std::as_const(z).span(), 0, r.span());
  cycle_.template apply<T>({r.data()}, {z.data()}, nullptr);
  sum(local, rows_, multigrid::RandomLeft<T>{{1, nullptr}, 1, z.data(), first}, squares.data());
  const std::vector<double> values = squares.download();
  return multigrid::part_left(team.sum(values[0]), team.sum(values[1]), 0);
}

/// slots: null, or for r . z of each column.
template <class Local, class T>
template <class V>
void SlabMultigrid<Local, T>::cycle(Block<const V> r, Block<V> z, Slot<V> slots) const {
  for (int k = 0; k < z.columns; ++k)
    cycle_.template apply<V>({r.column(k).data()}, {z.column(k).data()}, slots == nullptr ? nullptr : slots + k);
}

template <class Local, class T>
void SlabMultigrid<Local, T>::apply(Block<const T> r, Block<T> z) const {
  cycle<T>(r, z, nullptr);
}

template <class Local, class T>
void SlabMultigrid<Local, T>::apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
  cycle<T>(r, z, slots);
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
