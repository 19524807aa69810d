// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/minimum_degree.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/matrices.hpp"
#include "support/preconditioning.hpp"
#include "support/reference.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class IncompleteLuOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;

  static Csr<Value> random_matrix(Index n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Triplet<Value>> t;
    for (Index i = 0; i < n; ++i) {
      t.push_back({i, (i + 1) % n, 4});  // large, off the diagonal
      for (int k = 0; k < 3; ++k) t.push_back({i, below(random, n), static_cast<Value>(signed_unit(random))});
    }
    return from_triplets<Value>(n, n, t);
  }
};

TYPED_TEST_SUITE(IncompleteLuOn, EverySpace, SpaceNames);

TYPED_TEST(IncompleteLuOn, CompleteFactorsSolve) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 31, 33, 597}) {
    for (const char* options : {"", "match=no,pivot=1", "order=natural", "order=rcm"}) {
      const auto system = with_known_solution(this->random_matrix(n, 3), 4);
      using M = Lu<typename TypeParam::Space, T>;
      const M m(this->space(), system.a, M::parse_options(options));

      const auto z = this->apply(m, system.b);

      const auto residual = reference_residual(system.a.view(), z, system.b);
      EXPECT_LE(residual.norm, 2e4 * std::numeric_limits<T>::epsilon() * residual.b_norm) << n << " " << options;
    }
  }
}

/// The levels of a grid are long; those of a tridiagonal matrix have a row each.
TYPED_TEST(IncompleteLuOn, SweepsOverLongAndShortLevels) {
  using T = typename TypeParam::T;
  for (const char* family : {"poisson2d", "poisson3d", "tridiagonal"}) {
    Csr<T> a =
        std::string(family) == "tridiagonal" ? generate<T>("poisson2d", {.n = 1}) : generate<T>(family, {.n = 20});
    if (std::string(family) == "tridiagonal") {
      std::vector<Triplet<T>> t;
      for (Index i = 0; i < 3000; ++i) {
        t.push_back({i, i, 4});
        if (i > 0) t.push_back({i, i - 1, 1});
        if (i < 2999) t.push_back({i, i + 1, 2});
      }
      a = from_triplets<T>(3000, 3000, t);
    }
    using M = Ilu0<typename TypeParam::Space, T>;
    const M m(this->space(), a, M::parse_options("order=natural"));
    const auto r = random_vector<T>(a.rows, 2);

    const auto z = this->apply(m, r);

    // L U z = r, with the factors made once more.
    Csr<double> whole{a.rows, a.cols, a.row_ptr, a.col, {}};
    whole.val.assign(a.val.begin(), a.val.end());
    const Factors f = factor_iluk(whole, {});
    std::vector<long double> y(z.size()), back(z.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = f.pivot[i] * static_cast<long double>(z[i]);
      for (Offset k = f.upper.row_ptr[i]; k < f.upper.row_ptr[i + 1]; ++k)
        y[i] += f.upper.val[static_cast<std::size_t>(k)] *
                static_cast<long double>(z[static_cast<std::size_t>(f.upper.col[static_cast<std::size_t>(k)])]);
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      back[i] = y[i];
      for (Offset k = f.lower.row_ptr[i]; k < f.lower.row_ptr[i + 1]; ++k)
        back[i] += f.lower.val[static_cast<std::size_t>(k)] *
                   y[static_cast<std::size_t>(f.lower.col[static_cast<std::size_t>(k)])];
      EXPECT_NEAR(static_cast<double>(back[i]), r[i], 200 * std::numeric_limits<T>::epsilon()) << family << " " << i;
    }
  }
}

TEST(IncompleteLu, KeepsNoMoreMemoryOnTheHostThanItSays) {
  std::vector<Triplet<double>> chain;  // whose rows are a level each
  for (Index i = 0; i < 50000; ++i) {
    chain.push_back({i, i, 4});
    if (i > 0) chain.push_back({i, i - 1, 1});
  }
  const Host space;
  const Analysis<Host, double> analysis(space, from_triplets<double>(50000, 50000, chain));
  const auto in_use = [] {
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
  };
  for (const char* name : {"ilu0", "iluk", "ssor:order=natural"}) {
    const std::size_t before = in_use();
    const AnyPreconditioner<Host, double> m(analysis, name);
    EXPECT_LE(in_use(), before + m.bytes() + m.bytes() / 20) << name;
  }
}

