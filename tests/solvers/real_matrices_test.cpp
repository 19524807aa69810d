// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/any_preconditioner.hpp>

#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// Real matrices, those of the repository always and those beside it where they are: products within the bound, and
// solvers that may fail but must say so.

namespace ostinato::test {
namespace {

// Most of the matrices that don't converge in this many iterations don't in ten times as many.
const SolveOptions options{.rtol = 1e-8, .max_iterations = 2000};

struct NotConverged {
  const char* matrix;
  const char* ways;  ///< in the order in which they are tried
};

/// What doesn't converge on the host: method, "+jacobi" with that preconditioner, "auto". All else does. The bits of a
/// solve don't depend on the machine, so that a line changes only when the library does: for better, or for worse.
/// OSTINATO_PRINT_TABLE=1 prints the lines as they are now.
constexpr NotConverged not_converged[] = {
#include "real_matrices_table.inc"
};

std::string expected_of(const std::string& matrix) {
  for (const NotConverged& line : not_converged) {
    if (matrix == line.matrix) return line.ways;
  }
  return "";
}

/// One thread: the choice of the format depends on how many there are.
template <class Space>
Space space_for_real_matrices() {
  if constexpr (Space::on_device) {
    return Space();
  } else {
    return Space(1);
  }
}

template <class Space>
class RealMatrix : public testing::TestWithParam<SharedMatrixEntry> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_absent<Space>(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static void multiply_in_every_format() {
    const Space space;
    const Csr<double> a = read<double>(GetParam());
    EXPECT_EQ(a.rows, GetParam().rows);
    EXPECT_EQ(a.cols, GetParam().cols);
    EXPECT_EQ(a.nonzeros(), GetParam().entries);
    const auto x = random_vector<double>(a.cols, 1);
    const auto want = reference_product(a.view(), 1.0, x, 0.0, {});
    const Analysis analysis(space, a);
    const Operator chosen(analysis);
    for (const Candidate& candidate : chosen.choice().candidates) {
      if (!candidate.cost.applies()) continue;
      SCOPED_TRACE(candidate.name);
      const Operator op(analysis, {.format = candidate.name});
      Vector<Space, double> y(space, want.size());
      op.apply(1, Vector<Space, double>(space, std::span<const double>(x)), 0, y);
      EXPECT_EQ(difference(y.download(), want), "");
    }
  }

  /// CG for definite matrices, MINRES for symmetric ones, the others for the rest.
  static bool is_for(const NamedMethod<Space, double>& method, const Structure& s) {
    if (method.name == "cg") return GetParam().definite();
    if (method.name == "minres") return s.symmetric;
    return !GetParam().definite();
  }

  static void solve_with_every_method() {
    const Space space = space_for_real_matrices<Space>();
    const auto system = with_known_solution(read<double>(GetParam()));
    const Analysis analysis(space, system.a);
    const Operator op(analysis);
    const Vector<Space, double> b(space, std::span<const double>(system.b));
    std::string failed;
    const auto try_with = [&](const auto& method, const char* way, const PreconditionerRef<Space, double>& m) {
      const std::string name = std::string(method.name) + way;
      SCOPED_TRACE(name);
      Vector<Space, double> x(space, std::span<const double>(system.x0));
      SolveResult result = method.run(space, op, b, x, m, options);
      const Solved<double> solved{std::move(result), x.download()};
      expect_honest(solved, system, options);
      EXPECT_TRUE(all_finite(solved.x));
      if (!solved.result) failed += (failed.empty() ? "" : " ") + name;
    };
    for (const auto& method : every_method<Space, double>(Solvers{})) {
      if (!is_for(method, analysis.structure())) continue;
      try_with(method, "", {});
      if (analysis.structure().missing_diagonal == 0) try_with(method, "+jacobi", Jacobi<Space, double>(analysis));
    }
    expect_as_in_the_table(failed);
  }

  /// What `ostinato solve` does.
  static void solve_automatically() {
    const Space space = space_for_real_matrices<Space>();
    const auto system = with_known_solution(read<double>(GetParam()));
    const Analysis analysis(space, system.a);
    const Operator op(analysis);
    const AnyPreconditioner m(analysis);
    const Vector<Space, double> b(space, std::span<const double>(system.b));
    Vector<Space, double> x(space, std::span<const double>(system.x0));
    SolveResult result = solve(space, op, b, x, m, "auto", options);
    const Solved<double> solved{std::move(result), x.download()};

    expect_honest(solved, system, options);
    EXPECT_TRUE(all_finite(solved.x));
    expect_as_in_the_table(solved.result ? "" : "auto");
  }

 private:
  /// On a GPU sums are added up in another order, and what is near the limit may fall to the other side.
  static void expect_as_in_the_table(const std::string& failed) {
    if (Space::on_device) return;
    if (std::getenv("OSTINATO_PRINT_TABLE") != nullptr && !failed.empty())
      std::printf("    {\"%s\", \"%s\"},\n", GetParam().name.c_str(), failed.c_str());
    std::string expected = expected_of(GetParam().name);
    EXPECT_EQ(failed, expected);
  }
};

}  // namespace
}  // namespace ostinato::test
