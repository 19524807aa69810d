// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The levels of a cycle over slabs (slab_cycle.hpp).

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_ends.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_exchange.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/slabs.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato::multigrid {

/// What all levels know.
template <class Local>
struct SlabShared {
  Distributed<Local> space;
  cycle_definition::Shared<Local> one;  ///< as on one rank
  std::shared_ptr<const SlabMemory<Local>> memory;
  SlabEnds<Local> ends;
};

/// How a level goes over a slab, and what it needs for that.
struct SlabWay {
  bool passes;
  int vectors;
  Beside beside;
  Index deep = 1;  ///< of the finest grid: coarse planes over which a pass adds up r . z

  SlabWay(bool in_passes, bool is_finest) : passes(in_passes), vectors(3), beside{1, in_passes ? 2 : 1} {
    if (passes) vectors = is_finest ? 0 : 2;
  }
  /// Planes of r that the finest level reads.
  Beside beside_r() const { return passes ? beside : Beside{0, 0}; }
};

/// A grid of which each rank has a slab.
template <class Local>
class SlabLevel : public CycleLevel<Distributed<Local>> {
 public:
  /// The floats that the vectors of a level need of the memory.
  static std::size_t floats(const Level<Local>& level, const Slabs& slabs, const SlabWay& way) {
    return static_cast<std::size_t>(way.vectors) * (slabs.has_readers() ? apart(level, slabs, way) : 0);
  }

  /// Exec      Collective.
  SlabLevel(std::shared_ptr<const SlabShared<Local>> shared, std::size_t k, Slabs slabs, const SlabWay& way,
            float* room)
      : shared_(std::move(shared)), k_(k), slabs_(std::move(slabs)), way_(way) {
    const std::size_t step = floats(level(), slabs_, way_) == 0 ? 0 : apart(level(), slabs_, way_);
    float** const all[] = {&b_, &x_, &t_};
    float* const first =
        room + static_cast<std::ptrdiff_t>(margin(level(), slabs_, way_)) - static_cast<std::ptrdiff_t>(first_point());
    for (int v = 0; v < way_.vectors; ++v) *all[v] = first + static_cast<std::size_t>(v) * step;
    if (way_.vectors == 0) return;
    const auto plane = static_cast<Index>(slabs_.plane());
    const Index begin = slabs_.begin_with(way_.beside.below) * plane, end = slabs_.end_with(way_.beside.above) * plane;
    exchange_ = SlabExchange<Local>(*shared_->memory, slabs_.parts(), begin, end,
                                    {first + begin, begin, first + begin, begin, step}, sizeof(float));
  }

  void set_next(const CycleLevel<Distributed<Local>>* next) { next_ = next; }

  float* right_hand_side() const override { return b_; }
  std::size_t elements() const override { return 0; }  // in the memory that ranks share
  void place(float*) override {}
  double seconds(std::size_t) const override { return 0; }
  void describe(std::vector<PreconditionerLevel>& all) const override {
    const std::size_t of_ends = k_ == 0 ? ends().bytes() : 0;
    one().describe(k_, 0, floats(level(), slabs_, way_) * sizeof(float) + of_ends, all);
  }

 protected:
  const cycle_definition::Shared<Local>& one() const { return shared_->one; }
  const SlabEnds<Local>& ends() const { return shared_->ends; }
  const Level<Local>& level() const { return one().level(k_); }
  const Local& local() const { return shared_->space.local(); }
  std::size_t first_point() const { return slabs_.first_point(); }

  /// Gets the planes beside those of this rank.
  void exchange(const float* v) const { exchange_.run(v + first_point(), v == b_ ? 0u : v == x_ ? 1u : 2u); }

  /// r . z, of all rows, unless there is no slot for it.
  template <class T>
  void dot_of(const Ends<T>& of) const {
    if (of.slot == nullptr) return;
    dot<T>(shared_->space, In<T>(of.r.first, ends().rows()), In<T>(of.z.first, ends().rows()), of.slot);
  }

  std::shared_ptr<const SlabShared<Local>> shared_;
  std::size_t k_;
  Slabs slabs_;
  SlabWay way_;
  SlabExchange<Local> exchange_;
  const CycleLevel<Distributed<Local>>* next_ = nullptr;
  float *b_ = nullptr, *x_ = nullptr, *t_ = nullptr;  ///< where point 0 would be

 private:
  static std::size_t margin(const Level<Local>& level, const Slabs& slabs, const SlabWay& way) {
    const auto planes = static_cast<std::size_t>(std::max(way.beside.below, way.beside.above));
    return std::max(Field<Local>::margin(level.grid, level.dimensions), in_whole_lines(planes * slabs.plane()));
  }
  static std::size_t apart(const Level<Local>& level, const Slabs& slabs, const SlabWay& way) {
    return in_whole_lines(slabs.points() + 2 * margin(level, slabs, way));
  }
};

/// A slab step by step (StepLevel).
template <class Local>
class StepSlab final : public SlabLevel<Local> {
 public:
  using SlabLevel<Local>::SlabLevel;

  void enter(const Ends<float>& ends) const override { enter_by(ends); }
  void enter(const Ends<double>& ends) const override { enter_by(ends); }
  void leave(const Ends<float>& ends, const float* coarse) const override { leave_by(ends, coarse); }
  void leave(const Ends<double>& ends, const float* coarse) const override { leave_by(ends, coarse); }

  void descend(int) const override {
    for (int sweep = 1; sweep < one().sweeps; ++sweep) smooth(sweep, smoothed(sweep), sweep % 2 == 1 ? x_ : t_);
    const Iterate x = smoothed(one().sweeps);
    float* const residual = other(x);
    exchange(x.x);
    cycle_definition::with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      run(Residual<S>{a, b_, x.x, x.c, residual});
    });
    exchange(residual);
    restrict(residual);
  }

  /// x has the planes beside those of this rank.
  const float* ascend(int, const float* coarse) const override {
    const Iterate x = correct(coarse);
    float* const out = other(x);
    smooth(0, x, out);
    exchange(out);
    return out;
  }

 private:
  using Base = SlabLevel<Local>;
  using Iterate = cycle_definition::Iterate;
  using Base::one, Base::level, Base::exchange, Base::k_, Base::slabs_, Base::b_, Base::x_, Base::t_;

  /// Does a step at the points of this rank.
  template <class F>
  void run(const F& f) const {
    run_on(slabs_.own(), slabs_.begin(), f);
  }
  template <class F>
  void run_on(const Extents& own, Index first, const F& f) const {
    const bool deep = level().dimensions == 3;
    for_grid(this->local(), own, OnSlab<F>{f, deep ? 0 : first, deep ? first : 0});
  }

  Iterate smoothed(int sweeps) const {
    if (sweeps == 1) return {b_, one().omega(k_, 0)};
    return {sweeps % 2 == 0 ? x_ : t_, 1};
  }
  float* other(const Iterate& x) const { return x.x == t_ ? x_ : t_; }

  void smooth(int sweep, const Iterate& from, float* out) const {
    exchange(from.x);
    cycle_definition::with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      run(Smooth<S>{a, b_, from.x, from.c, one().omega(k_, sweep), out});
    });
  }

  template <class F>
  void with_axes(F f) const {
    cycle_definition::with_axes(level().axes, std::make_integer_sequence<int, 7>{}, f);
  }

  void restrict(const float* residual) const {
    const Level<Local>& l = level();
    const Index first = slabs_.begin() / 2;
    Extents own = l.next;
    (l.dimensions == 3 ? own.z : own.y) = slabs_.end() / 2 - first;
    with_axes([&]<int A>(std::integral_constant<int, A>) {
      run_on(own, first, Restrict<A>{l.weights_view(), l.grid, residual, this->next_->right_hand_side()});
    });
  }

  /// Adds the coarse solution to x and smooths all but one time.
  Iterate correct(const float* coarse) const {
    const Level<Local>& l = level();
    Iterate x = smoothed(one().sweeps);
    float* out = other(x);
    with_axes([&]<int A>(std::integral_constant<int, A>) {
      const InterpolateNear<A> step{{l.weights_view(), l.grid, x.x, x.c, coarse, out}};
      Extents cells = slabs_.own();
      cells.x = step.all.cells().x;
      run_on(cells, slabs_.begin(), step);
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
    const T* const r = this->ends().take(ends.r.first).own;
    run(Enter<T>{one().hierarchy->inverse_root(), {r}, b_});
    descend(0);
  }
  template <class T>
  void leave_by(const Ends<T>& ends, const float* coarse) const {
    const Iterate x = correct(coarse);
    exchange(x.x);
    const T* const r = this->ends().taken(ends.r.first).own;
    T* const z = this->ends().target(ends.z.first);
    cycle_definition::with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      const Smooth<S> last{a, b_, x.x, x.c, one().omega(k_, 0), nullptr};
      run(Leave<S, T>{last, one().hierarchy->inverse_root(), static_cast<T>(ends.factor), {r}, {z}});
    });
    this->ends().give(ends.z.first);
    this->dot_of(ends);
  }
};

