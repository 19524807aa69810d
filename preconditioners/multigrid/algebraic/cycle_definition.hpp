// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/chebyshev_coefficients.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/k_cycle_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/shared_space.hpp>

namespace ostinato::algebraic {

namespace cycle_definition {

inline constexpr double jacobi_damping = 0.8;

inline constexpr double most_damped = 1.8;  // of the damping times the largest eigenvalue: from 2 on Jacobi diverges

inline constexpr double preconditioner_damping = 1;

inline constexpr int steps_without_inverse = 4;  // times those of a sweep, on a last level that has no inverse

/// Weights for which the error of the smoother and a perfect coarse grid is smallest, up to degree 5.
inline constexpr std::array<std::array<float, 5>, 5> optimal = {
    {{1.125f},
     {1.02387288f, 1.26408905f},
     {1.00842545f, 1.08867839f, 1.33753126f},
     {1.00391310f, 1.04035811f, 1.14863499f, 1.38268869f},
     {1.00212930f, 1.02173712f, 1.07872433f, 1.19810065f, 1.41322543f}}};

inline std::vector<SmootherStep> chebyshev(int degree, double largest) {
  std::vector<SmootherStep> steps;
  const auto d = static_cast<std::size_t>(degree);
  for (const auto& c : chebyshev_coefficients(ChebyshevKind::fourth, degree, 0, largest)) {
    const float weight = d <= optimal.size() ? optimal[d - 1][steps.size()] : 1.0f;
    steps.push_back({static_cast<float>(c.keep), static_cast<float>(c.add), weight});
  }
  steps.front().keep = 0;
  return steps;
}

/// What a K-cycle may cost: the entries of all levels, each as often as the level is visited, in those of the finest;
/// and visits of a level, which cost a GPU the same time however small the level is.
inline constexpr double most_work = 4;

template <class Space>
constexpr double most_visits = Space::has_streams ? 4 : 256;

/// The steps of the smoother of a level.
template <class Space>
std::vector<SmootherStep> steps_of(const AlgebraicLevel<Space>& level, Smoother smoother, int count) {
  if (smoother == Smoother::chebyshev) return chebyshev(count, level.largest);
  const double usual = level.smoother ? preconditioner_damping : jacobi_damping;
  const double largest = level.smoother ? level.smoother->largest() : level.largest;
  const double most = level.is_symmetric && largest > 0 ? most_damped / largest : usual;
  return std::vector<SmootherStep>(static_cast<std::size_t>(count), {0, static_cast<float>(std::min(usual, most)), 1});
}

/// A level of an algebraic hierarchy: V, or K, whose first visit finds a direction, which takes the place of x.
template <class Space>
class SparseLevel final : public multigrid::CycleLevel<Space> {
 public:
  /// `inverse`: of the level's matrix; null on levels that are smoothed.
  SparseLevel(const Space& space, const AlgebraicLevel<Space>& level, const LinearMap<Space, float>* inverse,
              bool has_inner_steps)
      : space_(space),
        level_(level),
        inverse_(inverse),
        has_inner_steps_(has_inner_steps),
        slots_(space, has_inner_steps ? KSlots::count : 1) {}

  void set_next(const SparseLevel* next) { next_ = next; }

  /// `symmetric`: the finest level's matrix. Inner steps are of CG where its smoother is symmetric, too.
  void set_smoother(Smoother smoother, int sweeps, bool symmetric) {
    is_cg_ = symmetric && smoother != Smoother::ilu0;
    sweeps_ = sweeps;
    if (inverse_ == nullptr) steps_ = steps_of(level_, smoother, next_ ? sweeps : sweeps * steps_without_inverse);
  }
  void renew_smoother(Smoother smoother, bool symmetric) { set_smoother(smoother, sweeps_, symmetric); }
  const AlgebraicLevel<Space>& level() const { return level_; }

  void enter(const multigrid::Ends<float>& ends) const override { enter_by(ends); }
  void enter(const multigrid::Ends<double>& ends) const override { enter_by(ends); }
  void leave(const multigrid::Ends<float>& ends, const float*) const override { leave_by(ends); }
  void leave(const multigrid::Ends<double>& ends, const float*) const override { leave_by(ends); }

  /// Goes on after begin().
  void descend(int visit) const override {
    if (inverse_ != nullptr) return;
    const std::span<float> x = target(visit);
    smooth(1, x, residual_, next_ == nullptr ? nullptr : b_.data());
    if (next_ == nullptr) return;
    level_.a.apply(-1, x, 1, residual_);
    begin_next();
  }

  const float* ascend(int visit, const float*) const override {
    const std::span<float> x = target(visit);
    if (inverse_ != nullptr) {
      inverse_->apply(1, b_, 0, x);
    } else if (next_ != nullptr) {
      const std::span<float> residual = add_correction(x);
      level_.a.apply(-1, x, 1, residual);
      smooth(0, x, residual, nullptr);
    }
    if (has_inner_steps_ && !(visit == 0 ? is_done_by_first() : take_second())) return nullptr;
    return x_.data();
  }

