// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "support/solving.hpp"

// Algebraic multigrid on matrices with several pieces, some of which are singular by themselves.

namespace ostinato::test {
namespace {

template <class Case>
class MultigridInPieces : public SpaceTest<Case> {};

TYPED_TEST_SUITE(MultigridInPieces, EverySpace, SpaceNames);

/// A regular matrix, beside small pieces without a fixed point whose values don't add up to 0 exactly.
template <class T>
Csr<T> with_pieces(const Csr<T>& regular, int pieces, Index size) {
  std::vector<Triplet<T>> triplets;
  Index before = 0;
  const auto append = [&](const Csr<T>& a) {
    for (Index i = 0; i < a.rows; ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
        triplets.push_back({before + i, before + a.col[k], a.val[k]});
    before += a.rows;
  };
  append(regular);
  for (int p = 0; p < pieces; ++p) append(graph_laplacian<T>(size + p % 5, 2, 1, 0, static_cast<std::uint64_t>(p + 1)));
  return from_triplets<T>(before, before, triplets);
}

TYPED_TEST(MultigridInPieces, SolvesWithoutLargeNumbers) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  constexpr double rtol = is_single<T> ? 1e-4 : 1e-8;
  const Csr<T> regular = renumbered(generate<T>("poisson2d", {.n = 40}));
  for (const Csr<T>& a :
       {with_pieces(regular, 1, 5), with_pieces(regular, 40, 4), with_pieces(regular, 4, 150),
        with_pieces(Csr<T>{}, 150, 6), with_pieces(Csr<T>{}, 4, 120), with_pieces(Csr<T>{}, 400, 3)}) {
    const Analysis<Home, T> analysis(this->space(), a);
    const Operator<Home, T> op(analysis);
    const auto system = with_known_solution(a);
    const auto b = this->put(system.b);
    for (const MultigridKind kind :
         {MultigridKind::classical, MultigridKind::aggregation, MultigridKind::pairwise, MultigridKind::plain}) {
      const Multigrid<Home, T> m(analysis, {.kind = kind});
      auto x = this->put(system.x0);
      const SolveResult result =
          ostinato::solve(this->space(), op, b, x, m, "cg", {.rtol = rtol, .max_iterations = 60});
      EXPECT_TRUE(result) << result.message();
      for (const T v : x.download()) ASSERT_LT(std::abs(v), 20) << static_cast<int>(kind);
    }
  }
}

}  // namespace
}  // namespace ostinato::test