TEST(IncompleteLu, EntriesThatAreDroppedNeedNoRoom) {
  constexpr Index n = 200;
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, 4});
    for (Index k = 1; k <= 10; ++k) {
      t.push_back({i, (i + k) % n, 1e-6});
      t.push_back({(i + k) % n, i, 1e-6});
    }
  }
  const Analysis<Host, double> analysis(Host(), canonical(from_triplets<double>(n, n, t).view()));
  for (const std::string name : {"ilut:drop=0.01", "ict:drop=0.01"}) {
    const std::size_t bytes = AnyPreconditioner<Host, double>(analysis, name).bytes();

    EXPECT_EQ((AnyPreconditioner<Host, double>(analysis, name, {}, bytes + 100).bytes()), bytes) << name;
    EXPECT_THROW((AnyPreconditioner<Host, double>(analysis, name, {}, bytes / 2)), MemoryLimitError) << name;
  }
}

TYPED_TEST(IncompleteLuOn, GivesTheSameBitsOnEveryRun) {
  using T = typename TypeParam::T;
  const auto a = this->random_matrix(2000, 6);
  const Ilut<typename TypeParam::Space, T> m(this->space(), a);
  const auto r = random_vector<T>(a.rows, 3);

  const auto first = this->apply(m, r);
  for (int run = 0; run < 20; ++run) EXPECT_TRUE(same_bits(this->apply(m, r), first));
}

TYPED_TEST(IncompleteLuOn, CholeskyRefusesAnUnsymmetricMatrixByName) {
  using T = typename TypeParam::T;
  const auto values = dense<T>({{4, 1}, {2, 4}}), pattern = dense<T>({{4, 1}, {0, 4}});
  for (const auto& a : {values, pattern}) {
    for (const char* name : {"ic0", "ict", "cholesky"}) {
      const std::string text = message_of<ArgumentError>([&] { AnyPreconditioner(this->space(), a, name); });
      EXPECT_EQ(text.rfind(name, 0), 0u) << text;
      EXPECT_NE(text.find("isn't symmetric"), std::string::npos) << text;
      EXPECT_NE(text.find("ilu0 or ilut"), std::string::npos) << text;
    }
    EXPECT_THROW((Ic0<typename TypeParam::Space, T>(this->space(), a)), ArgumentError);
  }
  auto rounded = dense<T>({{4, 1}, {1, 4}});
  rounded.val[1] = std::nextafter(rounded.val[1], T{2});
  EXPECT_NO_THROW((Ic0<typename TypeParam::Space, T>(this->space(), rounded)));
}

TYPED_TEST(IncompleteLuOn, CholeskyNamesARowOfTheMatrixInWhateverOrderItFactors) {
  using T = typename TypeParam::T;
  // The path 0 - 2 - 4 - 1 - 3: from either end, row 4 is the third.
  const auto path = dense<T>({{4, 0, 1, 0, 0}, {0, 4, 0, 1, 1}, {1, 0, 4, 0, 1}, {0, 1, 0, 4, 0}, {0, 1, 1, 0, -4}});
  for (const char* name : {"ic0", "ict", "ic0:order=rcm", "ict:order=natural", "cholesky"}) {
    const std::string text = message_of<ArgumentError>([&] { AnyPreconditioner(this->space(), path, name); });
    EXPECT_NE(text.find("row 4 (counted from 0) has no positive diagonal entry"), std::string::npos) << text;
    const std::string kind = std::string(name).substr(0, std::string(name).find(':'));
    EXPECT_EQ(text.rfind(kind + ": ", 0), 0u) << text;
  }
}

TYPED_TEST(IncompleteLuOn, PassesNanAndInfinityOn) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 12});
  const Ilu0<typename TypeParam::Space, T> m(this->space(), a);
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    auto r = random_vector<T>(a.rows, 3);
    r[70] = bad;
    EXPECT_FALSE(all_finite(this->apply(m, r)));
  }
  EXPECT_TRUE(all_finite(this->apply(m, random_vector<T>(a.rows, 4))));
}

