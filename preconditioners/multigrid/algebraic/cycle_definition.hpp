// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include <ostinato/preconditioners/chebyshev_coefficients.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/k_cycle_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>

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

/// The number of levels below the finest that are solved by inner steps, each of which visits the lower levels twice.
template <class Space>
std::size_t levels_with_steps(const std::vector<AlgebraicLevel<Space>>& levels, bool last_has_inverse) {
  const std::size_t candidates = levels.size() - (last_has_inverse ? 1 : 0);
  std::size_t chosen = 0;
  for (std::size_t last = 1; last < candidates && levels[0].groups; ++last) {
    double work = 0, visits = 1;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (k >= 1 && k <= last) visits *= 2;
      work += visits * static_cast<double>(levels[k].a.structure().nonzeros);
    }
    if (visits > most_visits<Space> || work > most_work * static_cast<double>(levels[0].a.structure().nonzeros)) break;
    chosen = last;
  }
  return chosen;
}

}  // namespace cycle_definition

template <class Space, class T>
AlgebraicCycle<Space, T>::AlgebraicCycle(const Space& space, AlgebraicHierarchy<Space, T> hierarchy, Smoother smoother,
                                         int sweeps)
    : space_(space), hierarchy_(std::move(hierarchy)), smoother_(smoother), sweeps_(sweeps) {
  inner_levels_ = cycle_definition::levels_with_steps(hierarchy_.levels(), hierarchy_.coarse_inverse().has_value());
  make_vectors();
  choose_steps();
}

/// Makes all vectors in one piece of memory: some thirty allocations take a GPU's time of a small level.
template <class Space, class T>
void AlgebraicCycle<Space, T>::make_vectors() {
  constexpr std::size_t together = 64;  // elements, so that each vector begins where a line of a cache does
  const auto room = [](std::size_t rows) { return (rows + together - 1) / together * together; };
  std::size_t elements = 0;
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k)
    elements += ((has_inner_steps(k) ? 6u : 4u) + (level(k).smoother ? 1u : 0u)) * room(level(k).inverse.size());
  memory_ = Vector<Space, float>(space_, elements);
  slots_ = Vector<Space, double>(space_, 1 + inner_levels_ * KSlots::count);
  float* next = memory_.data();
  const auto vector = [&](std::size_t rows) { return std::span<float>(std::exchange(next, next + room(rows)), rows); };
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
    const auto n = level(k).inverse.size();
    vectors_.push_back({vector(n), vector(n), vector(n), vector(n), vector(level(k).smoother ? n : 0)});
    if (has_inner_steps(k)) inner_.push_back({vector(n), vector(n), slots_.data() + 1 + (k - 1) * KSlots::count});
  }
}

template <class Space, class T>
void AlgebraicCycle<Space, T>::update(const SpaceCsr<Space, T>& a, double power, Smoother smoother) {
  hierarchy_.update(a, power);
  smoother_ = smoother;
  choose_steps();
}

template <class Space, class T>
void AlgebraicCycle<Space, T>::choose_steps() {
  steps_.clear();
  for (std::size_t k = 0; k < hierarchy_.levels().size(); ++k) {
    const bool last = k + 1 == hierarchy_.levels().size();
    if (has_inverse(k)) break;
    const int count = last ? sweeps_ * cycle_definition::steps_without_inverse : sweeps_;
    const double usual =
        level(k).smoother ? cycle_definition::preconditioner_damping : cycle_definition::jacobi_damping;
    const double largest = level(k).smoother ? level(k).smoother->largest() : level(k).largest;
    const double most = level(k).is_symmetric && largest > 0 ? cycle_definition::most_damped / largest : usual;
    const auto damping = static_cast<float>(std::min(usual, most));
    steps_.push_back(smoother_ == Smoother::chebyshev
                         ? cycle_definition::chebyshev(count, level(k).largest)
                         : std::vector<SmootherStep>(static_cast<std::size_t>(count), {0, damping, 1}));
  }
}