/// A slab in one kernel each way (PassLevel).
template <class Local>
class PassSlab final : public SlabLevel<Local> {
 public:
  /// Exec      Collective.
  PassSlab(std::shared_ptr<const SlabShared<Local>> shared, std::size_t k, Slabs slabs, const SlabWay& way, float* room,
           Transfer<Local> transfer)
      : SlabLevel<Local>(std::move(shared), k, std::move(slabs), way, room), transfer_(std::move(transfer)) {
    if (k_ > 0 || !level().plain || !is_cuda<Local>) return;
    this->shared_->space.team().agreed([&] { sums_ = Vector<Local, double>(this->local(), sums()); });
  }

  void enter(const Ends<float>& ends) const override { go_down(this->ends().take(ends.r.first)); }
  void enter(const Ends<double>& ends) const override { go_down(this->ends().take(ends.r.first)); }
  void leave(const Ends<float>& ends, const float* coarse) const override { leave_by(ends, coarse); }
  void leave(const Ends<double>& ends, const float* coarse) const override { leave_by(ends, coarse); }

  void descend(int) const override {
    this->exchange(b_);
    go_down(own_b());
  }
  /// x has the planes beside those of this rank.
  const float* ascend(int, const float* coarse) const override {
    go_up(own_b(), coarse, Target<float>{1, {x_}, nullptr});
    this->exchange(x_);
    return x_;
  }
  void describe(std::vector<PreconditionerLevel>& all) const override {
    SlabLevel<Local>::describe(all);
    all.back().bytes += transfer_.bytes() + sums_.bytes();
  }

