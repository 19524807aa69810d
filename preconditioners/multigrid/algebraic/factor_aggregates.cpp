// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/factor_aggregates.hpp>

#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

struct OneLane {
  OSTINATO_FUNCTION static bool is_first() { return true; }
  template <class F>
  OSTINATO_FUNCTION void each(Offset count, F f) const {
    for (Offset q = 0; q < count; ++q) f(q);
  }
  template <class F>
  OSTINATO_FUNCTION double sum(Offset count, F f) const {
    double total = 0;
    for (Offset q = 0; q < count; ++q) total += f(q);
    return total;
  }
};

struct FactorAlone {
  FactorAggregate f;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { f.factor(i, OneLane{}); }
};

}  // namespace

void factor_aggregates(const Host& space, std::size_t aggregates, const FactorAggregate& f) {
  for_each(space, aggregates, FactorAlone{f});
}

}  // namespace ostinato::algebraic