template <class Space, class T>
void AlgebraicCycle<Space, T>::apply(std::span<const T> r, std::span<T> z, Slot<T> slot) const {
  run(std::abs(hierarchy_.power()), r, z, slot);
}

template <class Space, class T>
void AlgebraicCycle<Space, T>::apply_to_level(std::span<const float> r, std::span<float> z, Slot<float> slot) const {
  run(1, r, z, slot);
}

/// z = factor times what a cycle makes of r;  *slot = r . z
template <class Space, class T>
template <class V>
void AlgebraicCycle<Space, T>::run(double factor, std::span<const V> r, std::span<V> z, Slot<V> slot) const {
  const Vectors& v = vectors_[0];
  begin(0, v.x, ToFloat<V>{1, r.data(), v.b.data()}, slots_.data());
  solve(0, v.x);
  sum(space_, r.size(), FromFloat<V>{factor, v.x.data(), r.data(), z.data()}, slot);
}

/// Makes b of level k, and takes the first step of its smoother, if it has one: solve(k, x) goes on from there. `slot`
/// takes the sums of make_b, where it has any.
template <class Space, class T>
template <class F>
void AlgebraicCycle<Space, T>::begin(std::size_t k, std::span<float> x, const F& make_b, Slot<float> slot) const {
  const auto run = [&](const auto& f) {
    if constexpr (std::is_void_v<decltype(f(0))>) {
      for_each(space_, x.size(), f);
    } else {
      sum(space_, x.size(), f, slot);
    }
  };
  if (has_inverse(k)) return run(make_b);
  if (!level(k).smoother) return run(ThenSmooth<F>{make_b, first_step(k, x)});
  run(make_b);
  take_first_step(k, x);
}

/// x := what the cycle makes of b of level k, which may be lost unless the level has groups. Goes on after begin().
template <class Space, class T>
void AlgebraicCycle<Space, T>::solve(std::size_t k, std::span<float> x) const {
  const Vectors& v = vectors_[k];
  if (has_inverse(k)) {
    hierarchy_.coarse_inverse()->apply(1, v.b, 0, x);
    return;
  }
  const bool is_last = k + 1 == vectors_.size();
  smooth(k, 1, x, v.residual, is_last ? nullptr : v.b.data());
  if (is_last) return;
  level(k).a.apply(-1, x, 1, v.residual);
  begin_next(k);
  has_inner_steps(k + 1) ? solve_by_steps(k + 1) : solve(k + 1, vectors_[k + 1].x);
  const std::span<float> residual = add_correction(k, x);
  level(k).a.apply(-1, x, 1, residual);
  smooth(k, 0, x, residual, nullptr);
}

/// x of level k := two steps of flexible CG or GCR for its b, which becomes the residual after the first. Goes on after
/// begin() for the first direction.
template <class Space, class T>
void AlgebraicCycle<Space, T>::solve_by_steps(std::size_t k) const {
  const Vectors& v = vectors_[k];
  const InnerVectors& inner = inner_[k - 1];
  const auto& a = level(k).a;
  const bool is_cg = level(0).a.structure().symmetric && smoother_ != Smoother::ilu0;
  const std::size_t n = v.x.size();
  double* const slots = inner.slots;
  const float *const c = inner.direction.data(), *const image = inner.image.data(), *const w = v.residual.data();
  solve(k, inner.direction);
  a.apply(1, inner.direction, 0, inner.image);
  sum(space_, n, FirstSums{is_cg ? c : image, image, v.b.data()}, slots + KSlots::test1_v);
  begin(k, v.x, FirstResidual{{slots}, image, v.b.data()}, slots + KSlots::left);
  if constexpr (Space::has_host_memory) {
    if (KSlots{slots}.is_done()) return for_each(space_, n, CombineSteps{{slots}, c, v.x.data()});
  }
  solve(k, v.x);
  a.apply(1, v.x, 0, v.residual);
  sum(space_, n, SecondSums{is_cg ? v.x.data() : w, image, w, v.b.data()}, slots + KSlots::test2_v);
  for_each(space_, n, CombineSteps{{slots}, c, v.x.data()});
}

