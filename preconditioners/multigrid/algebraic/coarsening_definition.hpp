// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::algebraic {

namespace coarsening_definition {

inline constexpr int fewest_rounds = 5;  // 5 to 8 on levels of 1,000 to 260,000 rows, 3 to 5 on smaller ones

/// Decides all rows, in rounds.
template <class Space>
void split_rows(const Space& space, const detail::CsrPattern& a, Offset entries, const std::uint8_t* strong,
                Vector<Space, std::int32_t>& split) {
  using Shared = Atomic<Space>;
  const std::size_t n = split.size();
  Vector<Space, std::int32_t> dependent(space, n, 0), beaten(space, n);
  Vector<Space, double> left(space, 1);
  for_each(space, n, CountDependent<Shared>{a, strong, dependent.data()});
  for_each(space, n, BeginSplit{dependent.data(), split.data(), beaten.data()});
  // The undecided row of the highest rank is decided in each round, so that this ends.
  for (std::int32_t round = 1;; ++round) {
    for_each_row(space, n, entries,
                 MarkBeaten<Shared>{a, strong, {dependent.data()}, split.data(), round, beaten.data()});
    for_each(space, n, TakeCoarse{beaten.data(), round, split.data()});
    sum_rows(space, n, entries, TakeFine<Shared>{a, strong, split.data()}, left.data());
    if (is_look<Space>(round, fewest_rounds) && left.download()[0] == 0) return;
  }
}

template <class Space>
Coarsening<Space> undecided_rows(const Space& space, const detail::CsrPattern& a, Offset entries) {
  const auto n = static_cast<std::size_t>(a.rows);
  return {Vector<Space, std::uint8_t>(space, static_cast<std::size_t>(entries)), Vector<Space, std::int32_t>(space, n),
          Vector<Space, Offset>(space, n + 1)};
}

}  // namespace coarsening_definition

template <class Space, class T>
Coarsening<Space> coarsen(const Space& space, const CsrView<T>& a, const CoarseningOptions& options) {
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Coarsening<Space> c = coarsening_definition::undecided_rows(space, pattern, a.nonzeros());
  for_each_row(space, c.split.size(), a.nonzeros(),
               MarkStrong<T>{pattern, a.val.data(), static_cast<T>(options.threshold),
                             static_cast<T>(options.largest_sum), c.strong.data()});
  coarsening_definition::split_rows(space, pattern, a.nonzeros(), c.strong.data(), c.split);
  number_coarse(space, c);
  return c;
}

template <class Space>
Coarsening<Space> coarsen(const Space& space, const detail::CsrPattern& a, Offset entries) {
  Coarsening<Space> c = coarsening_definition::undecided_rows(space, a, entries);
  for_each(space, c.split.size(), MarkBeside{a, c.strong.data()});
  coarsening_definition::split_rows(space, a, entries, c.strong.data(), c.split);
  number_coarse(space, c);
  return c;
}

template <class Space>
void number_coarse(const Space& space, Coarsening<Space>& c) {
  const std::size_t n = c.split.size();
  for_each(space, n, CountCoarse{c.split.data(), c.number.data()});
  exclusive_scan(space, c.number);
  Offset coarse_rows = 0;
  space.download(&coarse_rows, c.number.data() + n, sizeof coarse_rows);
  c.coarse_rows = static_cast<Index>(coarse_rows);
}

}  // namespace ostinato::algebraic
