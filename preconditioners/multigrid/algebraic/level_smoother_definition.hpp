// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/level_smoother.hpp>

#include <algorithm>
#include <any>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato::algebraic {

namespace level_smoother_definition {

/// A preconditioner of the list, and its options.
struct Named {
  std::string_view name;
  std::any options = {};
};

/// Levels keep the order of their rows: another one would take its time on each level.
template <class Kind>
Named factors() {
  typename Kind::Options o;
  o.preparation.order = Ordering::natural;
  return {Kind::name, o};
}

inline Named named(Smoother smoother) {
  switch (smoother) {
    case Smoother::fsai:
      return {"fsai"};
    case Smoother::ilu0:
      return factors<Ilu0Kind>();
    case Smoother::ic0:
      return factors<Ic0Kind>();
    default:
      throw ArgumentError("multigrid: the smoother isn't a preconditioner");
  }
}

/// The matrix without the rows and columns of a diagonal entry that can't be divided by: rounding has left such a row
/// of a part of the matrix that is singular by itself.
template <class Space>
Analysis<Space, float> with_usable_diagonal(const Analysis<Space, float>& analysis,
                                            const Vector<Space, float>& inverse) {
  const Space& space = analysis.space();
  const CsrView<float>& a = analysis.matrix().view();
  Vector<Space, double> count(space, 1);
  sum(space, inverse.size(), TakeOutRows{detail::pattern_of(a), inverse.data(), nullptr}, count.data());
  if (count.download().front() == 0) return analysis;
  const auto values = std::make_shared<Vector<Space, float>>(space, a.val.size());
  space.copy(values->data(), a.val.data(), values->bytes());
  sum(space, inverse.size(), TakeOutRows{detail::pattern_of(a), inverse.data(), values->data()}, count.data());
  return Analysis<Space, float>(space, SpaceCsr<Space, float>(a, values), AnalysisDepth::without_census);
}

/// The matrix that a preconditioner takes, with what is known of it.
template <class Space>
Analysis<Space, float> ready(const typename LevelSmoother<Space>::Level& level) {
  Analysis<Space, float> analysis = with_usable_diagonal(level.analysis, level.inverse);
  if (analysis.structure().symmetric == level.is_symmetric) return analysis;
  Structure s = analysis.structure();
  s.symmetric = level.is_symmetric;
  return Analysis<Space, float>(analysis.space(), analysis.matrix(), std::move(s));
}

}  // namespace level_smoother_definition

template <class Space>
LevelSmoother<Space>::LevelSmoother(Smoother smoother, const Level& level, const StopRequest& stop,
                                    const MemoryBudget& memory) {
  const level_smoother_definition::Named m = level_smoother_definition::named(smoother);
  made_ = find_preconditioner<Space, float>(m.name)->build(level_smoother_definition::ready<Space>(level), m.options,
                                                           stop, memory);
  estimate_largest(level);
}

template <class Space>
void LevelSmoother<Space>::update(const Level& level) {
  if (!made_->update_values(level_smoother_definition::ready<Space>(level)))
    throw ArgumentError("the smoother takes no new values");
  estimate_largest(level);
}

/// Takes some steps of the power method, in the norm of A, in which M^-1 A is symmetric where A and M are: the quotient
/// of z . A v and v . A v, where z = M^-1 A v, comes from below. The vector begins as an error of which each row has
/// the same part of the norm.
template <class Space>
void LevelSmoother<Space>::estimate_largest(const Level& level) {
  constexpr std::size_t steps = 10, sums = 3;
  constexpr double margin = 1.1;
  const Space& space = level.a.space();
  const auto n = static_cast<std::size_t>(level.a.rows());
  Vector<Space, float> v(space, n), y(space, n), z(space, n);
  Vector<Space, double> slots(space, steps * sums);
  for_each(space, n, FillByDiagonal{level.inverse.data(), v.data()});
  for (std::size_t i = 0; i < steps; ++i) {
    double* const slot = slots.data() + i * sums;
    level.a.apply(1, v, 0, y);
    apply(y, z);
    sum(space, n, PowerSums{level.inverse.data(), v.data(), y.data(), z.data()}, slot);
    for_each(space, n, NormaliseTo{slot + 2, z.data(), v.data()});
  }
  const std::vector<double> found = slots.download();
  if (!std::all_of(found.begin(), found.end(), [](double f) { return std::isfinite(f); }))
    throw ArgumentError("the smoother overflows");
  largest_ = 0;
  for (std::size_t i = 0; i < found.size(); i += sums)
    if (found[i] > 0) largest_ = std::max(largest_, margin * found[i + 1] / found[i]);
}

}  // namespace ostinato::algebraic
