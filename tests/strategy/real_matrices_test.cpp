// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// Real matrices: those of the repository, and the shared matrices outside the repository where they are present.
// Products must be within the bound. Solvers may fail but must report the failure. The tables of failures hold
// for the host only: a GPU adds in another order, so a solve near the iteration limit may converge or not.
// A GPU has twice the iterations: with them `auto` and CG with Jacobi converge on each definite matrix on which `auto`
// converges on the host.

namespace ostinato::test {
namespace {

/// Matrices whose solves take more than about a second.
bool is_large(const SharedMatrixEntry& e) { return e.entries > 300000 || e.rows > 50000; }

// Most of the matrices that don't converge in this many iterations don't in ten times as many.
template <class Space>
int max_iterations(const SharedMatrixEntry& e) {
  return Space::has_streams ? 4000 : e.rows > 100000 ? 100 : is_large(e) ? 500 : 2000;
}

/// Matrices of 4000 rows and more, not definite, on which a method converges in 500 to 2000 iterations.
const std::set<std::string> converge_late = {"BentPipe2D100", "memplus", "sherman3"};

/// The same for a method alone, which no other method follows. On large matrices that aren't definite it mostly fails.
template <class Space>
int max_iterations_alone(const SharedMatrixEntry& e) {
  const int most = max_iterations<Space>(e);
  const bool to_the_end = Space::has_streams || e.definite() || e.rows < 4000 || converge_late.count(e.name) > 0;
  return to_the_end ? most : std::min(most, 500);
}

SolveOptions options(int max_iterations) { return {.rtol = 1e-8, .max_iterations = max_iterations}; }

/// The methods that don't converge on the host; "+jacobi" means with this preconditioner. All others converge. A line
/// changes only when the library changes: the bits of a solve don't depend on the machine, and tests/CMakeLists.txt
/// sets the number of threads, on which the choice of a format depends. OSTINATO_PRINT_TABLE=1 prints the new lines.
const std::map<std::string, std::string> methods_that_fail = {
    {"1138_bus", "cg"},
    {"3elt", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"ACTIVSg200_AC_01", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"NotreDame_www", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"bcspwr10",
     "bicgstab bicgstab+jacobi gmres gmres+jacobi minres minres+jacobi bicgstab2 bicgstab2+jacobi idr idr+jacobi "
     "gcrodr gcrodr+jacobi"},
    {"bcsstk06", "cg minres"},
    {"bcsstk07", "cg minres"},
    {"bcsstk08", "cg minres"},
    {"bcsstk10", "cg minres"},
    {"bcsstk14", "cg minres"},
    {"bcsstk18", "cg minres"},
    {"bcsstk19", "cg minres"},
    {"bcsstk21", "cg minres"},
    {"bcsstk33",
     "bicgstab bicgstab+jacobi gmres gmres+jacobi minres minres+jacobi bicgstab2 bicgstab2+jacobi idr idr+jacobi "
     "gcrodr gcrodr+jacobi"},
    {"bcsstm10",
     "bicgstab bicgstab+jacobi gmres gmres+jacobi minres minres+jacobi bicgstab2 bicgstab2+jacobi idr idr+jacobi "
     "gcrodr gcrodr+jacobi"},
    {"bcsstm25", "cg minres"},
    {"bp_1200", "bicgstab bicgstab2 idr gcrodr"},
    {"c-62",
     "bicgstab bicgstab+jacobi gmres gmres+jacobi minres minres+jacobi bicgstab2 bicgstab2+jacobi idr idr+jacobi "
     "gcrodr gcrodr+jacobi"},
    {"crack", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"cryg2500", "bicgstab bicgstab+jacobi gmres bicgstab2 bicgstab2+jacobi idr idr+jacobi gcrodr gcrodr+jacobi"},
    {"e05r0500", "bicgstab bicgstab2 idr gcrodr"},
    {"fe_4elt2", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"fidapex6", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"fs_760_3", "bicgstab bicgstab2 idr idr+jacobi gcrodr gcrodr+jacobi"},
    {"gemat11", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"gemat12", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"goodwin", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"hor_131", "bicgstab bicgstab2 idr gcrodr"},
    {"impcol_a", "bicgstab bicgstab2 idr gcrodr"},
    {"jagmesh7",
     "bicgstab bicgstab+jacobi gmres gmres+jacobi minres minres+jacobi idr idr+jacobi gcrodr gcrodr+jacobi"},
    {"lns_131", "bicgstab"},
    {"lnsp3937", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"luxembourg", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"mahindas", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"mbeacxc", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"mhd3200b", "cg minres"},
    {"nasa4704", "cg cg+jacobi minres minres+jacobi"},
    {"nnc1374", "bicgstab bicgstab2 idr gcrodr"},
    {"nos1", "cg"},
    {"olm1000", "bicgstab bicgstab+jacobi bicgstab2 idr idr+jacobi gcrodr gcrodr+jacobi"},
    {"olm500", "bicgstab bicgstab+jacobi bicgstab2 idr+jacobi gcrodr"},
    {"plat362", "cg+jacobi"},
    {"qh1484", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"qh882", "bicgstab bicgstab2 idr gcrodr"},
    {"rajat01", "bicgstab gmres bicgstab2 idr gcrodr"},
    {"rajat19", "bicgstab bicgstab2 idr gcrodr"},
    {"reorientation_1", "bicgstab minres bicgstab2 idr gcrodr"},
    {"sherman3", "bicgstab idr gcrodr"},
    {"sherman5", "gmres gcrodr"},
    {"tumorAntiAngiogenesis_2", "bicgstab minres bicgstab2 idr gcrodr"},
    {"watt_1", "bicgstab2"},
    {"west0067", "bicgstab gcrodr"},
    {"west0479", "bicgstab bicgstab2 idr gcrodr"},
    {"west0497", "bicgstab bicgstab2 idr gcrodr"},
    {"whitaker3", "bicgstab gmres minres bicgstab2 idr gcrodr"},
    {"xenon1", "bicgstab gmres gmres+jacobi idr idr+jacobi gcrodr gcrodr+jacobi"},
    {"zenios", "bicgstab minres bicgstab2 idr gcrodr"},
};

/// Matrices on which `auto` may fail on the host. `auto` converges on all others.
const std::set<std::string> auto_may_fail = {"NotreDame_www", "bcsstk33", "luxembourg"};

/// Tests of one matrix on one space: products in every format, solves by every method, and the solve of
/// `ostinato solve`.
template <class Space>
class RealMatrix : public testing::Test {
 public:
  using Body = void (RealMatrix::*)();
  RealMatrix(SharedMatrixEntry entry, Body body) : entry_(std::move(entry)), body_(body) {}

