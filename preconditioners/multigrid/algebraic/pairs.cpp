// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairs.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/pairs_steps.hpp>
#include <ostinato/spmv/matrix/algebra/counted.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

constexpr int most_rounds = 24;
constexpr double dominance = 1.25;

}  // namespace

template <class Space, class T>
Pairs<Space, T> pair_up(const Space& space, const CsrView<T>& a, LoneRows lone, const GroupSizes<Space, T>& sizes) {
  const auto n = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Vector<Space, T> inverse(space, n);
  Vector<Space, float> strongest(space, n);
  Vector<Space, Index> partner(space, n), choice(space, n);
  Vector<Space, double> left(space, 1);
  const T limit = lone == LoneRows::leave ? static_cast<T>(dominance) : T{0};
  for_each(
      space, n,
      BeginPairs<T>{pattern, a.val.data(), limit, sizes.size.data(), inverse.data(), partner.data(), choice.data()});
  const PairWeights<T> weights{pattern, a.val.data(), inverse.data(), strongest.data()};
  for_each(space, n, FindStrongest<T>{weights, partner.data(), sizes.strongest.data()});
  for (int round = 0; round < most_rounds; ++round) {
    sum(space, n, ChoosePartner<T>{weights, partner.data(), choice.data()}, left.data());
    if (left.download()[0] == 0) break;
    for_each(space, n, ShakeHands{choice.data(), partner.data()});
  }
  Vector<Space, Index> of(space, n);
  Vector<Space, Offset> number(space, n + 1);
  for_each(space, n, JoinPair<T>{weights, partner.data(), lone == LoneRows::keep, choice.data()});
  for_each(space, n, CountPairs{choice.data(), number.data()});
  const auto count = static_cast<Index>(detail::counted(space, number));
  for_each(space, n, NumberPairs{choice.data(), number.data(), of.data()});
  Groups<Space> groups = groups_of(space, std::move(of), count);
  const auto rows = static_cast<std::size_t>(count);
  GroupSizes<Space, T> next{Vector<Space, T>(space, rows), Vector<Space, float>(space, rows)};
  for_each(
      space, rows,
      GatherMembers<T>{groups.pattern(), inverse.data(), strongest.data(), next.size.data(), next.strongest.data()});
  return {std::move(groups), std::move(next)};
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template Pairs<Space, T> pair_up(const Space&, const CsrView<T>&, LoneRows, const GroupSizes<Space, T>&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
