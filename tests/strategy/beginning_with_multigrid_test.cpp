// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/beginning_with_multigrid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/linear_solver.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

bool begins(const Csr<double>& a) {
  return begins_with_plain_on_cpu(a.view(), Analysis<Host, double>(Host(), a).structure());
}

/// The matrix with `times` of itself more on the diagonal.
Csr<double> with_more_diagonal(Csr<double> a, double times) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      if (a.col[k] == static_cast<Index>(i)) a.val[k] *= 1 + times;
  }
  return a;
}

TEST(BeginningWithMultigrid, IsForDiffusionOnADeepGraph) {
  const Csr<double> mesh = generate<double>("mesh2d", {.n = 150});
  EXPECT_TRUE(begins(mesh));
  Csr<double> negative = mesh;
  std::transform(mesh.val.begin(), mesh.val.end(), negative.val.begin(), std::negate());
  EXPECT_TRUE(begins(negative));
  EXPECT_TRUE(begins(generate<double>("poisson2d", {.n = 150, .renumbered = true})));
  EXPECT_FALSE(begins(generate<double>("mesh2d", {.n = 140}))) << "less than 20,000 rows";
  EXPECT_FALSE(begins(generate<double>("mesh3d", {.n = 28}))) << "Jacobi takes a hundred iterations";
}

TEST(BeginningWithMultigrid, IsNotForOtherRows) {
  const Csr<double> mesh = generate<double>("mesh2d", {.n = 150});
  EXPECT_FALSE(begins(with_more_diagonal(mesh, 0.5))) << "dominant";
  EXPECT_FALSE(begins(generate<double>("elasticity3d", {.n = 20}))) << "stiff";
  EXPECT_FALSE(begins(generate<double>("convection-diffusion2d", {.n = 150, .renumbered = true}))) << "unsymmetric";
  EXPECT_FALSE(begins(generate<double>("fem27", {.n = 30}))) << "dominant";
}

TEST(BeginningWithMultigrid, IsWhatAutoDoes) {
  const Csr<double> mesh = generate<double>("mesh2d", {.n = 150});
  const auto system = with_known_solution(mesh);
  LinearSolver<Host, double> solver(Host(), system.a, {});
  EXPECT_EQ(solver.set_up().preconditioner.name, "multigrid");
  std::vector<double> x(system.b.size(), 0.0);

  const SolveResult result = solver.solve(system.b, x);

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LT(result.iterations, 40);
  EXPECT_EQ(result.preconditioner, "multigrid");
}

TEST(BeginningWithMultigrid, GivesWayToJacobiWhereValuesDoNotServe) {
  const Csr<double> mesh = generate<double>("mesh2d", {.n = 150});
  const Analysis<Host, double> analysis(Host(), mesh);
  AnyPreconditioner<Host, double> m(analysis);
  ASSERT_EQ(m.name(), "multigrid");
  ASSERT_TRUE(m.varies()) << "a K-cycle";
  Csr<double> indefinite = mesh;
  indefinite.val[0] = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(mesh.row_ptr[1]); ++k)
    if (mesh.col[k] == 0) indefinite.val[k] = -1;

  m.update_values(Analysis<Host, double>(Host(), indefinite));

  EXPECT_EQ(m.name(), "jacobi");
}

}  // namespace
}  // namespace ostinato::test
