// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/passes.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::multigrid {

namespace cycle_definition {

/// How a cycle goes over a grid: step by step, in one kernel each way, in one kernel together with all grids below, or
/// by a dense inverse.
enum class Way { steps, passes, one_kernel, dense };

template <class Space>
std::vector<Way> ways(const Space& space, const std::vector<Level<Space>>& levels, int sweeps) {
  const std::size_t first_coarse = sweeps == 1 ? first_coarse_grid(space, levels) : levels.size();
  std::vector<Way> all;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const bool is_last = levels[k].axes == 0, passes = sweeps == 1 && !is_last && has_ascent(space, levels[k]);
    all.push_back(k >= first_coarse ? Way::one_kernel : is_last ? Way::dense : passes ? Way::passes : Way::steps);
  }
  return all;
}

/// The vectors of a grid: none, b and x, or t as well. In one kernel, grids below the first have theirs in the shared
/// memory.
inline int vectors_of(const std::vector<Way>& ways, std::size_t k) {
  if (ways[k] == Way::steps) return 3;
  const bool has_none = ways[k] == Way::passes ? k == 0 : ways[k] == Way::one_kernel && k > 0 && ways[k - 1] == ways[k];
  return has_none ? 0 : 2;
}

/// Whether the way down is a pass. With passes up, it always is.
template <class Space>
bool descends_in_a_pass(const Space& space, const Level<Space>& level, int sweeps, Way way) {
  return (way == Way::steps || way == Way::passes) && sweeps == 1 && has_descent(space, level);
}

/// The elements of the matrix that join_coarse_grids() will make.
template <class Space>
std::size_t joined_elements(const std::vector<Level<Space>>& levels, const std::vector<Way>& ways) {
  const auto first = static_cast<std::size_t>(std::find(ways.begin(), ways.end(), Way::one_kernel) - ways.begin());
  for (std::size_t k = first + 1; k + 1 < ways.size(); ++k) {
    const std::size_t points = levels[k].grid.points();
    if (points <= CoarseGrids::most_joined) return points * points;
  }
  return 0;
}

template <int... Axes, class F>
void with_axes(int axes, std::integer_sequence<int, Axes...>, F f) {
  (void)((axes == Axes + 1 && (f(std::integral_constant<int, Axes + 1>{}), true)) || ...);
}

/// Calls f with the shape of a level's operator and its coefficients.
template <class Space, class F>
void with_operator(const Level<Space>& level, F f) {
  with_shape(level.dimensions, level.star, level.around(), [&](auto shape) { f(shape, level.operator_view()); });
}

/// What the levels of a cycle share.
template <class Space>
struct Shared {
  Space space;
  Grid grid;
  std::shared_ptr<const Hierarchy<Space>> hierarchy;
  Smoother smoother;
  int sweeps;

  const Level<Space>& level(std::size_t k) const { return hierarchy->levels()[k]; }

  /// The damping of a sweep. Those after the coarse grid run backwards, so that the cycle is symmetric.
  float omega(std::size_t k, int sweep) const {
    return static_cast<float>(damping_of(smoother, sweep, sweeps, level(k).omega, level(k).largest));
  }

  /// r as it is, or scaled for the finest grid.
  template <class T>
  Source<T> source(std::size_t k, bool scaled, Strided<const T> r) const {
    static const EvenPart one{.values = {1}, .begin = {0, 0, 0}, .end = {1 << 30, 1 << 30, 1 << 30}};
    if (scaled) return {hierarchy->inverse_root(), &hierarchy->even_inverse_root(), r};
    return {{level(k).grid, hierarchy->ones(), true}, &one, r};
  }

  /// The predicted time of grid k, which reads its operator twice and its weights twice.
  double seconds(std::size_t k, std::size_t value_bytes, int vectors, double waits) const {
    if constexpr (is_cuda<Space>) {
      const auto vector = static_cast<double>(level(k).grid.points() * value_bytes);
      return waits + (2 * static_cast<double>(level(k).bytes()) + vectors * vector) / space.bandwidth();
    }
    return 0;
  }

