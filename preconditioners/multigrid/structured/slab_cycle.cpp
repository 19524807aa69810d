// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/slabs.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato::multigrid {

namespace {

using cycle_definition::Iterate;
using cycle_definition::with_axes;
using cycle_definition::with_operator;

/// A step over the planes of a slab, which are counted from its first one.
template <class F>
struct OnSlab {
  F f;
  Index y0, z0;

  auto operator()(Index x, Index y, Index z) const { return f(x, y + y0, z + z0); }
  Range even(int n) const { return f.even(n); }
  auto segment(Index x, Index count, Index y, Index z) const { return f.segment(x, count, y + y0, z + z0); }
};

/// Interpolate, which reads no other coarse points than those that count: others aren't on the rank.
template <int Axes>
struct InterpolateNear {
  using H = Halved<Axes>;

  Interpolate<Axes> all;

  void operator()(Index cx, Index y, Index z) const {
    const bool between_y = H::y && y % 2 == 0, between_z = H::z && z % 2 == 0;
    const Index cy = H::y ? y / 2 : y, cz = H::z ? z / 2 : z;
    float own = 0, before = 0;
    for (int back_z = 0; back_z <= (between_z ? 1 : 0); ++back_z) {
      for (int back_y = 0; back_y <= (between_y ? 1 : 0); ++back_y) {
        const Step d{0, !between_y ? 0 : back_y ? 1 : -1, !between_z ? 0 : back_z ? 1 : -1};
        add(cx, cy - back_y, cz - back_z, static_cast<std::size_t>(H::coefficient(d.number())), own, before);
      }
    }
    const Index at = Halving::fine(H::x, cx);
    const std::size_t i = all.fine.number(at, y, z);
    if (at < all.fine.x) all.out[i] = all.c * all.x[i] + own;
    if (H::x) all.out[i - 1] = all.c * all.x[i - 1] + before;
  }
  Range even(int n) const { return all.even(n); }
  void segment(Index cx, Index count, Index y, Index z) const { all.segment(cx, count, y, z); }

 private:
  /// Adds what the coarse points cx and cx - 1 of a line give, in the order of Interpolate.
  void add(Index cx, Index cy, Index cz, std::size_t coefficient, float& own, float& before) const {
    const Coefficients& p = all.p;
    if (cy < 0 || cz < 0 || cy >= p.grid.y || cz >= p.grid.z) return;
    const std::size_t stride = p.stride();
    const auto weight = [&](std::size_t c, Index x, std::size_t j) { return p.a[c * stride + p.at(x, cy, cz, j)]; };
    if (cx < p.grid.x) {
      const std::size_t j = p.grid.number(cx, cy, cz);
      own += weight(coefficient, cx, j) * all.coarse[j];
      if constexpr (H::x) before += weight(coefficient - 1, cx, j) * all.coarse[j];
    }
    if constexpr (H::x) {
      if (cx == 0) return;
      const std::size_t j = p.grid.number(cx - 1, cy, cz);
      before += weight(coefficient + 1, cx - 1, j) * all.coarse[j];
    }
  }
};

/// What all levels know, and the moves of r and z of the finest.
template <class Local>
struct SlabShared {
  Distributed<Local> space;
  cycle_definition::Shared<Local> one;  ///< as on one rank
  PartMove of_r, of_z;
  mutable std::vector<double> r, z;  ///< of the slab
};

/// A grid of which each rank has a slab, step by step (StepLevel).
template <class Local>
class SlabLevel final : public CycleLevel<Distributed<Local>> {
 public:
  SlabLevel(std::shared_ptr<const SlabShared<Local>> shared, std::size_t k, Slabs slabs)
      : shared_(std::move(shared)), k_(k), slabs_(std::move(slabs)) {}

  void set_next(const CycleLevel<Distributed<Local>>* next) { next_ = next; }

  void enter(const Ends<float>& ends) const override { enter_by(ends); }
  void enter(const Ends<double>& ends) const override { enter_by(ends); }
  void leave(const Ends<float>& ends, const float* coarse) const override { leave_by(ends, coarse); }
  void leave(const Ends<double>& ends, const float* coarse) const override { leave_by(ends, coarse); }

  void descend(int) const override {
    for (int sweep = 1; sweep < one().sweeps; ++sweep) smooth(sweep, smoothed(sweep), sweep % 2 == 1 ? x_ : t_);
    const Iterate x = smoothed(one().sweeps);
    float* const residual = other(x);
    exchange(x);
    with_operator(level(), [&]<class S>(S, const Coefficients& a) { run(Residual<S>{a, b_, x.x, x.c, residual}); });
    slabs_.exchange(team(), residual);
    restrict(residual);
  }

  /// x has the planes beside those of this rank.
  const float* ascend(int, const float* coarse) const override {
    const Iterate x = correct(coarse);
    float* const out = other(x);
    smooth(0, x, out);
    slabs_.exchange(team(), out);
    return out;
  }