TYPED_TEST(IncompleteLuOn, TakesNewValues) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = generate<T>("variable2d", {.n = 20});
  auto doubled = a;
  for (T& v : doubled.val) v *= 2;
  Iluk<Space, T> m(this->space(), a, {.level = 2});
  const auto r = random_vector<T>(a.rows, 3);
  auto half = this->apply(m, r);
  for (T& v : half) v /= 2;

  m.update_values(Analysis<Space, T>(this->space(), doubled));

  EXPECT_TRUE(same_bits(this->apply(m, r), half));
  EXPECT_THROW(m.update_values(Analysis<Space, T>(this->space(), generate<T>("variable2d", {.n = 19}))),
               DimensionError);
}

TYPED_TEST(IncompleteLuOn, RefusesWhatCannotBeFactored) {
  using T = typename TypeParam::T;
  auto a = generate<T>("poisson2d", {.n = 5});
  a.val[7] = std::numeric_limits<T>::quiet_NaN();
  const auto refused = [&](const Csr<T>& bad) {
    return message_of<ArgumentError>([&] { Ilut<typename TypeParam::Space, T>(this->space(), bad); });
  };
  EXPECT_NE(refused(a).find("NaN"), std::string::npos);
  EXPECT_NE(refused(Csr<T>{1, 2, {0, 1}, {0}, {1}}).find("square"), std::string::npos);
}

TYPED_TEST(IncompleteLuOn, SaysThatTheFactorsTakeMoreThanTheyMay) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto a = generate<T>("poisson2d", {.n = 40});
  EXPECT_NE(
      message_of<ArgumentError>([&] { Any(this->space(), a, "lu:fill=2"); }).find("more than 2 times the entries"),
      std::string::npos);
}

TYPED_TEST(IncompleteLuOn, IsMadeByNameWithOptions) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto a = generate<T>("variable2d", {.n = 10});
  for (const char* name : {"ilu0", "ilu0:order=natural,match=yes", "iluk:level=3", "ilut:drop=0.01,fill=2,pivot=0",
                           "lu:fill=50,match=no"}) {
    const Any m(this->space(), a, name);
    EXPECT_FALSE(m.symmetric()) << name;
    EXPECT_NE(m.remarks().find("times the entries of A"), std::string::npos) << m.remarks();
    EXPECT_GT(m.bytes(), 0u);
  }
  for (const char* name : {"ilut:drop=2", "ilut:fil=3", "iluk:level=-1", "lu:order=metis", "ilu0:match=maybe"})
    EXPECT_THROW(Any(this->space(), a, name), ArgumentError) << name;
}

TYPED_TEST(IncompleteLuOn, CholeskyServesCg) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const SolveOptions options{.rtol = is_single<T> ? 1e-5 : 1e-9};

  const auto with_jacobi = solve_honestly<Cg>(this->space(), system, options, Jacobi<Home, T>(this->space(), system.a));
  const auto ic0 = solve_honestly<Cg>(this->space(), system, options, Ic0<Home, T>(this->space(), system.a));
  const auto ict = solve_honestly<Cg>(this->space(), system, options, Ict<Home, T>(this->space(), system.a));

  EXPECT_EQ(ict.result.status, Status::converged);
  EXPECT_LT(ic0.result.iterations, with_jacobi.result.iterations);
  EXPECT_LT(3 * ict.result.iterations, ic0.result.iterations);
  EXPECT_TRUE((AnyPreconditioner<Home, T>(this->space(), system.a, "ict:drop=0.01").symmetric()));
}

TYPED_TEST(IncompleteLuOn, CompleteCholeskySolvesAtOnceInEveryOrder) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto system = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const SolveOptions options{.rtol = is_single<T> ? 1e-5 : 1e-9};
  for (const std::string order : {"", ":order=natural", ":order=rcm", ":order=nd", ":order=amd", ":fill=50"}) {
    SCOPED_TRACE(order);
    if ((order == ":order=nd" && !has_nested_dissection) || (order == ":order=amd" && !has_minimum_degree)) continue;
    const Any m(this->space(), system.a, "cholesky" + order);
    const auto solved = solve_honestly<Cg>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged);
    EXPECT_LE(solved.result.iterations, 3);
    EXPECT_TRUE(m.symmetric());
  }
  EXPECT_EQ(message_of<ArgumentError>([&] { Any(this->space(), system.a, "cholesky:fill=2,order=natural"); }),
            "cholesky: the factors take more than 2 times the entries of A; raise fill, or take ilut");
}