  /// Adds grid k, with so many vectors and other bytes.
  void describe(std::size_t k, int vectors, std::size_t others, std::vector<PreconditionerLevel>& all) const {
    const Level<Space>& l = level(k);
    Grid g = grid;
    g.extents = l.grid;
    g.star = l.star;
    g.periodic = {l.periodic.x, l.periodic.y, l.periodic.z};
    const std::size_t of_vectors = static_cast<std::size_t>(vectors) * Field<Space>::bytes_of(l.grid, l.dimensions);
    all.push_back({l.grid.points(), l.nonzeros(),
                   l.bytes() + of_vectors + others + (k == 0 ? hierarchy->inverse_root_bytes() : 0) +
                       (l.axes == 0 ? hierarchy->inverse().bytes() : 0),
                   g.text(), l.by_class ? "classes" : "diagonals"});
  }
};

/// x of a level as c times a vector: the first sweep, from x = 0, is omega b and isn't stored.
struct Iterate {
  const float* x;
  float c;
};

inline constexpr double launch = 2e-6, barriers = 4e-6;  // seconds

/// A grid whose b is in memory. On the finest one the last sweep is part of the last step.
template <class Space>
class GridLevel : public CycleLevel<Space> {
 public:
  GridLevel(std::shared_ptr<const Shared<Space>> shared, std::size_t k, int vectors)
      : shared_(std::move(shared)), k_(k), count_(vectors) {}

  void set_next(const GridLevel* next) { next_ = next; }

  void enter(const Ends<float>& ends) const override { enter_by(ends); }
  void enter(const Ends<double>& ends) const override { enter_by(ends); }
  void leave(const Ends<float>& ends, const float* coarse) const override { leave_by(ends, coarse); }
  void leave(const Ends<double>& ends, const float* coarse) const override { leave_by(ends, coarse); }

  void descend(int) const override {}
  float* right_hand_side() const override { return b_; }

  std::size_t elements() const override { return static_cast<std::size_t>(count_) * elements_of_vector(); }
  void place(float* memory) override {
    float** const all[] = {&b_, &x_, &t_};
    const std::size_t margin = Field<Space>::margin(level().grid, level().dimensions);
    for (int v = 0; v < count_; ++v) *all[v] = memory + static_cast<std::size_t>(v) * elements_of_vector() + margin;
  }
  void describe(std::vector<PreconditionerLevel>& all) const override { shared_->describe(k_, count_, 0, all); }
  double seconds(std::size_t value_bytes) const override { return shared_->seconds(k_, value_bytes, 10, 5 * launch); }

 protected:
  /// x before the last sweep.
  virtual Iterate correct(const float* coarse) const = 0;
  virtual float last_omega() const { return shared_->omega(k_, 0); }

  const Level<Space>& level() const { return shared_->level(k_); }
  const Space& space() const { return shared_->space; }

  std::shared_ptr<const Shared<Space>> shared_;
  std::size_t k_;
  int count_;  ///< vectors
  const GridLevel* next_ = nullptr;
  float *b_ = nullptr, *x_ = nullptr, *t_ = nullptr;  ///< t has room for the residual, and for every second x

  float* b_of_next() const { return next_->b_; }

 private:
  std::size_t elements_of_vector() const {
    return in_whole_lines(Field<Space>::elements_of(level().grid, level().dimensions));
  }

  template <class T>
  void enter_by(const Ends<T>& ends) const {
    for_grid(space(), level().grid, Enter<T>{shared_->hierarchy->inverse_root(), ends.r, b_});
    this->descend(0);
  }
  template <class T>
  void leave_by(const Ends<T>& ends, const float* coarse) const {
    const Iterate x = correct(coarse);
    with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      const Smooth<S> smooth{a, b_, x.x, x.c, last_omega(), nullptr};
      const Leave<S, T> step{smooth, shared_->hierarchy->inverse_root(), static_cast<T>(ends.factor), ends.r, ends.z};
      sum_grid(space(), level().grid, step, ends.slot);
    });
  }
};

/// A grid step by step. The way down may be a pass.
template <class Space>
class StepLevel : public GridLevel<Space> {
 public:
  StepLevel(std::shared_ptr<const Shared<Space>> shared, std::size_t k, Transfer<Space> down)
      : GridLevel<Space>(std::move(shared), k, 3), down_(std::move(down)) {}

