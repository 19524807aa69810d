// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/gathered_levels.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template <class Local, class T>
GatheredLevels<Local, T>::GatheredLevels(const Space& space, const Partition& rows, const CsrView<T>& mine,
                                         const LevelsAbove& above, const MultigridOptions& options,
                                         const MemoryBudget& memory)
    : LinearMap<Space, float>(space, static_cast<std::size_t>(rows.length(space.team())),
                              static_cast<std::size_t>(rows.length(space.team()))),
      first_(static_cast<std::size_t>(rows.begin(space.team()))),
      gather_(space, rows) {
  const Team& team = space.team();
  Csr<T> whole = gathered(team, mine);
  team.agreed([&] {
    for (T& value : whole.val) value *= static_cast<T>(above.factor);
    make(std::move(whole), above, options, memory);
    space_.local().wait();  // other streams may write what is made here
  });
}

/// Levels have inner steps, or have none, as in the cycle of one rank.
template <class Local, class T>
void GatheredLevels<Local, T>::make(Csr<T> whole, const LevelsAbove& above, const MultigridOptions& options,
                                    const MemoryBudget& memory) {
  const Local& local = space_.local();
  const Smoother smoother = options.smoother.value_or(Smoother::jacobi);
  AlgebraicOptions how;
  how.threshold = options.threshold;
  how.smoother = smoother;
  how.plain = Points{whole.rows};
  made_.emplace(Analysis<Local, T>(local, std::move(whole)), how, StopRequest(), memory);
  const auto& inverse = made_->coarse_inverse();
  std::vector<Offset> entries = above.entries;
  for (const auto& level : made_->levels()) entries.push_back(level.nonzeros);
  const InnerLevels inner = choose_inner_levels<Local>(entries, inverse.has_value(), above.is_symmetric);
  const std::size_t begin = above.entries.size();
  inner_above_ = {inner.begin, std::min(begin, inner.end), above.is_symmetric};
  const LinearMap<Local, float>* const last = inverse ? &*inverse : nullptr;
  cycle_.emplace(make_cycle<Local>(
      local, made_->levels(), last, std::abs(made_->power()), smoother, multigrid_definition::algebraic_sweeps(options),
      InnerLevels{std::max(begin, inner.begin) - begin, std::max(begin, inner.end) - begin, above.is_symmetric}));
}

template <class Local, class T>
void GatheredLevels<Local, T>::apply(float alpha, Block<const float> x, float beta, Block<float> y) const {
  const float factor = alpha * static_cast<float>(cycle_->power());
  for (int k = 0; k < y.columns; ++k) {
    const float* const own = x.column(k).data();
    gather_.start(own);
    gather_.finish(own);
    const float* const whole = cycle_->solve_for(gather_.boundary().data());
    for_each(space_.local(), this->rows(), AddScaled{factor, whole + first_, beta, y.column(k).data()});
  }
}

OSTINATO_CLASS(GatheredLevels);

}  // namespace ostinato::algebraic