TYPED_TEST(IncompleteLuOn, TakesFewIterationsOfGmres) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("convection-diffusion3d", {.n = 12}));
  const SolveOptions options{.rtol = is_single<T> ? 1e-5 : 1e-9};

  const auto plain = solve_honestly<Gmres>(this->space(), system, options);
  const auto ilu0 = solve_honestly<Gmres>(this->space(), system, options, Ilu0<Space, T>(this->space(), system.a));
  const auto ilut = solve_honestly<Gmres>(this->space(), system, options, Ilut<Space, T>(this->space(), system.a));

  EXPECT_LT(2 * ilu0.result.iterations, plain.result.iterations);
  EXPECT_LT(2 * ilut.result.iterations, ilu0.result.iterations);
}

TYPED_TEST(IncompleteLuOn, FactorsInFloatTakeAsManyIterations) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const SolveOptions options{.rtol = is_single<T> ? 1e-5 : 1e-12};
  const auto general = with_known_solution(generate<T>("convection-diffusion3d", {.n = 12}));
  const auto definite = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const auto close = [](const char* name, int in_double, int in_float) {
    EXPECT_LE(std::abs(in_float - in_double), 0.1 * in_double + 1) << name;
  };
  const auto iterations = [&](const auto& system, auto method, const char* name) {
    using Any = AnyPreconditioner<Home, T>;
    const std::string in_float = std::string(name) + "precision=float";
    const Any narrow(this->space(), system.a, in_float),
        wide(this->space(), system.a, std::string(name) + "precision=double");
    EXPECT_EQ(narrow.works_in_float(), !is_single<T>) << name;
    if (!is_single<T>) {
      const double part = Home::has_streams ? 0.9 : 0.8;  // a GPU keeps what it knows of the pattern, too
      EXPECT_LT(static_cast<double>(narrow.bytes()), part * static_cast<double>(wide.bytes())) << name;
    }
    close(name, method(system, wide), method(system, narrow));
  };
  const auto gmres = [&](const auto& system, const auto& m) {
    const auto solved = solve_honestly<Gmres>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged);
    return solved.result.iterations;
  };
  const auto cg = [&](const auto& system, const auto& m) {
    const auto solved = solve_honestly<Cg>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged);
    return solved.result.iterations;
  };
  const auto gcrodr = [&](const auto& system, const auto& m) {
    const auto solved = solve_honestly<Gcrodr>(this->space(), system, options, m);
    EXPECT_EQ(solved.result.status, Status::converged);
    return solved.result.iterations;
  };
  for (const char* name : {"ilu0:", "ilu0:order=natural,", "ilu0:match=yes,", "iluk:", "ilut:drop=0.01,"}) {
    iterations(general, gmres, name);
    iterations(general, gcrodr, name);
  }
  for (const char* name : {"ic0:", "ic0:order=natural,", "ict:drop=0.01,"}) iterations(definite, cg, name);
}

TYPED_TEST(IncompleteLuOn, FactorsOutOfTheRangeOfFloatAreRefused) {
  using T = typename TypeParam::T;
  if (is_single<T>) GTEST_SKIP() << "the matrix is in float";
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  for (const double size : {1e-60, 1e60}) {
    auto a = generate<T>("poisson2d", {.n = 5});
    for (T& v : a.val) v = static_cast<T>(v * size);
    for (const char* name : {"ilu0", "ilu0:order=natural", "ilut:match=no", "ic0"}) {
      EXPECT_NO_THROW(Any(this->space(), a, name)) << name;
      const std::string in_float =
          name + std::string(std::strchr(name, ':') != nullptr ? "," : ":") + "precision=float";
      const std::string text = message_of<ArgumentError>([&] { Any(this->space(), a, in_float); });
      EXPECT_NE(text.find("precision=double"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
