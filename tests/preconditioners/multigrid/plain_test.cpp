// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Algebraic multigrid on a space of a program, made of the public headers.

#include "support/plain_solves.hpp"

#include <ostinato/preconditioners/definitions.hpp>
#include <ostinato/solvers/definitions.hpp>

namespace ostinato::test {
namespace {

TEST(PlainSpace, PreconditionsByMultigrid) {
  for (const MultigridKind kind : {MultigridKind::classical, MultigridKind::aggregation}) {
    expect_same_with([kind]<class Space>(const Analysis<Space, double>& a) {
      Multigrid<Space, double> m(a, {.kind = kind});
      EXPECT_GT(m.levels().size(), 1u);
      return m;
    });
  }
}

}  // namespace
}  // namespace ostinato::test