  void SetUp() override {
    if (const std::string reason = why_absent<Space>(); !reason.empty()) GTEST_SKIP() << reason;
  }

  void TestBody() override { (this->*body_)(); }

  void multiply_in_every_format() {
    const Space space;
    const Csr<double> a = read<double>(entry_);
    EXPECT_EQ(a.rows, entry_.rows);
    EXPECT_EQ(a.cols, entry_.cols);
    EXPECT_EQ(a.nonzeros(), entry_.entries);
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

  /// CG is tested on definite matrices, MINRES on symmetric matrices, the other methods on not definite matrices.
  bool is_for(const NamedMethod<Space, double>& method, const Structure& s) const {
    if (method.name == "cg") return entry_.definite();
    if (method.name == "minres") return s.symmetric;
    return !entry_.definite();
  }

  /// Whether CG with Jacobi converges on the host. On a GPU, which sums in another order, it must converge there, too.
  bool converges_with_jacobi() const {
    const auto line = methods_that_fail.find(entry_.name);
    return line == methods_that_fail.end() || line->second.find("cg+jacobi") == std::string::npos;
  }

  /// Whether `auto` must converge on a GPU.
  bool converges() const { return entry_.definite() && auto_may_fail.count(entry_.name) == 0; }

  void solve_with_every_method() {
    const Space space;
    const SolveOptions limited = options(max_iterations_alone<Space>(entry_));
    const auto system = with_known_solution(read<double>(entry_));
    const Analysis analysis(space, system.a);
    // On the host no sum may depend on the format that a build is predicted to be fastest with.
    const Operator op(analysis, {.format = Space::has_streams ? "auto" : "csr"});
    const Vector<Space, double> b(space, std::span<const double>(system.b));
    std::string failed;
    const auto try_with = [&](const auto& method, const char* way, const PreconditionerRef<Space, double>& m) {
      const std::string name = std::string(method.name) + way;
      SCOPED_TRACE(name);
      Vector<Space, double> x(space, std::span<const double>(system.x0));
      SolveResult result = method.run(space, op, b, x, m, limited);
      const Solved<double> solved{std::move(result), x.download()};
      expect_honest(solved, system, limited);
      EXPECT_TRUE(all_finite(solved.x));
      if (Space::has_streams && converges() && converges_with_jacobi() && name == "cg+jacobi") {
        EXPECT_TRUE(solved.result) << solved.result.message();
      }
      if (!solved.result) failed += (failed.empty() ? "" : " ") + name;
    };
    for (const auto& method : every_method<Space, double>(Solvers{})) {
      if (!is_for(method, analysis.structure())) continue;
      try_with(method, "", {});
      if (analysis.structure().missing_diagonal == 0) {
        const Jacobi<Space, double> jacobi(analysis);
        try_with(method, "+jacobi", detail::as_preconditioner<Space, double>(space, jacobi));
      }
    }
    if (const auto line = methods_that_fail.find(entry_.name); !Space::has_streams) {
      EXPECT_EQ(failed, line == methods_that_fail.end() ? "" : line->second) << entry_.name;
    }
    print("    {\"" + entry_.name + "\", \"" + failed + "\"},", !failed.empty());
  }

  /// Solves as `ostinato solve` does by default.
  void solve_automatically() {
    const Space space;
    const SolveOptions limited = options(max_iterations<Space>(entry_));
    const auto system = with_known_solution(read<double>(entry_));
    const Analysis analysis(space, system.a);
    const Operator op(analysis);
    const AnyPreconditioner m(analysis);
    const Vector<Space, double> b(space, std::span<const double>(system.b));
    Vector<Space, double> x(space, std::span<const double>(system.x0));
    SolveResult result = solve(space, op, b, x, m, "auto", limited);
    const Solved<double> solved{std::move(result), x.download()};

    expect_honest(solved, system, limited);
    EXPECT_TRUE(all_finite(solved.x));
    if (Space::has_streams ? converges() : auto_may_fail.count(entry_.name) == 0) {
      EXPECT_TRUE(solved.result) << entry_.name << ": " << solved.result.message();
    }
    print("    \"" + entry_.name + "\",", !solved.result);
  }

 private:
  static void print(const std::string& line, bool failed) {
    if (!Space::has_streams && failed && std::getenv("OSTINATO_PRINT_TABLE") != nullptr)
      std::printf("%s\n", line.c_str());
  }

  SharedMatrixEntry entry_;
  Body body_;
};

template <class Space>
void register_cases(const std::string& suite, const SharedMatrixEntry& entry) {
  using Real = RealMatrix<Space>;
  const auto add = [&](const char* what, typename Real::Body body, bool slow) {
    const std::string full = suite + what + (slow ? "Slow/" : "/") + space_name<Space>();
    testing::RegisterTest(full.c_str(), test_name(entry).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [entry, body]() -> testing::Test* { return new Real(entry, body); });
  };
  add("Products", &Real::multiply_in_every_format, false);
  if (!entry.square()) return;
  add("Methods", &Real::solve_with_every_method, is_large(entry));
  add("Auto", &Real::solve_automatically, is_large(entry));
}

template <class Case>
void register_all_of() {
  if constexpr (!is_single<typename Case::T>) {
    for (const auto& entry : example_matrices()) register_cases<typename Case::Space>("RealMatrices", entry);
    for (const auto& entry : shared_matrices()) register_cases<typename Case::Space>("SharedMatrices", entry);
  }
}

template <class... Case>
bool register_all(testing::Types<Case...>) {
  (register_all_of<Case>(), ...);
  return true;
}

[[maybe_unused]] const bool registered = register_all(EverySpace{});

TEST(SharedMatrices, AreHere) {
  if (const std::string reason = why_no_shared_matrices(); !reason.empty()) GTEST_SKIP() << reason;
}

}  // namespace
}  // namespace ostinato::test
