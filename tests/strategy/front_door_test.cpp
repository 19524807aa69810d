// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/front_door.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/exact_residual.hpp"
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

}  // namespace
}  // namespace ostinato::test
