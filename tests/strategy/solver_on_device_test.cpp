// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/solver_on_device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/vector.hpp>

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

TEST(SolverOnDevice, RefusesArraysOfAGpuThatIsAbsent) {
  if (Cuda::why_absent().empty()) GTEST_SKIP() << "there is a GPU";
  const Csr<double> a = generate<double>("poisson2d", {.n = 3});
  EXPECT_THROW(SolverOnDevice<double>(a.view(), on_space, tight()), DeviceError);
  EXPECT_THROW(SolverOnDevice<double>(a.view(), on_space, {.device = "cpu"}), ArgumentError);
}

class SolverOnDeviceCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
    space_.emplace();
    row_ptr_ = {*space_, std::span<const Offset>(system_.a.row_ptr)};
    col_ = {*space_, std::span<const Index>(system_.a.col)};
    val_ = {*space_, std::span<const double>(system_.a.val)};
    b_ = {*space_, std::span<const double>(system_.b)};
    space_->wait();
  }

  CsrView<double> on_gpu() const { return {system_.a.rows, system_.a.cols, row_ptr_, col_, val_}; }

  const System<double> system_ = with_known_solution(generate<double>("convection-diffusion2d", {.n = 24}));
  std::optional<Cuda> space_;
  Vector<Cuda, Offset> row_ptr_;
  Vector<Cuda, Index> col_;
  Vector<Cuda, double> val_, b_;
};

TEST_F(SolverOnDeviceCuda, TakesMatrixAndVectorsWhereTheyAre) {
  for (const char* const device : {"auto", "cuda", "cuda:0"}) {
    LinearSolverOptions options = tight();
    options.device = device;
    SolverOnDevice<double> solver(on_gpu(), on_space, options);
    Vector<Cuda, double> x(*space_, system_.b.size(), 0.0);
    space_->wait();

    // An upload from GPU memory, and a download to it, throw: whatever came through the host would do so.
    const auto results = solver.solve(Block<const double>(b_.span()), Block<double>(x.span()));

    EXPECT_TRUE(results[0]) << results[0].message();
    EXPECT_LE(error_of(system_.a.view(), x.download(), system_.b), 1.001e-10);
    EXPECT_EQ(solver.device(), space_->description());
    EXPECT_EQ(solver.solve(Block<const double>(b_.span()), Block<double>(x.span()))[0].iterations, 0);
  }
}

TEST_F(SolverOnDeviceCuda, TakesHalfOfItFromTheHost) {
  LinearSolverOptions options = tight();
  options.device = "cuda";
  SolverOnDevice<double> of_host(system_.a.view(), options), of_gpu(on_gpu(), on_space, tight());
  for (SolverOnDevice<double>* const solver : {&of_host, &of_gpu}) {
    Vector<Cuda, double> there(*space_, system_.b.size(), 0.0);
    std::vector<double> here(system_.b.size()), after(system_.b.size());
    space_->wait();
    EXPECT_TRUE(solver->solve(Block<const double>(b_.span()), Block<double>(there.span()))[0]);
    EXPECT_TRUE(solver->solve(std::span(system_.b), std::span(here))[0]);
    EXPECT_TRUE(solver->solve(Block<const double>(b_.span()), Block<double>(std::span(after)))[0]);
    for (const auto& x : {there.download(), here, after})
      EXPECT_LE(error_of(system_.a.view(), x, system_.b), 1.001e-10);
  }
}

TEST_F(SolverOnDeviceCuda, TakesColumnsWithSpaceBetween) {
  SolverOnDevice<double> solver(on_gpu(), on_space, tight());
  const std::size_t n = system_.b.size(), stride = n + 5;
  std::vector<double> two(2 * stride, 3.0);
  std::ranges::copy(system_.b, two.begin());
  std::ranges::transform(system_.b, two.begin() + stride, [](double v) { return 2 - v; });
  const Vector<Cuda, double> b(*space_, std::span<const double>(two));
  Vector<Cuda, double> x(*space_, two.size(), 0.0);
  space_->wait();

  const auto results = solver.solve(Block<const double>(b.data(), n, 2, stride), Block<double>(x.data(), n, 2, stride));

  const std::vector<double> found = x.download();
  for (std::size_t k = 0; k < 2; ++k) {
    const auto column = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + k * stride, v.begin() + k * stride + n);
    };
    EXPECT_TRUE(results[k]) << results[k].message();
    EXPECT_LE(error_of(system_.a.view(), column(found), column(two)), 1.001e-10);
  }
  EXPECT_EQ(std::vector<double>(found.begin() + n, found.begin() + stride), std::vector<double>(5, 0.0));
}