 private:
  using SlabLevel<Local>::one, SlabLevel<Local>::level, SlabLevel<Local>::k_, SlabLevel<Local>::slabs_,
      SlabLevel<Local>::b_, SlabLevel<Local>::x_;
  template <class T>
  using Planes = typename SlabEnds<Local>::template Planes<T>;

  Planes<float> own_b() const { return {b_, {slabs_.begin(), slabs_.end(), b_, b_}}; }

  template <class T>
  void leave_by(const Ends<T>& ends, const float* coarse) const {
    const Target<T> target{static_cast<T>(ends.factor), {this->ends().target(ends.z.first)}, nullptr};
    const Planes<T> r = this->ends().taken(ends.r.first);
    const bool adds_up = ends.slot != nullptr && level().plain;
    adds_up ? go_up_with_dot(r, coarse, target, ends.slot) : go_up(r, coarse, target);
    this->ends().give(ends.z.first);
    if (!adds_up) this->dot_of(ends);
    if (ends.slot == nullptr) this->ends().meet();
  }
  /// How many sums of r . z a pass up over the finest grid leaves.
  std::size_t sums() const {
    if constexpr (is_cuda<Local>) return sums_of_planes(level().grid, slabs_.begin(), slabs_.end(), this->way_.deep);
    return 0;
  }
  /// r . z is the sum of what the kernel leaves of each tile.
  template <class T>
  void go_up_with_dot(Planes<T> r, const float* coarse, const Target<T>& target, Slot<T> slot) const {
    if constexpr (is_cuda<Local>) {
      const std::size_t count = sums(), n = count * Partition::block;
      auto joint = this->shared_->space.template block_sums<Sums<1>>(n);
      const auto into = [&](double* sums) {
        if (count == 0) return;
        r.planes.deep = this->way_.deep;
        r.planes.sums = sums;
        go_up(r, coarse, target);
      };
      if (joint.is_captured()) {
        const ostinato::detail::RendezvousView& at = joint.rendezvous();
        into(sums_.data());
        return ostinato::detail::sum_over_ranks(this->local(), n, SumsThere{sums_.data()}, at, slot,
                                                static_cast<Sums<1>*>(nullptr));
      }
      joint.for_parts([&](std::size_t, std::size_t, Sums<1>* of) { into(of->v); });
      ostinato::detail::finish_sum(this->local(), Dot<T>{}, joint.joined(), slot);
    }
  }
  template <class T>
  void go_down(const Planes<T>& r) const {
    if constexpr (is_cuda<Local>)
      multigrid::descend(this->local(), level(), transfer_, one().source(k_, k_ == 0, Strided<const T>{r.own}),
                         this->next_->right_hand_side(), &r.planes);
  }
  template <class T>
  void go_up(const Planes<T>& r, const float* coarse, const Target<T>& to) const {
    if constexpr (is_cuda<Local>)
      multigrid::ascend(this->local(), level(), transfer_, one().source(k_, k_ == 0, Strided<const T>{r.own}), coarse,
                        to, &r.planes);
  }