  std::size_t elements() const override {
    return ((has_inner_steps_ ? 6u : 4u) + (level_.smoother ? 1u : 0u)) * room();
  }
  void place(float* memory) override {
    const std::size_t n = level_.inverse.size();
    const auto vector = [&] { return std::span<float>(std::exchange(memory, memory + room()), n); };
    for (std::span<float>* const v : {&b_, &x_, &residual_, &direction_}) *v = vector();
    if (level_.smoother) correction_ = vector();
    if (has_inner_steps_) first_ = vector(), image_ = vector();
  }
  int visits() const override { return has_inner_steps_ ? 2 : 1; }

  double seconds(std::size_t) const override {
    const auto product = []<class Matrix>(const Matrix& op) {
      if constexpr (requires { op.choice(); }) {
        if (!op.choice().candidates.empty()) return op.choice().candidates.front().product_seconds();
      }
      return 0.0;
    };
    const double inner = has_inner_steps_ ? product(level_.a) : 0;
    if (next_ == nullptr) return inner;
    const double of_smoother = level_.smoother ? level_.smoother->seconds() : 0;
    const double transfer = level_.prolong ? product(*level_.prolong) + product(*level_.restrict) : 0;
    return inner + 2 * static_cast<double>(steps_.size()) * (product(level_.a) + of_smoother) + transfer;
  }

  void describe(std::vector<PreconditionerLevel>& all) const override {
    const Index rows = level_.a.facts()->rows;
    all.push_back({static_cast<std::size_t>(rows), static_cast<std::size_t>(level_.nonzeros),
                   level_.bytes() + level_.bytes_of_cycle() + (inverse_ != nullptr ? inverse_->bytes() : 0),
                   std::to_string(rows) + (rows == 1 ? " row" : " rows"), level_.a.format()});
  }

 private:
  /// The elements of a vector, so that the next one begins where a line of a cache does. Those of no rows have a place,
  /// too: x isn't null.
  std::size_t room() const { return (std::max<std::size_t>(1, level_.inverse.size()) + 63) / 64 * 64; }
  std::span<float> target(int visit) const { return has_inner_steps_ && visit == 0 ? first_ : x_; }
  double* slots() const { return slots_.data(); }

  template <class V>
  void enter_by(const multigrid::Ends<V>& ends) const {
    begin(target(0), ToFloat<V>{1, ends.r.first, b_.data()});
    descend(0);
  }
  /// Without a slot, r . z is that of this rank alone, and nobody's.
  template <class V>
  void leave_by(const multigrid::Ends<V>& ends) const {
    ascend(0, nullptr);
    const FromFloat<V> from{ends.factor, x_.data(), ends.r.first, ends.z.first};
    if (ends.slot == nullptr) return sum(local(), x_.size(), from, slots());
    sum(space_, x_.size(), from, ends.slot);
  }
  /// For sums that nobody reads: ranks needn't meet.
  const auto& local() const {
    if constexpr (DistributedSpace<Space>) {
      return space_.local();
    } else {
      return space_;
    }
  }

  /// Makes b, and takes the first step of the smoother, if there is one. With IsSum, `slot` takes the sums of make_b.
  template <bool IsSum = false, class F>
  void begin(std::span<float> x, const F& make_b, int slot = 0) const {
    const auto run = [&](const auto& f) {
      if constexpr (std::is_void_v<decltype(f(0))>) {
        for_each(space_, x.size(), f);
      } else if constexpr (IsSum) {
        sum(space_, x.size(), f, slots() + slot);
      } else {
        sum(local(), x.size(), f, slots());
      }
    };
    if (inverse_ != nullptr) return run(make_b);
    if (!level_.smoother) return run(ThenSmooth<F>{make_b, first_step(x)});
    run(make_b);
    take_first_step(x);
  }

  /// b of the next level := P^T residual, and the first step of that level's smoother.
  void begin_next() const {
    const std::span<float> x = next_->target(0);
    if (const auto& groups = level_.groups)
      return next_->begin(x, SumGroup{groups->pattern(), residual_.data(), next_->b_.data()});
    level_.restrict->apply(1, residual_, 0, next_->b_);
    if (next_->inverse_ == nullptr) next_->take_first_step(x);
  }

  /// x += P x of the next level. Returns a vector that equals b, to become the residual: b itself where nothing else
  /// needs it.
  std::span<float> add_correction(std::span<float> x) const {
    if (const auto& groups = level_.groups) {
      for_each(space_, x.size(),
               AddOfGroup{groups->of.data(), next_->x_.data(), x.data(), b_.data(), residual_.data()});
      return residual_;
    }
    level_.prolong->apply(1, next_->x_, 1, x);
    return b_;
  }

  void take_first_step(std::span<float> x) const {
    if (level_.smoother) level_.smoother->apply(b_, correction_);
    for_each(space_, x.size(), first_step(x));
  }

  /// The smoother's first step, from x = 0. Leaves b in the residual. Where a preconditioner smooths, the correction is
  /// that of b.
  SmoothFromZero first_step(std::span<float> x) const {
    return {steps_[0], correction(), b_.data(), residual_.data(), direction_.data(), x.data()};
  }

