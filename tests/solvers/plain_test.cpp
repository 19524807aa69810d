// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The methods on a space of a program, made of the public headers.

#include "support/plain_solves.hpp"

#include <ostinato/solvers/definitions.hpp>

namespace ostinato::test {
namespace {

template <class Method>
void expect_same_solution(const Method& method, const char* matrix) {
  SCOPED_TRACE(matrix);
  expect_same(matrix, 12, [&](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const Operator op(analysis, {.format = "csr"});
    return method(space, op, b, x, tight());
  });
}

TEST(PlainSpace, SolvesByEveryMethodAsHostDoes) {
  expect_same_solution(cg, "poisson2d");
  expect_same_solution(minres, "poisson2d");
  for (const char* matrix : {"poisson2d", "convection-diffusion2d"}) {
    expect_same_solution(bicgstab, matrix);
    expect_same_solution(bicgstab2, matrix);
    expect_same_solution(gmres, matrix);
    expect_same_solution(gcrodr, matrix);
    expect_same_solution(idr, matrix);
  }
  expect_same("convection-diffusion2d", 12, [](const auto& space, const auto& analysis, const auto& b, auto& x) {
    const TransposableOperator op(Operator(analysis, {.format = "csr"}), analysis);
    return lsmr(space, op, b, x, tight());
  });
}

}  // namespace
}  // namespace ostinato::test
