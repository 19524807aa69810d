// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include "support/preconditioning.hpp"
#include "support/solving.hpp"
#include "support/systems.hpp"

namespace ostinato::test {

/// Multigrid of matrices in host memory.
template <class Case>
class MultigridSuite : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  static constexpr double rtol = sizeof(Value) == 4 ? 1e-4 : 1e-8;

  /// Solves for a random solution, and recomputes the residual.
  template <class M>
  SolveResult solve_with(const Operator<Home, Value>& op, const M& m, const Csr<Value>& a,
                         const std::string& solver) const {
    const auto system = with_known_solution(a);
    const auto b = this->put(system.b);
    auto x = this->put(system.x0);
    const SolveResult result =
        ostinato::solve(this->space(), op, b, x, m, solver, {.rtol = rtol, .max_iterations = 200});
    const ReferenceResidual end = reference_residual(a.view(), x.download(), system.b);
    EXPECT_TRUE(!result || end.norm <= rtol * end.b_norm * 1.0001L);
    return result;
  }

  SolveResult solve(const Csr<Value>& a, const std::string& solver, const MultigridOptions& options) const {
    const Analysis<Home, Value> analysis(this->space(), a);
    return solve_with(Operator<Home, Value>(analysis), Multigrid<Home, Value>(analysis, options), a, solver);
  }

  int iterations(const Csr<Value>& a, const std::string& solver, const MultigridOptions& options) const {
    const SolveResult result = solve(a, solver, options);
    EXPECT_TRUE(result) << result.message();
    return result.iterations;
  }

  std::vector<Value> apply(const Multigrid<Home, Value>& m, const std::vector<Value>& r) const {
    const auto dr = this->put(r);
    auto z = this->put(std::vector<Value>(r.size())), with_dot = this->put(std::vector<Value>(r.size()));
    auto slot = this->template put<double>({-1});
    m.apply(dr, z);
    m.apply_dot(dr, with_dot, slot.data());
    const std::vector<Value> result = z.download();
    EXPECT_TRUE(same_bits(result, with_dot.download()));
    const double dot = dot_of(r, with_dot.download());
    EXPECT_NEAR(slot.download()[0], dot, 1e-5 * std::abs(dot) + 1e-30);
    return result;
  }

  void expect_symmetric_and_positive(const Multigrid<Home, Value>& m, Index rows) const {
    const auto u = random_vector<Value>(rows, 1), v = random_vector<Value>(rows, 2);
    test::expect_symmetric_and_positive(u, apply(m, u), v, apply(m, v));
  }
};

}  // namespace ostinato::test