  /// The steps of the smoother from step `first` on, from the x at hand and its residual. Then the residual is b,
  /// unless b is null.
  void smooth(std::size_t first, std::span<float> x, std::span<float> residual, const float* b) const {
    for (std::size_t i = first; i < steps_.size(); ++i) {
      if (i > 0) level_.a.apply(-1, direction_, 1, residual);
      if (level_.smoother) level_.smoother->apply(residual, correction_);
      for_each(space_, x.size(),
               Smooth{steps_[i], correction(), i + 1 == steps_.size() ? b : nullptr, residual.data(), direction_.data(),
                      x.data()});
    }
  }

  Correction correction() const { return {level_.inverse.data(), level_.smoother ? correction_.data() : nullptr}; }

  /// The first of the two steps of flexible CG or GCR for b, which becomes the residual after it. Says whether x is
  /// made; where the host can't know, it takes a second step anyway.
  bool is_done_by_first() const {
    level_.a.apply(1, first_, 0, image_);
    const float *const c = first_.data(), *const image = image_.data();
    sum(space_, x_.size(), FirstSums{is_cg_ ? c : image, image, b_.data()}, slots() + KSlots::test1_v);
    begin<true>(x_, FirstResidual{{slots()}, image, b_.data()}, KSlots::left);
    if constexpr (Space::has_host_memory) {
      if (!KSlots{slots()}.is_done()) return false;
      for_each(space_, x_.size(), CombineSteps{{slots()}, c, x_.data()});
      return true;
    }
    return false;
  }

  bool take_second() const {
    level_.a.apply(1, x_, 0, residual_);
    const float* const w = residual_.data();
    sum(space_, x_.size(), SecondSums{is_cg_ ? x_.data() : w, image_.data(), w, b_.data()}, slots() + KSlots::test2_v);
    for_each(space_, x_.size(), CombineSteps{{slots()}, first_.data(), x_.data()});
    return true;
  }

  Space space_;
  const AlgebraicLevel<Space>& level_;
  const LinearMap<Space, float>* inverse_;
  bool has_inner_steps_, is_cg_ = true;
  int sweeps_ = 1;
  const SparseLevel* next_ = nullptr;
  std::vector<SmootherStep> steps_;
  mutable Vector<Space, double> slots_;  ///< of the inner steps, or one that nobody reads
  std::span<float> b_, x_, residual_, direction_;
  std::span<float> correction_;     ///< what a preconditioner made of the residual
  std::span<float> first_, image_;  ///< of the inner steps: the first direction, and its product with A
};

}  // namespace cycle_definition

template <class Space>
InnerLevels choose_inner_levels(const std::vector<Offset>& entries, bool last_has_inverse, bool is_symmetric) {
  const std::size_t candidates = entries.size() - (last_has_inverse ? 1 : 0);
  InnerLevels chosen{1, 1, is_symmetric};
  for (std::size_t last = 1; last < candidates; ++last) {
    double work = 0, visits = 1;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (k >= 1 && k <= last) visits *= 2;
      work += visits * static_cast<double>(entries[k]);
    }
    using namespace cycle_definition;
    if (visits > most_visits<Space> || work > most_work * static_cast<double>(entries[0])) break;
    chosen.end = last + 1;
  }
  return chosen;
}

template <class Space>
multigrid::Cycle<Space> make_cycle(const Space& space, const std::vector<AlgebraicLevel<Space>>& levels,
                                   const LinearMap<Space, float>* inverse, double power, Smoother smoother, int sweeps,
                                   std::optional<InnerLevels> inner) {
  using Level = cycle_definition::SparseLevel<Space>;
  const bool symmetric = inner ? inner->is_symmetric : levels.front().a.facts()->symmetric;
  if (!inner && levels.front().groups) {
    std::vector<Offset> entries;
    for (const auto& level : levels) entries.push_back(level.nonzeros);
    inner = choose_inner_levels<Space>(entries, inverse != nullptr, symmetric);
  }
  const InnerLevels with_steps = inner.value_or(InnerLevels{});
  typename multigrid::Cycle<Space>::Levels made(levels.size());
  const Level* next = nullptr;
  for (std::size_t k = levels.size(); k-- > 0;) {
    const bool is_inverted = next == nullptr && inverse != nullptr;
    auto level = std::make_unique<Level>(space, levels[k], is_inverted ? inverse : nullptr,
                                         k >= with_steps.begin && k < with_steps.end);
    level->set_next(std::exchange(next, level.get()));
    level->set_smoother(smoother, sweeps, symmetric);
    made[k] = std::move(level);
  }
  return multigrid::Cycle<Space>(space, std::move(made), power, false);
}

template <class Space>
void renew_smoothers(const multigrid::Cycle<Space>& cycle, Smoother smoother) {
  const auto of = [](const auto& level) { return static_cast<cycle_definition::SparseLevel<Space>*>(level.get()); };
  const bool symmetric = of(cycle.levels().front())->level().a.facts()->symmetric;
  for (const auto& level : cycle.levels()) of(level)->renew_smoother(smoother, symmetric);
}

}  // namespace ostinato::algebraic
