// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// Every real matrix beside the repository: products within the bound, and solvers that may fail but must say so.

namespace ostinato::test {
namespace {

// Most of the matrices that don't converge in this many iterations don't in ten times as many.
const SolveOptions options{.rtol = 1e-8, .max_iterations = 2000};

bool is_large(const SharedMatrixEntry& e) { return e.entries > 100000; }

template <class Space>
class Shared : public testing::TestWithParam<SharedMatrixEntry> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_absent<Space>(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static void multiply_in_every_format() {
    const Space space;
    const Csr<double> a = read<double>(GetParam());
    const auto x = random_vector<double>(a.cols, 1);
    const auto want = reference_product(a.view(), 1.0, x, 0.0, {});
    const Operator chosen(space, a);
    for (const Candidate& candidate : chosen.choice().candidates) {
      if (!candidate.cost.applies()) continue;
      SCOPED_TRACE(candidate.name);
      const Operator op(space, a, {.format = candidate.name});
      Vector<Space, double> y(space, want.size());
      op.apply(1, Vector<Space, double>(space, std::span<const double>(x)), 0, y);
      EXPECT_EQ(difference(y.download(), want), "");
    }
  }

  template <class Method>
  static void solve_with_and_without_jacobi(const Space& space, const System<double>& system) {
    SCOPED_TRACE(Method::name);
    const Structure s = analyse(Host(), system.a.view());
    const auto plain = solve_honestly<Method>(space, system, options);
    EXPECT_TRUE(all_finite(plain.x));
    if (s.missing_diagonal > 0) return;
    const Jacobi m(space, system.a);
    const auto with = solve_honestly<Method>(space, system, options, m);
    EXPECT_TRUE(all_finite(with.x));
  }

  static void solve_with_every_method() {
    const Space space;
    const auto system = with_known_solution(read<double>(GetParam()));
    if (GetParam().definite()) {
      solve_with_and_without_jacobi<Cg>(space, system);
    } else {
      solve_with_and_without_jacobi<Bicgstab>(space, system);
      solve_with_and_without_jacobi<Gmres>(space, system);
    }
  }
};

class SharedProduct : public Shared<Host> {};
class SharedSolve : public Shared<Host> {};
class SharedProductCuda : public Shared<Cuda> {};
class SharedSolveCuda : public Shared<Cuda> {};

TEST_P(SharedProduct, OfEveryFormatIsWithinTheBound) { multiply_in_every_format(); }
TEST_P(SharedProductCuda, OfEveryFormatIsWithinTheBound) { multiply_in_every_format(); }
TEST_P(SharedSolve, TellsTheTruth) { solve_with_every_method(); }
TEST_P(SharedSolveCuda, TellsTheTruth) { solve_with_every_method(); }

const auto name_of = [](const auto& info) { return test_name(info.param); };
const auto any = testing::ValuesIn(shared_matrices());
const auto small = testing::ValuesIn(shared_matrices([](const auto& e) { return e.square() && !is_large(e); }));
const auto large = testing::ValuesIn(shared_matrices([](const auto& e) { return e.square() && is_large(e); }));

INSTANTIATE_TEST_SUITE_P(Any, SharedProduct, any, name_of);
INSTANTIATE_TEST_SUITE_P(Any, SharedProductCuda, any, name_of);
INSTANTIATE_TEST_SUITE_P(Small, SharedSolve, small, name_of);
INSTANTIATE_TEST_SUITE_P(Small, SharedSolveCuda, small, name_of);
INSTANTIATE_TEST_SUITE_P(Slow, SharedSolve, large, name_of);
INSTANTIATE_TEST_SUITE_P(Slow, SharedSolveCuda, large, name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedProduct);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedProductCuda);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedSolve);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedSolveCuda);

/// What `ostinato solve` would do, as one line of a table.
template <class Space>
bool solve_and_print(const Space& space, const SharedMatrixEntry& entry) {
  const auto system = with_known_solution(read<double>(entry));
  const Operator op(space, system.a);
  const AnyPreconditioner<Space, double> m(space, system.a.view(), op.structure());
  const Vector<Space, double> b(space, std::span<const double>(system.b));
  Vector<Space, double> x(space, std::span<const double>(system.x0));
  SolveResult result = solve(space, op, In<double>(b), Out<double>(x), m, "auto", options);
  const Solved<double> solved{std::move(result), x.download()};

  expect_honest(solved, system, options);
  EXPECT_TRUE(all_finite(solved.x));
  const SolveResult& r = solved.result;
  const ReferenceResidual truth = reference_residual(system.a.view(), solved.x, system.b);
  std::printf("%-34s %-14s %7d %9lld  %-8s %-6s %-5s %-15s %6d %10.2e %8.2f s\n", entry.name.c_str(),
              entry.numeric_class.substr(0, 14).c_str(), entry.rows, static_cast<long long>(entry.entries),
              r.solver.c_str(), m.name().c_str(), op.format().c_str(), std::string(to_string(r.status)).c_str(),
              r.iterations, truth.norm / truth.b_norm, r.seconds);
  return r.status == Status::converged;
}

template <class Space>
void print_the_table() {
  const Space space;
  int total = 0, converged = 0, definite = 0, definite_converged = 0;
  for (const SharedMatrixEntry& entry : shared_matrices([](const auto& e) { return e.square(); })) {
    SCOPED_TRACE(entry.name);
    const bool done = solve_and_print(space, entry);
    ++total;
    converged += done;
    definite += entry.definite();
    definite_converged += entry.definite() && done;
  }
  std::printf("auto: %d of %d converged, %d of %d positive definite ones\n", converged, total, definite_converged,
              definite);
  if (total == 0) GTEST_SKIP() << "no matrices in " << shared_matrices_dir();
  EXPECT_GE(10 * definite_converged, 8 * definite);
}

TEST(SharedTableSlow, AutoTellsTheTruthOnEveryMatrix) { print_the_table<Host>(); }

TEST(SharedTableSlowCuda, AutoTellsTheTruthOnEveryMatrix) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  print_the_table<Cuda>();
}

}  // namespace
}  // namespace ostinato::test