/// b of the next level := P^T residual, and the first step of that level's smoother.
template <class Space, class T>
void AlgebraicCycle<Space, T>::begin_next(std::size_t k) const {
  const Vectors &v = vectors_[k], &next = vectors_[k + 1];
  const std::span<float> x = has_inner_steps(k + 1) ? inner_[k].direction : next.x;
  if (const auto& groups = level(k).groups)
    return begin(k + 1, x, SumGroup{groups->pattern(), v.residual.data(), next.b.data()}, nullptr);
  level(k).restrict->apply(1, v.residual, 0, next.b);
  if (!has_inverse(k + 1)) take_first_step(k + 1, x);
}

/// x += P x of the next level. Returns a vector that equals b, to become the residual: b itself where nothing else
/// needs it.
template <class Space, class T>
std::span<float> AlgebraicCycle<Space, T>::add_correction(std::size_t k, std::span<float> x) const {
  const Vectors &v = vectors_[k], &next = vectors_[k + 1];
  if (const auto& groups = level(k).groups) {
    for_each(space_, x.size(), AddOfGroup{groups->of.data(), next.x.data(), x.data(), v.b.data(), v.residual.data()});
    return v.residual;
  }
  level(k).prolong->apply(1, next.x, 1, x);
  return v.b;
}

template <class Space, class T>
void AlgebraicCycle<Space, T>::take_first_step(std::size_t k, std::span<float> x) const {
  if (level(k).smoother) level(k).smoother->apply(vectors_[k].b, vectors_[k].correction);
  for_each(space_, x.size(), first_step(k, x));
}

/// The smoother's first step, from x = 0. Leaves b in the residual. Where a preconditioner smooths, the correction is
/// that of b.
template <class Space, class T>
SmoothFromZero AlgebraicCycle<Space, T>::first_step(std::size_t k, std::span<float> x) const {
  const Vectors& v = vectors_[k];
  return {steps_[k][0], correction(k), v.b.data(), v.residual.data(), v.direction.data(), x.data()};
}

/// The steps of the smoother from step `first` on, from the x at hand and its residual. Then the residual is b, unless
/// b is null.
template <class Space, class T>
void AlgebraicCycle<Space, T>::smooth(std::size_t k, std::size_t first, std::span<float> x, std::span<float> residual,
                                      const float* b) const {
  const Vectors& v = vectors_[k];
  const std::size_t count = steps_[k].size();
  for (std::size_t i = first; i < count; ++i) {
    if (i > 0) level(k).a.apply(-1, v.direction, 1, residual);
    if (level(k).smoother) level(k).smoother->apply(residual, v.correction);
    for_each(space_, x.size(),
             Smooth{steps_[k][i], correction(k), i + 1 == count ? b : nullptr, residual.data(), v.direction.data(),
                    x.data()});
  }
}

template <class Space, class T>
std::size_t AlgebraicCycle<Space, T>::bytes(std::size_t k) const {
  const bool last = k + 1 == vectors_.size();
  return level(k).bytes() + level(k).bytes_of_cycle() +
         (last && hierarchy_.coarse_inverse() ? hierarchy_.coarse_inverse()->bytes() : 0);
}

template <class Space, class T>
double AlgebraicCycle<Space, T>::seconds() const {
  const auto product = [](const Operator<Space, float>& op) {
    return op.choice().candidates.empty() ? 0.0 : op.choice().candidates.front().product_seconds();
  };
  double total = 0, visits = 1;
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    if (has_inner_steps(k)) {
      visits *= 2;
      total += visits * product(level(k).a);
    }
    if (k + 1 == vectors_.size()) break;
    const double of_smoother = level(k).smoother ? level(k).smoother->seconds() : 0;
    total += visits * 2 * static_cast<double>(steps_[k].size()) * (product(level(k).a) + of_smoother);
    if (level(k).prolong) total += visits * (product(*level(k).prolong) + product(*level(k).restrict));
  }
  return total;
}

}  // namespace ostinato::algebraic
