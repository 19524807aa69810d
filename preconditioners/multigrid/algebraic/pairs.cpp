// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/pairs.hpp>

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
Pairs<Space> pair_up(const Space& space, const CsrView<T>& a, LoneRows lone) {
  const auto n = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Vector<Space, T> scale(space, n);
  Vector<Space, float> strongest(space, n);
  Vector<Space, Index> partner(space, n), choice(space, n);
  Vector<Space, double> left(space, 1);
  const T limit = lone == LoneRows::leave ? static_cast<T>(dominance) : T{0};
  for_each(space, n, BeginPairs<T>{pattern, a.val.data(), limit, scale.data(), partner.data(), choice.data()});
  const PairWeights<T> weights{pattern, a.val.data(), scale.data(), strongest.data()};
  for_each(space, n, FindStrongest<T>{weights, partner.data()});
  for (int round = 0; round < most_rounds; ++round) {
    sum(space, n, ChoosePartner<T>{weights, partner.data(), choice.data()}, left.data());
    if (left.download()[0] == 0) break;
    for_each(space, n, ShakeHands{choice.data(), partner.data()});
  }
  Pairs<Space> pairs{Vector<Space, Index>(space, n)};
  Vector<Space, Offset> number(space, n + 1);
  for_each(space, n, JoinPair<T>{weights, partner.data(), lone == LoneRows::keep, choice.data()});
  for_each(space, n, CountPairs{choice.data(), number.data()});
  pairs.count = static_cast<Index>(detail::counted(space, number));
  for_each(space, n, NumberPairs{choice.data(), number.data(), pairs.of.data()});
  return pairs;
}

#define OSTINATO_INSTANTIATE(Space, T) template Pairs<Space> pair_up(const Space&, const CsrView<T>&, LoneRows)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
