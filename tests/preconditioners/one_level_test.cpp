// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/solvers/methods/minres.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/preconditioning.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// What holds for all preconditioners of one level: SPAI-0, block-Jacobi, SSOR, Chebyshev, FSAI.

namespace ostinato::test {
namespace {

const std::vector<std::string> every_one_level = {"spai0",
                                                  "block-jacobi",
                                                  "block-jacobi:block=5",
                                                  "ssor",
                                                  "ssor:omega=1.4,order=natural",
                                                  "chebyshev",
                                                  "chebyshev:degree=7,kind=fourth",
                                                  "fsai",
                                                  "fsai:pattern=a2",
                                                  "fsai:pattern=adaptive,entries=6"};

template <class T>
System<T> with_ones(Csr<T> a) {
  std::vector<T> b;
  const std::vector<T> ones(static_cast<std::size_t>(a.cols), T{1});
  for (const ReferenceRow& row : reference_product(a.view(), T{1}, ones, T{0}, {}))
    b.push_back(static_cast<T>(row.value));
  return {std::move(a), std::move(b)};
}

template <class Case>
class OneLevelOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;
  using ByName = AnyPreconditioner<typename Case::Space, Value>;
};

TYPED_TEST_SUITE(OneLevelOn, EverySpace, SpaceNames);

TYPED_TEST(OneLevelOn, GivesOnEverySpaceWhatTheHostGives) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597, 20000}) {
    const auto a = random_definite<T>(n, 6);
    const auto r = random_vector<T>(n, 4);
    const Host host;
    for (const std::string& name : every_one_level) {
      std::vector<T> want(r.size());
      AnyPreconditioner<Host, T>(host, a, name).apply(r, want);

      const auto z = this->apply(typename TestFixture::ByName(this->space(), a, name), r);

      for (std::size_t i = 0; i < r.size(); ++i)
        ASSERT_NEAR(z[i], want[i], 2000 * this->epsilon * (std::abs(want[i]) + 1)) << name << " " << n << " " << i;
    }
  }
}

TYPED_TEST(OneLevelOn, GivesTheSameBitsOnEveryRun) {
  using T = typename TypeParam::T;
  const auto a = random_definite<T>(3000, 6);
  const auto r = random_vector<T>(a.rows, 4);
  for (const std::string& name : every_one_level) {
    const typename TestFixture::ByName m(this->space(), a, name), again(this->space(), a, name);
    const auto z = this->apply(m, r);
    EXPECT_TRUE(same_bits(this->apply(again, r), z)) << name;
    for (int run = 0; run < 5; ++run) EXPECT_TRUE(same_bits(this->apply(m, r), z)) << name;
  }
}

TYPED_TEST(OneLevelOn, CanBeCaptured) {
  using T = typename TypeParam::T;
  const auto a = random_definite<T>(3000, 6);
  for (const std::string& name : every_one_level) {
    const typename TestFixture::ByName m(this->space(), a, name);
    EXPECT_TRUE(m.capturable()) << name;
    EXPECT_GT(m.bytes(), 0u) << name;
    if constexpr (TypeParam::Space::has_streams) {
      const auto r = random_vector<T>(a.rows, 4);
      const auto want = this->apply(m, r);
      const auto dr = this->put(r);
      auto z = this->put(std::vector<T>(r.size()));
      CudaGraph graph(this->space());
      graph.begin();
      m.apply(dr, z);
      graph.end();
      graph.launch();
      EXPECT_TRUE(same_bits(z.download(), want)) << name;
    }
  }
}

TYPED_TEST(OneLevelOn, TakesNewValues) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const auto a = random_definite<T>(500, 6);
  auto changed = a;
  for (T& v : changed.val) v *= 4;
  const Analysis before(this->space(), a), after(this->space(), changed),
      other(this->space(), random_definite<T>(9, 6));
  const auto r = random_vector<T>(a.rows, 4);
  for (const std::string& name : every_one_level) {
    Any m(before, name);
    const auto old = this->apply(m, r);

    m.update_values(after);

    const auto z = this->apply(m, r);
    EXPECT_TRUE(same_bits(z, this->apply(Any(after, name), r))) << name;
    for (std::size_t i = 0; i < r.size(); ++i)
      ASSERT_NEAR(z[i], old[i] / 4, 100 * this->epsilon * std::abs(old[i]) + this->epsilon) << name;
    EXPECT_THROW(m.update_values(other), DimensionError) << name;
    EXPECT_TRUE(same_bits(this->apply(m, r), z)) << name;
  }
}

TYPED_TEST(OneLevelOn, PassesNanAndInfinityOn) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 12});
  for (const std::string& name : every_one_level) {
    const typename TestFixture::ByName m(this->space(), a, name);
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      auto r = random_vector<T>(a.rows, 3);
      r[70] = bad;
      EXPECT_FALSE(all_finite(this->apply(m, r))) << name;
    }
    EXPECT_TRUE(all_finite(this->apply(m, random_vector<T>(a.rows, 4)))) << name;
  }
}