TEST_F(SolverOnDeviceCuda, TakesNewValuesWhereTheyAre) {
  SolverOnDevice<double> solver(on_gpu(), on_space, tight());
  Csr<double> other = system_.a;
  for (double& value : other.val) value *= value > 0 ? 1.5 : 1;
  const Vector<Cuda, double> values(*space_, std::span<const double>(other.val));
  Vector<Cuda, double> x(*space_, system_.b.size(), 0.0), z(*space_, system_.b.size());
  space_->wait();

  solver.update_values(CsrView<double>{other.rows, other.cols, row_ptr_, col_, values}, on_space);
  EXPECT_TRUE(solver.solve(Block<const double>(b_.span()), Block<double>(x.span()))[0]);
  solver.precondition(Block<const double>(b_.span()), Block<double>(z.span()), {.rtol = 1e-6});

  EXPECT_LE(error_of(other.view(), x.download(), system_.b), 1.001e-10);
  EXPECT_LE(error_of(other.view(), z.download(), system_.b), 1.001e-6);
}

/// The numbers that rows get back are the last work of a solve.
TEST_F(SolverOnDeviceCuda, HasWrittenXWhenACallReturns) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 1000});
  LinearSolverOptions options{.solver = "cg", .preconditioner = {"jacobi"}, .renumber = Renumber::on};
  options.device = "cuda";
  options.solve.max_iterations = 1;
  options.solve.effort = Effort::quick;
  SolverOnDevice<double> solver(a.view(), options);
  const std::size_t n = solver.rows();
  std::vector<double> waves(n, 1.0);  // one iteration brings x much nearer
  for (std::size_t i = 0; i < n; i += 2) waves[i] = -1;
  const Vector<Cuda, double> b(*space_, std::span<const double>(waves));
  for (int k = 0; k < 5; ++k) {
    Vector<Cuda, double> x(*space_, n, 0.0);
    space_->wait();
    (void)solver.solve(Block<const double>(b.span()), Block<double>(x.span()));
    const std::vector<double> found = x.download();  // on a stream that doesn't wait for the solver's
    EXPECT_EQ(std::ranges::count(found, 0.0), 0);
  }
}

TEST_F(SolverOnDeviceCuda, RefusesMemoryOfAnotherDevice) {
  LinearSolverOptions options = tight();
  options.device = "cpu";
  SolverOnDevice<double> of_cpu(system_.a.view(), options), of_gpu(on_gpu(), on_space, tight());
  std::vector<double> x(system_.b.size());
  EXPECT_THROW((void)of_cpu.solve(Block<const double>(b_.span()), Block<double>(std::span(x))), ArgumentError);
  EXPECT_THROW(of_cpu.update_values(on_gpu(), on_space), ArgumentError);
  EXPECT_THROW(SolverOnDevice<double>(on_gpu(), on_space, options), ArgumentError);
  EXPECT_THROW(SolverOnDevice<double>(system_.a.view(), on_space, tight()), DeviceError);
  EXPECT_THROW(of_gpu.update_values(system_.a.view(), on_space), DeviceError);
  EXPECT_TRUE(of_gpu.solve(std::span(system_.b), std::span(x))[0]) << "a refusal leaves it as it was";
  if (Cuda::device_count() < 2) return;
  const Cuda second(1);
  const Vector<Cuda, double> there(second, std::span<const double>(system_.b));
  second.wait();
  EXPECT_THROW((void)of_gpu.solve(Block<const double>(there.span()), Block<double>(std::span(x))), ArgumentError);
}
}  // namespace
}  // namespace ostinato::test