  Transfer<Local> transfer_;
  mutable Vector<Local, double> sums_;  ///< of a captured pass
};

/// A grid that is gathered, and those below. On GPUs the ranks write their planes into b of all others.
template <class Local>
class GatheredLevel final : public CycleLevel<Distributed<Local>> {
 public:
  /// The floats that it needs of the memory: on GPUs those of the vectors of the grid, elsewhere those of the largest
  /// slab.
  static std::size_t floats(const Slabs& slabs, const Cycle<Local>& rest) {
    return in_whole_lines(is_cuda<Local> ? rest.levels().front()->elements() : most_points(slabs));
  }

  /// Exec      Collective.
  GatheredLevel(std::shared_ptr<const SlabShared<Local>> shared, Slabs slabs, Cycle<Local> rest, float* room)
      : shared_(std::move(shared)), slabs_(std::move(slabs)), rest_(std::move(rest)) {
    CycleLevel<Local>& first = *rest_.levels().front();
    if constexpr (is_cuda<Local>) {
      first.place(room);
      own_ = first.right_hand_side() + slabs_.first_point();
      float* const b = first.right_hand_side();
      gather_ =
          SlabExchange<Local>(*shared_->memory, slabs_.parts(), 0, slabs_.parts().rows(), {b, 0, b, 0}, sizeof(float));
    } else {
      own_ = room;
      all_.resize(most_points(slabs_) * static_cast<std::size_t>(slabs_.parts().ranks()));
    }
  }

  void descend(int) const override {}
  const float* ascend(int, const float*) const override {
    if constexpr (is_cuda<Local>) {
      gather_.run(own_);
    } else {
      gather_on_host(rest_.levels().front()->right_hand_side());
    }
    return rest_.solve();
  }

  float* right_hand_side() const override { return own_ - static_cast<std::ptrdiff_t>(slabs_.first_point()); }
  std::size_t elements() const override { return 0; }
  void place(float*) override {}
  double seconds(std::size_t) const override { return 0; }
  void describe(std::vector<PreconditionerLevel>& all) const override {
    std::vector<PreconditionerLevel> grids = rest_.grids();
    grids.front().bytes += floats(slabs_, rest_) * sizeof(float);
    for (PreconditionerLevel& level : grids) all.push_back(std::move(level));
  }

  // The finest level isn't gathered.
  void enter(const Ends<float>&) const override {}
  void enter(const Ends<double>&) const override {}
  void leave(const Ends<float>&, const float*) const override {}
  void leave(const Ends<double>&, const float*) const override {}

 private:
  static std::size_t most_points(const Slabs& slabs) {
    Index most = 0;
    for (int r = 0; r < slabs.parts().ranks(); ++r)
      most = std::max(most, slabs.parts().offset(r + 1) - slabs.parts().offset(r));
    return static_cast<std::size_t>(most);
  }
  void gather_on_host(float* to) const {
    const Partition& parts = slabs_.parts();
    const std::size_t most = most_points(slabs_);
    shared_->space.team().all_gather(own_, most * sizeof(float), all_.data());
    for (int r = 0; r < parts.ranks(); ++r)
      to = std::copy_n(all_.data() + static_cast<std::size_t>(r) * most, parts.offset(r + 1) - parts.offset(r), to);
  }

  std::shared_ptr<const SlabShared<Local>> shared_;
  Slabs slabs_;
  Cycle<Local> rest_;
  float* own_ = nullptr;  ///< b of this rank
  SlabExchange<Local> gather_;
  mutable std::vector<float> all_;
};

}  // namespace ostinato::multigrid
