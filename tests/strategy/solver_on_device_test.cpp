// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/solver_on_device.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>

#include "support/exact_residual.hpp"
#include "support/matrices.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

LinearSolverOptions tight() { return {.solve = {.rtol = 1e-10}}; }

double error_of(const CsrView<double>& a, const std::vector<double>& x, const std::vector<double>& b) {
  return exact_residual(a, x, b).relative;
}

TEST(SolverOnDevice, KeepsTheSetUpOfEachKindOfMatrix) {
  const GenerateOptions grid{.n = 30};
  const System<double> system = with_known_solution(generate<double>("poisson2d", grid));
  Csr<double> moved = system.a;
  SolverOnDevice<double> of_view(system.a.view(), tight());
  SolverOnDevice<double> of_csr(std::move(moved), tight());
  SolverOnDevice<double> of_stencil(*generate_stencil("poisson2d", grid), tight());
  const auto matrix = std::make_shared<const Operator<Host, double>>(Host(), system.a);
  SolverOnDevice<double> of_map(matrix, tight());

  for (SolverOnDevice<double>* solver : {&of_view, &of_csr, &of_stencil, &of_map}) {
    std::vector<double> x(system.b.size());
    const std::vector<SolveResult> results = solver->solve(std::span(system.b), std::span(x));
    ASSERT_EQ(results.size(), 1);
    EXPECT_TRUE(results[0]) << results[0].message();
    EXPECT_LE(error_of(system.a.view(), x, system.b), 1.001e-10);
    EXPECT_EQ(solver->device(), Host().description());
  }
  EXPECT_EQ(of_map.set_up().choice.format, matrix->format()) << "an Operator is a matrix, not a function";
}

TEST(SolverOnDevice, SolvesColumnsOnEachDevice) {
  const System<double> system = with_known_solution(generate<double>("convection-diffusion2d", {.n = 24}));
  const std::size_t n = system.b.size();
  std::vector<double> b(system.b);
  for (std::size_t i = 0; i < n; ++i) b.push_back(2 - system.b[i]);
  for (const char* const device : {"cpu", "cuda"}) {
    if (device == std::string_view("cuda") && !Cuda::why_absent().empty()) continue;
    LinearSolverOptions options = tight();
    options.device = device;
    SolverOnDevice<double> solver(system.a.view(), options);
    std::vector<double> x(2 * n, 0.0);

    const auto results = solver.solve(Block<const double>(b.data(), n, 2, n), Block<double>(x.data(), n, 2, n));

    ASSERT_EQ(results.size(), 2);
    for (std::size_t k = 0; k < 2; ++k) {
      const std::vector<double> of_x(x.begin() + k * n, x.begin() + (k + 1) * n);
      const std::vector<double> of_b(b.begin() + k * n, b.begin() + (k + 1) * n);
      EXPECT_TRUE(results[k]) << results[k].message();
      EXPECT_LE(error_of(system.a.view(), of_x, of_b), 1.001e-10);
    }
    EXPECT_EQ(solver.solve(std::span(system.b), std::span(x).first(n))[0].iterations, 0) << "x is the guess";
  }
}

TEST(SolverOnDevice, TakesNewValues) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 20});
  SolverOnDevice<double> solver(a.view(), tight());
  Csr<double> other = a;
  for (double& value : other.val) value *= value > 0 ? 1.5 : 1;
  const std::vector<double> b(400, 1.0);
  std::vector<double> x(400), z(400);

  solver.update_values(Csr<double>(other));
  EXPECT_TRUE(solver.solve(std::span(b), std::span(x))[0]);
  solver.precondition(std::span(b), std::span(z), {.rtol = 1e-6});

  EXPECT_LE(error_of(other.view(), x, b), 1.001e-10);
  EXPECT_LE(error_of(other.view(), z, b), 1.001e-6);
}

TEST(SolverOnDevice, CountsTheSetUpWithinTheTimeOfOneSolve) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 100});
  LinearSolverOptions options = tight();
  options.solve.time_limit = 1e-7;
  SolverOnDevice<double> solver(a.view(), options);
  const std::vector<double> b(10000, 1.0);
  std::vector<double> x(10000);

  EXPECT_EQ(solver.solve_once(std::span(b), std::span(x))[0].status, Status::time_limit);
  EXPECT_GT(solver.set_up_seconds(), 1e-7);
}

TEST(SolverOnDevice, RefusesOtherShapesAndDevices) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 3});
  SolverOnDevice<double> solver(a.view(), tight());
  std::vector<double> v(10);
  const auto in = [&](std::size_t n) { return std::span<const double>(v).first(n); };
  const auto out = [&](std::size_t n) { return std::span<double>(v).first(n); };

  EXPECT_THROW((void)solver.solve(in(8), out(9)), DimensionError);
  EXPECT_THROW((void)solver.solve(in(9), out(10)), DimensionError);
  const auto nothing = [](std::span<const double>, std::span<double>) {};
  using Map = decltype(make_operator<double>(Host(), 9, nothing));
  const auto map = std::make_shared<const Map>(Host(), 9, nothing);
  EXPECT_THROW(SolverOnDevice<double>(map, {.device = "cuda"}), ArgumentError);
  EXPECT_THROW(SolverOnDevice<double>(map, {.device = "tpu"}), ArgumentError);
  EXPECT_THROW(SolverOnDevice<double>(a.view(), {.device = "tpu"}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