  float* right_hand_side() const override { return b_; }
  std::size_t elements() const override { return 3 * elements_of_vector(); }
  void place(float* memory) override {
    const auto from = static_cast<std::ptrdiff_t>(margin()) - static_cast<std::ptrdiff_t>(slabs_.first_point());
    for (float** const v : {&b_, &x_, &t_}) *v = std::exchange(memory, memory + elements_of_vector()) + from;
  }
  double seconds(std::size_t) const override { return 0; }
  void describe(std::vector<PreconditionerLevel>& all) const override { one().describe(k_, 0, 0, all); }

 private:
  const cycle_definition::Shared<Local>& one() const { return shared_->one; }
  const Level<Local>& level() const { return one().level(k_); }
  const Team& team() const { return shared_->space.team(); }
  std::size_t margin() const { return Field<Local>::margin(level().grid, level().dimensions); }
  std::size_t elements_of_vector() const { return in_whole_lines(slabs_.points() + 2 * margin()); }

  /// Does a step at the points of this rank.
  template <class F>
  void run(const F& f) const {
    run_on(slabs_, slabs_.own(), f);
  }
  template <class F>
  void run_on(const Slabs& slabs, const Extents& own, const F& f) const {
    const bool deep = level().dimensions == 3;
    for_grid(shared_->space.local(), own, OnSlab<F>{f, deep ? 0 : slabs.begin(), deep ? slabs.begin() : 0});
  }

  void exchange(const Iterate& x) const { slabs_.exchange(team(), const_cast<float*>(x.x)); }
  Iterate smoothed(int sweeps) const {
    if (sweeps == 1) return {b_, one().omega(k_, 0)};
    return {sweeps % 2 == 0 ? x_ : t_, 1};
  }
  float* other(const Iterate& x) const { return x.x == t_ ? x_ : t_; }

  void smooth(int sweep, const Iterate& from, float* out) const {
    exchange(from);
    with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      run(Smooth<S>{a, b_, from.x, from.c, one().omega(k_, sweep), out});
    });
  }

  void restrict(const float* residual) const {
    const Level<Local>& l = level();
    Extents own = l.next;
    (l.dimensions == 3 ? own.z : own.y) = slabs_.end() / 2 - slabs_.begin() / 2;
    const bool deep = l.dimensions == 3;
    const Index first = slabs_.begin() / 2;
    with_axes(l.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      using F = Restrict<A>;
      for_grid(shared_->space.local(), own,
               OnSlab<F>{F{l.weights_view(), l.grid, residual, next_->right_hand_side()}, deep ? 0 : first,
                         deep ? first : 0});
    });
  }

  /// Adds the coarse solution to x and smooths all but one time.
  Iterate correct(const float* coarse) const {
    const Level<Local>& l = level();
    Iterate x = smoothed(one().sweeps);
    float* out = other(x);
    with_axes(l.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      const InterpolateNear<A> step{{l.weights_view(), l.grid, x.x, x.c, coarse, out}};
      Extents cells = slabs_.own();
      cells.x = step.all.cells().x;
      run_on(slabs_, cells, step);
    });
    x = {out, 1};
    for (int sweep = one().sweeps - 1; sweep > 0; --sweep) {
      out = other(x);
      smooth(sweep, x, out);
      x = {out, 1};
    }
    return x;
  }

  template <class T>
  void enter_by(const Ends<T>& ends) const {
    T* const r = reinterpret_cast<T*>(shared_->r.data());
    shared_->of_r.run(team(), ends.r.first, r);
    run(Enter<T>{one().hierarchy->inverse_root(), {r - slabs_.first_point()}, b_});
    descend(0);
  }
  template <class T>
  void leave_by(const Ends<T>& ends, const float* coarse) const {
    const Iterate x = correct(coarse);
    exchange(x);
    const auto base = static_cast<std::ptrdiff_t>(slabs_.first_point());
    const T* const r = reinterpret_cast<const T*>(shared_->r.data());
    T* const z = reinterpret_cast<T*>(shared_->z.data());
    with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      const Smooth<S> last{a, b_, x.x, x.c, one().omega(k_, 0), nullptr};
      run(Leave<S, T>{last, one().hierarchy->inverse_root(), static_cast<T>(ends.factor), {r - base}, {z - base}});
    });
    shared_->of_z.run(team(), z, ends.z.first);
  }

  std::shared_ptr<const SlabShared<Local>> shared_;
  std::size_t k_;
  Slabs slabs_;
  const CycleLevel<Distributed<Local>>* next_ = nullptr;
  float *b_ = nullptr, *x_ = nullptr, *t_ = nullptr;  ///< where point 0 would be
};