TYPED_TEST(OneLevelOn, RefusesWhatIsNotSquareAndUnknownOptions) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Csr<T> wide{1, 2, {0, 1}, {0}, {1}}, one = dense<T>({{1}});
  for (const std::string& name : every_one_level) EXPECT_THROW(Any(this->space(), wide, name), ArgumentError) << name;
  for (const char* name : {"spai0:a=1", "block-jacobi:block=33", "block-jacobi:blocks=2", "ssor:omega=2",
                           "ssor:order=rcm", "ssor:sweep=back", "chebyshev:degree=0", "chebyshev:kind=second",
                           "chebyshev:ratio=1", "fsai:pattern=a3", "fsai:entries=256"})
    EXPECT_THROW(Any(this->space(), one, name), ArgumentError) << name;
}

TYPED_TEST(OneLevelOn, MakesCgTakeFewerIterations) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 60}));
  const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-9};
  const Jacobi jacobi(this->space(), system.a);
  const int plain = solve_honestly<Cg>(this->space(), system, options, jacobi).result.iterations;
  for (const std::string& name : every_one_level) {
    const typename TestFixture::ByName m(this->space(), system.a, name);
    const auto solved = solve_honestly<Cg>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged) << name;
    if (name != "spai0") {
      EXPECT_LT(solved.result.iterations, plain) << name;
    }
    EXPECT_TRUE(m.symmetric());
  }
}

TYPED_TEST(OneLevelOn, ServesANegativeDefiniteMatrix) {
  using T = typename TypeParam::T;
  auto a = generate<T>("variable2d", {.n = 30});
  const auto r = random_vector<T>(a.rows, 4);
  std::vector<std::vector<T>> positive;
  for (const std::string& name : every_one_level)
    positive.push_back(this->apply(typename TestFixture::ByName(this->space(), a, name), r));
  for (T& v : a.val) v = -v;
  const auto system = with_known_solution(a);
  for (std::size_t k = 0; k < every_one_level.size(); ++k) {
    const typename TestFixture::ByName m(this->space(), a, every_one_level[k]);
    EXPECT_TRUE(same_bits(this->apply(m, r), positive[k])) << every_one_level[k];
    const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-9};
    const auto solved = solve_honestly<Cg>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged) << every_one_level[k];
  }
}

TYPED_TEST(OneLevelOn, ServesMinresAndGmres) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-8};
  const auto shifted = with_known_solution(shifted_laplacian<T>(20, 0.3));
  for (const char* name : {"spai0", "ssor", "chebyshev:degree=2", "fsai"}) {
    const Any m(this->space(), shifted.a, name);
    EXPECT_EQ(solve_honestly<Minres>(this->space(), shifted, options, m).result.status, Status::converged) << name;
  }
  const auto convection = with_known_solution(generate<T>("convection-diffusion2d", {.n = 30}));
  for (const char* name : {"spai0", "block-jacobi", "ssor", "ssor:sweep=forward", "chebyshev:degree=2"}) {
    const Any m(this->space(), convection.a, name);
    EXPECT_EQ(solve_honestly<Gmres>(this->space(), convection, options, m).result.status, Status::converged) << name;
    EXPECT_EQ(m.symmetric(), std::string(name) != "ssor:sweep=forward");
  }
}

/// Iterations of CG to 1e-8 with b = A * ones. The numbers of others are from scipy, with the same polynomial (largest
/// / 30 .. 1.05 largest) and the same patterns.
struct Known {
  const char* matrix;
  int jacobi, chebyshev4, chebyshev8, fsai, fsai2;
};

void expect_known(const Known& known, const Csr<double>& a) {
  const auto system = with_ones(a);
  const std::pair<const char*, int> want[] = {{"jacobi", known.jacobi},
                                              {"chebyshev:degree=4", known.chebyshev4},
                                              {"chebyshev:degree=8", known.chebyshev8},
                                              {"fsai", known.fsai},
                                              {"fsai:pattern=a2", known.fsai2}};
  for (const auto& [name, iterations] : want) {
    if (iterations == 0) continue;
    const AnyPreconditioner<Host, double> m(Host(), system.a, name);
    const auto solved = solve_honestly<Cg>(Host(), system, {.rtol = 1e-8}, m);
    EXPECT_EQ(solved.result.status, Status::converged) << known.matrix << " " << name;
    EXPECT_NEAR(solved.result.iterations, iterations, 0.05 * iterations + 1) << known.matrix << " " << name;
  }
}

TEST(OneLevel, TakesTheIterationsThatOthersTake) {
  expect_known({"poisson3d:32", 81, 23, 13, 56, 0}, generate<double>("poisson3d", {.n = 32}));
  expect_known({"nos3", 220, 61, 36, 109, 71}, read<double>(example_matrices()[1]));
}

TEST(OneLevelSharedMatrices, TakeTheIterationsThatOthersTake) {
  const Known all[] = {{"bcsstk16", 197, 59, 34, 82, 0},     {"Dubcova1", 97, 27, 15, 63, 0},
                       {"A_multigrid", 165, 48, 28, 82, 54}, {"1138_bus", 936, 269, 156, 178, 91},
                       {"bcsstk14", 297, 90, 53, 83, 48},    {"nasa4704", 0, 1458, 860, 1259, 616}};
  if (const std::string why = why_no_shared_matrices(); !why.empty()) GTEST_SKIP() << why;
  for (const Known& known : all) {
    const auto found = shared_matrices([&](const auto& e) { return e.name == known.matrix; });
    ASSERT_EQ(found.size(), 1u) << known.matrix;
    expect_known(known, read<double>(found[0]));
  }
}

}  // namespace
}  // namespace ostinato::test
