// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/pairs.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/pairs_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::algebraic {

namespace pairs_definition {

inline constexpr int most_rounds = 24;

inline constexpr double dominance = 1.25;

/// The first round after which the host looks whether rows are left. Grids need 8 or 9 rounds for 10,000 to 16 million
/// rows, 7 for some thousand, 5 for fewer.
inline int first_look(std::size_t rows) { return rows < 1500 ? 4 : rows < 10000 ? 6 : 7; }

/// What pair_up() finds out about each row.
template <class Space>
struct Found {
  Vector<Space, Index> first;    ///< row of the pair; negative for a row that is left out
  Vector<Space, Index> partner;  ///< negative where there is none
  Vector<Space, int> joined;     ///< at the first row of a pair: how many rows have joined
};

/// The pairs with their numbers and members, and what these leave for the next pass. `sums`: those of JoinPair.
template <class Space, class T>
Pairs<Space, T> numbered(const Space& space, const PairWeights<T>& weights, Found<Space> found,
                         const Vector<Space, double>& sums) {
  const std::size_t n = found.first.size();
  const Index *const first = found.first.data(), *const partner = found.partner.data();
  Vector<Space, Offset> number(space, n + 1);
  for_each(space, n, CountPairs{first, number.data()});
  exclusive_scan(space, number.span());
  Offset count = 0;
  double of_join[2] = {};
  download(space, {copied(count, number.data() + n), {of_join, sums.data(), sums.bytes()}});
  const auto rows = static_cast<std::size_t>(count), members = static_cast<std::size_t>(of_join[0]);
  const bool has_crowd = of_join[1] > 0;
  Pairs<Space, T> made{{Vector<Space, Index>(space, n), static_cast<Index>(count),
                        Vector<Space, Offset>(space, rows + 1), Vector<Space, Index>(space, has_crowd ? 0 : members)},
                       {Vector<Space, T>(space, rows), Vector<Space, float>(space, rows)}};
  Groups<Space>& groups = made.groups;
  for_each(space, n,
           NumberPairs{first, partner, found.joined.data(), number.data(), groups.of.data(), groups.begin.data()});
  exclusive_scan(space, groups.begin.span());
  if (has_crowd) {
    groups.members = members_of(space, groups.of, groups.count).rows;
  } else {
    for_each(space, n,
             ListMembers<Atomic<Space>>{first, partner, found.joined.data(), groups.of.data(), groups.begin.data(),
                                        groups.members.data()});
  }
  for_each(space, rows,
           SumMembers<T>{weights.inverse, weights.strongest, groups.begin.data(), groups.members.data(),
                         made.sizes.size.data(), made.sizes.strongest.data()});
  return made;
}

}  // namespace pairs_definition

template <class Space, class T>
Pairs<Space, T> pair_up(const Space& space, const CsrView<T>& a, LoneRows lone, const GroupSizes<Space, T>& sizes) {
  const auto n = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Vector<Space, T> inverse(space, n);
  Vector<Space, float> strongest(space, n);
  Vector<Space, Index> partner(space, n), choice(space, n), spare(space, n);
  Vector<Space, int> joined(space, n);
  Vector<Space, double> left(space, 1), joins(space, 2);
  const T limit = lone == LoneRows::leave ? static_cast<T>(pairs_definition::dominance) : T{0};
  for_each_row(space, n, a.nonzeros(),
               BeginPairs<T>{pattern, a.val.data(), limit, sizes.size.data(), inverse.data(), partner.data(),
                             choice.data(), joined.data()});
  const PairWeights<T> weights{pattern, a.val.data(), inverse.data(), strongest.data()};
  for_each_row(space, n, a.nonzeros(), FindStrongest<T>{weights, partner.data(), sizes.strongest.data()});
  for (int round = 0; round < pairs_definition::most_rounds; ++round) {
    sum_rows(space, n, a.nonzeros(), ChoosePartner<T>{weights, partner.data(), choice.data(), spare.data()},
             left.data());
    if (is_look<Space>(round, pairs_definition::first_look(n)) && left.download()[0] == 0) break;
    for_each(space, n, ShakeHands{choice.data(), partner.data()});
  }
  spare = {};
  pairs_definition::Found<Space> found{std::move(choice), std::move(partner), std::move(joined)};
  sum_rows(space, n, a.nonzeros(),
           JoinPair<Atomic<Space>, T>{weights, found.partner.data(), lone == LoneRows::keep, found.first.data(),
                                      found.joined.data()},
           joins.data());
  return pairs_definition::numbered(space, weights, std::move(found), joins);
}

}  // namespace ostinato::algebraic
