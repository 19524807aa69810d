// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/front_door.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/strategy/linear_solver.hpp>

#include "support/exact_residual.hpp"
#include "support/matrices.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

TEST(FrontDoor, SolvesInOneCall) {
  const System<double> system = with_known_solution(generate<double>("variable2d", {.n = 30}));

  const auto s = solve(system.a, system.b);

  EXPECT_TRUE(s) << s.message();
  EXPECT_LE(exact_residual(system.a.view(), s.x, system.b).relative, 1e-8 * (1 + 1e-6));
  EXPECT_EQ(s.set_up.structure.rows, system.a.rows);
  EXPECT_EQ(s.device, Host().description()) << "for a small system";
  EXPECT_GT(s.predicted.cpu, 0);
  EXPECT_FALSE(s.predicted.gpu_is_faster());
}

TEST(FrontDoor, TakesOptionsOfASolveOrAll) {
  const System<float> system = with_known_solution(generate<float>("convection-diffusion2d", {.n = 20}));

  const auto loose = solve(system.a, system.b, {.rtol = 1e-2});
  const auto named =
      solve(system.a.view(), system.b,
            {.solver = "bicgstab", .preconditioner = {"ilu0"}, .solve = {.rtol = 1e-4}, .device = "cpu"});

  const auto usual = solve(system.a, system.b);

  EXPECT_TRUE(usual) << usual.message();
  EXPECT_LE(exact_residual(system.a.view(), usual.x, system.b).relative, 1.001e-5);
  EXPECT_TRUE(loose);
  EXPECT_LE(exact_residual(system.a.view(), loose.x, system.b).relative, 1.001e-2);
  EXPECT_TRUE(named);
  EXPECT_LE(exact_residual(system.a.view(), named.x, system.b).relative, 1.001e-4);
  EXPECT_EQ(named.solver, "bicgstab");
  EXPECT_EQ(named.preconditioner, "ilu0");
}

TEST(FrontDoor, SolvesLeastSquares) {
  const Csr<double> a =
      from_triplets<double>(3, 2, std::vector<Triplet<double>>{{0, 0, 1}, {1, 1, 1}, {2, 0, 1}, {2, 1, 1}});
  const auto s = solve(a, std::vector<double>{1, 1, 5});  // x = (2, 2), r = (-1, -1, 1)

  EXPECT_EQ(s.status, Status::least_squares);
  ASSERT_EQ(s.x.size(), 2U);
  EXPECT_NEAR(s.x[0], 2, 1e-6);
  EXPECT_NEAR(s.x[1], 2, 1e-6);
}

TEST(FrontDoor, RefusesAnotherLengthAndAnUnknownDevice) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 3});
  EXPECT_THROW(solve(a, std::vector<double>(8)), DimensionError);
  EXPECT_THROW(solve(a, std::vector<double>(9), {.device = "tpu"}), ArgumentError);
  EXPECT_THROW(solve(a, std::vector<double>(9), {.device = "cuda:x"}), ArgumentError);
  if (!Cuda::why_absent().empty()) {
    EXPECT_THROW(solve(a, std::vector<double>(9), {.device = "cuda"}), DeviceError);
  }
}

TEST(FrontDoor, EndsWithinTheLimitOfTime) {
  const System<double> system = with_known_solution(generate<double>("poisson2d", {.n = 30}));
  const auto s = solve(system.a, system.b, {.rtol = 1e-14, .time_limit = 1e-9});

  EXPECT_EQ(s.status, Status::time_limit);
  EXPECT_LE(exact_residual(system.a.view(), s.x, system.b).relative, 1);
}

/// ||x - solution|| / ||solution||
double error_of(const std::vector<double>& x, const std::vector<double>& solution) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += (x[i] - solution[i]) * (x[i] - solution[i]);
    size += solution[i] * solution[i];
  }
  return std::sqrt(error / size);
}

/// A tridiagonal matrix that isn't symmetric, with entries from 1 down to 10^-decades.
Csr<double> graded(Index n, double decades) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    const double size = std::pow(10, -decades * i / n);
    t.push_back({i, i, 2.1 * size});
    if (i + 1 < n) t.insert(t.end(), {{i, i + 1, -size}, {i + 1, i, -0.9 * size}});
  }
  return from_triplets<double>(n, n, t);
}

TEST(FrontDoor, EstimatesTheErrorOfX) {
  for (const Csr<double>& a : {generate<double>("poisson2d", {.n = 60}), generate<double>("variable2d", {.n = 40}),
                               generate<double>("mesh2d", {.n = 30}), graded(400, 5)}) {
    const std::vector<double> solution = random_vector<double>(a.cols, 5);
    const System<double> system = with_known_solution(a, 5);
    for (const char* name : {"auto", "none", "jacobi", "ssor", "ic0", "multigrid", "cholesky", "lu"}) {
      LinearSolverOptions options{.preconditioner = {name}, .device = "cpu"};
      options.solve.rtol = 1e-6;
      if (a.rows == 400 && std::string(name) != "auto" && std::string(name) != "lu") continue;  // not symmetric
      const auto s = solve(system.a, system.b, options);
      ASSERT_EQ(s.status, Status::converged) << name << ": " << s.message();
      const double estimate = s.forward_error();
      // CG says nothing where it has seen little of A.
      if (!s.is_direct && std::isnan(estimate)) continue;
      EXPECT_GE(estimate, 0.1 * error_of(s.x, solution)) << name << ": " << s.message();
      EXPECT_LT(estimate, 1) << name;
      EXPECT_FALSE(s.is_singular) << name << ": " << s.message();
      EXPECT_NE(s.message().find(", forward error about "), std::string::npos);
    }
  }
}