  void descend(int) const override {
    const Level<Space>& l = level();
    for (int sweep = 1; sweep < shared_->sweeps; ++sweep) smooth(sweep, smoothed(sweep), sweep % 2 == 1 ? x_ : t_);
    const Iterate x = smoothed(shared_->sweeps);
    if constexpr (is_cuda<Space>) {
      const auto source = shared_->source(k_, false, Strided<const float>{b_});
      if (down_.is_there()) return multigrid::descend(space(), l, down_, source, this->b_of_next());
    }
    float* const residual = other(x);
    with_operator(l, [&]<class S>(S, const Coefficients& a) {
      for_grid(space(), l.grid, Residual<S>{a, b_, x.x, x.c, residual});
    });
    restrict(residual);
  }

  const float* ascend(int, const float* coarse) const override {
    const Iterate x = correct(coarse);
    float* const out = other(x);
    smooth(0, x, out);
    return out;
  }

  void describe(std::vector<PreconditionerLevel>& all) const override { shared_->describe(k_, 3, down_.bytes(), all); }

 protected:
  /// Adds the coarse solution to x and smooths all but one time.
  Iterate correct(const float* coarse) const override {
    Iterate x = smoothed(shared_->sweeps);
    float* out = other(x);
    interpolate(x, coarse, out);
    x = {out, 1};
    for (int sweep = shared_->sweeps - 1; sweep > 0; --sweep) {
      out = other(x);
      smooth(sweep, x, out);
      x = {out, 1};
    }
    return x;
  }

 private:
  using GridLevel<Space>::shared_, GridLevel<Space>::k_, GridLevel<Space>::b_, GridLevel<Space>::x_,
      GridLevel<Space>::t_, GridLevel<Space>::level, GridLevel<Space>::space;

  /// x after so many sweeps from 0.
  Iterate smoothed(int sweeps) const {
    if (sweeps == 1) return {b_, shared_->omega(k_, 0)};
    return {sweeps % 2 == 0 ? x_ : t_, 1};
  }
  /// The one of the two vectors that doesn't hold x.
  float* other(const Iterate& x) const { return x.x == t_ ? x_ : t_; }

  void smooth(int sweep, const Iterate& from, float* out) const {
    with_operator(level(), [&]<class S>(S, const Coefficients& a) {
      for_grid(space(), level().grid, Smooth<S>{a, b_, from.x, from.c, shared_->omega(k_, sweep), out});
    });
  }

  void restrict(const float* residual) const {
    const Level<Space>& l = level();
    float* const out = this->b_of_next();
    if (l.periodic.any()) return for_grid(space(), l.next, RestrictAround{l.weights(), residual, out});
    with_axes(l.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      for_grid(space(), l.next, Restrict<A>{l.weights_view(), l.grid, residual, out});
    });
  }

  /// out = x + P coarse
  void interpolate(const Iterate& x, const float* coarse, float* out) const {
    const Level<Space>& l = level();
    if (l.periodic.any()) return for_grid(space(), l.grid, InterpolateAround{l.weights(), x.x, x.c, coarse, out});
    with_axes(l.axes, std::make_integer_sequence<int, 7>{}, [&]<int A>(std::integral_constant<int, A>) {
      const Interpolate<A> step{l.weights_view(), l.grid, x.x, x.c, coarse, out};
      for_grid(space(), step.cells(), step);
    });
  }

  Transfer<Space> down_;
};

/// A grid in one kernel each way. The finest one reads r and writes z.
template <class Space>
class PassLevel : public GridLevel<Space> {
 public:
  PassLevel(std::shared_ptr<const Shared<Space>> shared, std::size_t k, int vectors, Transfer<Space> transfer)
      : GridLevel<Space>(std::move(shared), k, vectors), transfer_(std::move(transfer)) {}

  void enter(const Ends<float>& ends) const override { go_down(ends.r); }
  void enter(const Ends<double>& ends) const override { go_down(ends.r); }
  void leave(const Ends<float>& e, const float* coarse) const override { go_up(e.r, coarse, target(e)); }
  void leave(const Ends<double>& e, const float* coarse) const override { go_up(e.r, coarse, target(e)); }

  void descend(int) const override { go_down(Strided<const float>{b_}); }
  const float* ascend(int, const float* coarse) const override {
    go_up(Strided<const float>{b_}, coarse, Target<float>{1, {x_}, nullptr});
    return x_;
  }

  void describe(std::vector<PreconditionerLevel>& all) const override {
    shared_->describe(k_, this->count_, transfer_.bytes(), all);
  }
  double seconds(std::size_t value_bytes) const override { return shared_->seconds(k_, value_bytes, 3, 2 * launch); }