/// A grid that is gathered, and those below.
template <class Local>
class GatheredLevel final : public CycleLevel<Distributed<Local>> {
 public:
  GatheredLevel(std::shared_ptr<const SlabShared<Local>> shared, Slabs slabs, Cycle<Local> rest)
      : shared_(std::move(shared)), slabs_(std::move(slabs)), rest_(std::move(rest)) {
    for (int r = 0; r < slabs_.parts().ranks(); ++r)
      most_ = std::max(most_, static_cast<std::size_t>(slabs_.parts().offset(r + 1) - slabs_.parts().offset(r)));
    all_.resize(most_ * static_cast<std::size_t>(slabs_.parts().ranks()));
  }

  void descend(int) const override {}
  const float* ascend(int, const float*) const override {
    const Partition& parts = slabs_.parts();
    shared_->space.team().all_gather(own_, most_ * sizeof(float), all_.data());
    float* to = rest_.levels().front()->right_hand_side();
    for (int r = 0; r < parts.ranks(); ++r)
      to = std::copy_n(all_.data() + static_cast<std::size_t>(r) * most_, parts.offset(r + 1) - parts.offset(r), to);
    return rest_.solve();
  }

  float* right_hand_side() const override { return own_ - static_cast<std::ptrdiff_t>(slabs_.first_point()); }
  std::size_t elements() const override { return in_whole_lines(most_); }
  void place(float* memory) override { own_ = memory; }
  double seconds(std::size_t) const override { return 0; }
  void describe(std::vector<PreconditionerLevel>& all) const override {
    for (PreconditionerLevel& level : rest_.grids()) all.push_back(std::move(level));
  }

  // The finest level isn't gathered.
  void enter(const Ends<float>&) const override {}
  void enter(const Ends<double>&) const override {}
  void leave(const Ends<float>&, const float*) const override {}
  void leave(const Ends<double>&, const float*) const override {}

 private:
  std::shared_ptr<const SlabShared<Local>> shared_;
  Slabs slabs_;
  Cycle<Local> rest_;
  std::size_t most_ = 0;  ///< points of a rank
  mutable std::vector<float> all_;
  float* own_ = nullptr;
};

/// The number of grids that ranks share.
template <class Local>
std::size_t shared_grids(const std::vector<Level<Local>>& levels) {
  std::size_t k = 0;
  while (k + 1 < levels.size() && levels[k].grid.points() > most_gathered_points &&
         (levels[k].axes >> (levels[k].dimensions - 1) & 1) != 0)
    ++k;
  return k;
}

}  // namespace

template <class Local>
std::optional<Cycle<Distributed<Local>>> make_slab_cycle(const Distributed<Local>& space, const ConstantGrid& found,
                                                         double norm, const Partition& rows, Smoother smoother,
                                                         int sweeps, const MemoryBudget& memory) {
  const Team& team = space.team();
  const auto hierarchy = team.agreed([&] {
    return std::make_shared<const Hierarchy<Local>>(GridPlan<Local>(space.local(), found.grid, found.table, norm));
  });
  const std::vector<Level<Local>>& grids = hierarchy->levels();
  const std::size_t count = shared_grids(grids);
  if (count == 0) return {};
  std::vector<Slabs> slabs = {Slabs::nearest(team, found.grid.extents, found.grid.dimensions, rows)};
  for (std::size_t k = 0; k < count; ++k) slabs.push_back(slabs[k].halved(team, grids[k].next));
  const std::size_t points = slabs.front().points();
  team.agreed([&] { memory.announce({(3 * sizeof(float) + 2 * sizeof(double)) * points, Certainty::at_least}); });
  PartMove of_r(team, rows, slabs.front().parts()), of_z(team, slabs.front().parts(), rows);
  return team.agreed([&] {
    const auto shared = std::make_shared<const SlabShared<Local>>(
        SlabShared<Local>{space,
                          {space.local(), found.grid, hierarchy, smoother, sweeps},
                          std::move(of_r),
                          std::move(of_z),
                          std::vector<double>(points),
                          std::vector<double>(points)});
    typename Cycle<Distributed<Local>>::Levels levels;
    for (std::size_t k = 0; k < count; ++k)
      levels.push_back(std::make_unique<SlabLevel<Local>>(shared, k, std::move(slabs[k])));
    levels.push_back(std::make_unique<GatheredLevel<Local>>(
        shared, std::move(slabs[count]),
        make_cycle<Local>(space.local(), found.grid, hierarchy, smoother, sweeps, count)));
    for (std::size_t k = 0; k < count; ++k)
      static_cast<SlabLevel<Local>*>(levels[k].get())->set_next(levels[k + 1].get());
    return std::optional<Cycle<Distributed<Local>>>(std::in_place, space, std::move(levels), hierarchy->power(), true);
  });
}

template std::optional<Cycle<Distributed<Host>>> make_slab_cycle(const Distributed<Host>&, const ConstantGrid&, double,
                                                                 const Partition&, Smoother, int, const MemoryBudget&);

}  // namespace ostinato::multigrid