TEST(FrontDoor, TellsNoErrorWhereFewIterationsHideTheSlowestPart) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 40});
  const System<double> system = with_known_solution(a, 5);
  const Host space;
  LinearSolver solver(space, a, {.solver = "cg", .preconditioner = {"none"}, .solve = {.rtol = 1e-6}});
  std::vector<double> x(system.b.size());
  ASSERT_TRUE(solver.solve(system.b, x, {.rtol = 1e-12}));
  // An error along the slowest part, of which one more iteration leaves nothing.
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += 1e-3 * std::sin(M_PI * (static_cast<double>(i % 40) + 1) / 41) *
            std::sin(M_PI * (static_cast<double>(i / 40) + 1) / 41);

  const SolveResult again = solver.solve(system.b, x, {.rtol = 1e-6});

  EXPECT_TRUE(again) << again.message();
  EXPECT_LT(again.iterations, 12);
  EXPECT_TRUE(std::isnan(again.forward_error())) << again.message();
}

TEST(FrontDoor, TellsNoErrorWithoutACondition) {
  const System<double> system = with_known_solution(generate<double>("convection-diffusion2d", {.n = 20}));
  const auto s = solve(system.a, system.b, {.solver = "gmres", .preconditioner = {"jacobi"}, .device = "cpu"});

  EXPECT_TRUE(s);
  EXPECT_FALSE(s.condition.is_known());
  EXPECT_TRUE(std::isnan(s.forward_error()));
  EXPECT_EQ(s.message().find("forward error"), std::string::npos);
}

/// Singular matrices: equal rows, a combination of rows that vanishes, a free body, a row and a column without entries.
std::vector<Csr<double>> singular_matrices() {
  const std::vector<Triplet<double>> of_five = {{0, 1, 1}, {0, 3, 1}, {1, 0, 1}, {1, 1, 1}, {1, 4, 1}, {3, 0, 1},
                                                {3, 4, 1}, {4, 0, 1}, {4, 1, 1}, {4, 2, 1}, {4, 3, 1}, {4, 4, 1}};
  std::vector<Triplet<double>> sums;  // the last row is the sum of the others
  for (Index i = 0; i < 39; ++i) {
    for (const Index j : {i, i + 1, (7 * i + 3) % 40}) {
      sums.push_back({i, j, 1.0 + (3 * i + j) % 5});
      sums.push_back({39, j, 1.0 + (3 * i + j) % 5});
    }
  }
  const std::vector<Triplet<double>> of_equal = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 2}};
  return {from_triplets<double>(5, 5, of_five), from_triplets<double>(40, 40, sums),
          from_triplets<double>(3, 3, of_equal), ring<double>(50)};
}

TEST(FrontDoor, CallsASingularMatrixSo) {
  for (const Csr<double>& a : singular_matrices()) {
    const bool is_plain = a.rows != 40;  // nothing shows that it is singular where gmres finds an x
    std::vector<double> random = random_vector<double>(a.rows, 9);
    for (const bool is_solvable : {true, false}) {
      const std::vector<double> b = is_solvable ? with_known_solution(a, 3).b : random;
      for (const char* name : {"auto", "lu"}) {
        const auto s = solve(a, b, {.preconditioner = {name}, .device = "cpu"});
        EXPECT_LE(std::abs(exact_residual(a.view(), s.x, b).relative - s.relative_residual),
                  1e-12 + 1e-6 * s.relative_residual);
        if (s.cause == Cause::no_solution || (!is_plain && std::string(name) == "auto" && is_solvable)) continue;
        EXPECT_TRUE(s.is_singular) << a.rows << name << is_solvable << s.message();
        EXPECT_NE(s.reason.find("A is singular to working precision: x is one of many ("), std::string::npos)
            << a.rows << name << is_solvable << s.message();
        if (s.status != Status::least_squares) {
          EXPECT_EQ(s.cause, Cause::singular) << s.message();
        }
      }
    }
  }
}

TEST(FrontDoor, DoesNotCallAPoorlyScaledMatrixSingular) {
  Csr<double> a = generate<double>("convection-diffusion2d", {.n = 12});
  const auto scale = [](Index i) { return std::pow(10, -0.15 * ((7 * i) % 144)); };
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      a.val[k] *= scale(i) * scale(a.col[k]);
  }
  const auto s = solve(a, with_known_solution(a, 3).b, {.preconditioner = {"lu"}, .device = "cpu"});

  EXPECT_EQ(s.condition.of, Condition::Of::scaled);
  EXPECT_LT(s.condition.value, 1e6);
  EXPECT_FALSE(s.is_singular) << s.message();
}

}  // namespace
}  // namespace ostinato::test