 protected:
  Iterate correct(const float*) const override { return {}; }  // part of the way up

 private:
  using GridLevel<Space>::shared_, GridLevel<Space>::k_, GridLevel<Space>::b_, GridLevel<Space>::x_;

  template <class T>
  static Target<T> target(const Ends<T>& ends) {
    return {static_cast<T>(ends.factor), ends.z, ends.slot};
  }
  template <class T>
  void go_down(Strided<const T> r) const {
    if constexpr (is_cuda<Space>)
      multigrid::descend(this->space(), this->level(), transfer_, shared_->source(k_, k_ == 0, r), this->b_of_next());
  }
  template <class T>
  void go_up(Strided<const T> r, const float* coarse, const Target<T>& to) const {
    if constexpr (is_cuda<Space>)
      multigrid::ascend(this->space(), this->level(), transfer_, shared_->source(k_, k_ == 0, r), coarse, to);
  }

  Transfer<Space> transfer_;
};

/// All grids from one on, in one kernel.
template <class Space>
class JoinedLevel : public GridLevel<Space> {
 public:
  JoinedLevel(std::shared_ptr<const Shared<Space>> shared, std::size_t first)
      : GridLevel<Space>(std::move(shared), first, 2) {
    const Hierarchy<Space>& h = *shared_->hierarchy;
    for (std::size_t k = first; k < h.levels().size(); ++k) grids_.add(CoarseGrid(h.levels()[k], shared_->omega(k, 0)));
    grids_.dimensions = this->level().dimensions;
    grids_.by_class = this->level().by_class;
    grids_.inverse = {h.inverse().data(), 1, static_cast<Index>(h.levels().back().grid.points())};
    joined_ = join_coarse_grids(this->space(), grids_);
  }

  const float* ascend(int, const float*) const override {
    solve_coarse_grids(this->space(), grids_, b_, x_, true);
    return x_;
  }
  void describe(std::vector<PreconditionerLevel>& all) const override {
    const std::size_t count = shared_->hierarchy->levels().size();
    for (std::size_t k = k_; k < count; ++k)
      shared_->describe(k, k == k_ ? this->count_ : 0, k + 1 == count ? joined_.bytes() : 0, all);
  }
  /// The grids take the time of four barriers each, and wait for loads.
  double seconds(std::size_t value_bytes) const override {
    double total = 0;
    for (std::size_t k = k_; k < shared_->hierarchy->levels().size(); ++k)
      total += shared_->seconds(k, k == k_ ? value_bytes : sizeof(float), 10, barriers);
    return total;
  }

 protected:
  Iterate correct(const float*) const override {
    solve_coarse_grids(this->space(), grids_, b_, x_, false);
    return {x_, 1};
  }

 private:
  using GridLevel<Space>::shared_, GridLevel<Space>::k_, GridLevel<Space>::b_, GridLevel<Space>::x_;

  CoarseGrids grids_;
  Vector<Space, float> joined_;  ///< what the last of them do
};

/// The coarsest grid, by the inverse of its operator.
template <class Space>
class DenseLevel : public GridLevel<Space> {
 public:
  using GridLevel<Space>::GridLevel;

  const float* ascend(int, const float*) const override {
    const Vector<Space, float>& inverse = this->shared_->hierarchy->inverse();
    const std::size_t n = this->level().grid.points();
    for_each(this->space(), n, DenseProduct{n, inverse.data(), this->b_, this->x_});
    return this->x_;
  }

 protected:
  Iterate correct(const float* coarse) const override { return {ascend(0, coarse), 1}; }
  float last_omega() const override { return 0; }
};

/// The transfers of all levels with a pass down; empty for others.
template <class Space>
std::vector<Transfer<Space>> transfers_of(const Shared<Space>& shared, const std::vector<Way>& ways) {
  std::vector<TransferOf<Space>> wanted;
  std::vector<std::size_t> levels;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    if (!descends_in_a_pass(shared.space, shared.level(k), shared.sweeps, ways[k])) continue;
    const bool is_scaled = k == 0 && ways[k] == Way::passes;
    const Source<float> source = shared.source(k, is_scaled, Strided<const float>{nullptr});
    wanted.push_back({&shared.level(k), shared.omega(k, 0), source.root, source.even_root});
    levels.push_back(k);
  }
  std::vector<Transfer<Space>> made = make_transfers(shared.space, wanted), all(ways.size());
  for (std::size_t n = 0; n < levels.size(); ++n) all[levels[n]] = std::move(made[n]);
  return all;
}

template <class Space>
std::unique_ptr<GridLevel<Space>> make_level(const std::shared_ptr<const Shared<Space>>& shared,
                                             const std::vector<Way>& ways, std::size_t k, Transfer<Space> transfer) {
  switch (ways[k]) {
    case Way::one_kernel:
      return std::make_unique<JoinedLevel<Space>>(shared, k);
    case Way::dense:
      return std::make_unique<DenseLevel<Space>>(shared, k, vectors_of(ways, k));
    case Way::passes:
      return std::make_unique<PassLevel<Space>>(shared, k, vectors_of(ways, k), std::move(transfer));
    default:
      return std::make_unique<StepLevel<Space>>(shared, k, std::move(transfer));
  }
}

}  // namespace cycle_definition

template <class Space>
Cycle<Space> make_cycle(const Space& space, const Grid& grid, std::shared_ptr<const Hierarchy<Space>> hierarchy,
                        Smoother smoother, int sweeps, std::size_t first) {
  using namespace cycle_definition;
  const double power = hierarchy->power();
  const auto shared =
      std::make_shared<const Shared<Space>>(Shared<Space>{space, grid, std::move(hierarchy), smoother, sweeps});
  const std::vector<Way> all_ways = ways(space, shared->hierarchy->levels(), sweeps);
  std::vector<Transfer<Space>> transfers = transfers_of(*shared, all_ways);
  typename Cycle<Space>::Levels levels;
  GridLevel<Space>* above = nullptr;
  for (std::size_t k = first; k < all_ways.size(); ++k) {
    auto level = make_level(shared, all_ways, k, std::move(transfers[k]));
    if (above != nullptr) above->set_next(level.get());
    above = level.get();
    levels.push_back(std::move(level));
    if (all_ways[k] == Way::one_kernel) break;
  }
  return Cycle<Space>(space, std::move(levels), power, true);
}

template <class Space>
std::size_t predicted_bytes(const Space& space, const std::vector<Level<Space>>& grids, int sweeps) {
  using namespace cycle_definition;
  const std::size_t coarsest = grids.back().grid.points();
  const std::size_t roots = grids.front().by_class ? scaled_classes : grids.front().grid.points();
  const std::vector<Way> all_ways = ways(space, grids, sweeps);
  std::size_t total = (coarsest * coarsest + roots + joined_elements(grids, all_ways)) * sizeof(float);
  for (std::size_t k = 0; k < grids.size(); ++k) {
    const auto vectors = static_cast<std::size_t>(vectors_of(all_ways, k));
    total += grids[k].predicted_bytes() + vectors * Field<Space>::bytes_of(grids[k].grid, grids[k].dimensions);
    if (descends_in_a_pass(space, grids[k], sweeps, all_ways[k])) total += Transfer<Space>::bytes_of(grids[k]);
  }
  return total;
}

/// The error e solves A e = 0. The cycle gets r = A e, and r and its answer are scaled as the finest operator is.
template <class Space>
double rate_on_grid(const Space& space, const Hierarchy<Space>& hierarchy, const Cycle<Space>& cycle) {
  const Level<Space>& finest = hierarchy.levels().front();
  const std::size_t n = finest.grid.points();
  const Field<Space> e(space, finest.grid, finest.dimensions);
  Vector<Space, float> r(space, n), z(space, n, 0.0f);
  Vector<Space, double> slots(space, 3);
  sum(space, n, RandomError{e.data()}, slots.data());
  cycle_definition::with_operator(finest, [&]<class S>(S, const Coefficients& a) {
    for_grid(space, finest.grid, Residual<S>{a, z.data(), e.data(), 1, r.data()});
  });
  for_grid(space, finest.grid, Unscale{hierarchy.inverse_root(), r.data()});
  cycle.run(Ends<float>{{r.data()}, {z.data()}, slots.data() + 2, 1});
  for_grid(space, finest.grid, Unscale{hierarchy.inverse_root(), z.data()});
  sum(space, n, Correct{z.data(), e.data()}, slots.data() + 1);
  const std::vector<double> norms = slots.download();
  return std::sqrt(norms[1] / norms[0]);
}

}  // namespace ostinato::multigrid
