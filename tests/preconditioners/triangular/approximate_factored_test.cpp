// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/approximate_factored.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/ilut.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/ilu/zero_fill.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/solvers/methods/bicgstab.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/matrices.hpp"
#include "support/preconditioning.hpp"
#include "support/reference.hpp"
#include "support/solving.hpp"

namespace ostinato::test {
namespace {

constexpr TriangularSolve jacobi = TriangularSolve::jacobi, isai = TriangularSolve::isai;

/// Rows that don't dominate, with their largest entries off the diagonal.
Csr<double> unsymmetric(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, (i + 1) % n, 4});
    t.push_back({i, i, 1 + signed_unit(random) / 2});
    for (int k = 0; k < 3; ++k) t.push_back({i, below(random, n), signed_unit(random)});
  }
  return canonical(from_triplets<double>(n, n, t).view());
}

/// The inverse on the pattern of a lower triangle, each row by a dense system of its own.
Dense inverse_on_pattern(const Dense& l, const Dense& pattern) {
  Dense w(l.size(), std::vector<long double>(l.size(), 0));
  for (std::size_t i = 0; i < l.size(); ++i) {
    std::vector<std::size_t> at;
    for (std::size_t j = 0; j <= i; ++j) {
      if (pattern[i][j] != 0) at.push_back(j);
    }
    Dense part(at.size(), std::vector<long double>(at.size()));  // transposed
    for (std::size_t p = 0; p < at.size(); ++p) {
      for (std::size_t q = 0; q < at.size(); ++q) part[q][p] = l[at[p]][at[q]];
    }
    std::vector<long double> unit(at.size(), 0);
    unit.back() = 1;
    const std::vector<long double> row = dense_solve(part, unit);
    for (std::size_t p = 0; p < at.size(); ++p) w[i][at[p]] = row[p];
  }
  return w;
}

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.size(), std::vector<long double>(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t j = 0; j < a.size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Dense transposed(const Dense& a) {
  Dense t = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) t[j][i] = a[i][j];
  }
  return t;
}

/// S(L) as a dense matrix: columns of steps y += W (r - L y).
Dense approximate_inverse(const Dense& l, const TriangularOptions& o) {
  const std::size_t n = l.size();
  Dense pattern(n, std::vector<long double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) pattern[i][j] = o.solve == jacobi ? i == j : l[i][j] != 0;
  }
  if (o.power == 2) pattern = product(pattern, pattern);
  const Dense w = inverse_on_pattern(l, pattern);
  Dense y(n, std::vector<long double>(n, 0));
  for (int step = 0; step < o.steps(); ++step) {
    Dense rest = product(l, y);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) rest[i][j] = (i == j ? 1 : 0) - rest[i][j];
    }
    const Dense change = product(w, rest);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) y[i][j] += change[i][j];
    }
  }
  return y;
}

/// M^-1 r in long double.
std::vector<long double> reference(const Factors& f, const Preparation& how, const TriangularOptions& o,
                                   const std::vector<double>& r) {
  const std::size_t n = f.pivot.size();
  Dense l = dense_of(f.lower), u = dense_of(f.upper);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) u[i][j] /= f.pivot[i];
    l[i][i] = u[i][i] = 1;
  }
  const Dense lower = approximate_inverse(l, o), upper = transposed(approximate_inverse(transposed(u), o));
  std::vector<long double> y(n, 0), v(n, 0), z(n, 0);
  const auto row = [&](std::size_t i) { return static_cast<std::size_t>(how.row[i]); };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) y[i] += lower[i][j] * r[row(j)] * (how.is_scaled() ? how.row_scale[row(j)] : 1);
    y[i] /= f.pivot[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) v[i] += upper[i][j] * y[j];
    const auto place = f.col.empty() ? i : static_cast<std::size_t>(f.col[i]);
    const auto column = static_cast<std::size_t>(how.col[place]);
    z[column] = v[i] * (how.is_scaled() ? how.col_scale[column] : 1);
  }
  return z;
}

template <class Case>
class ApproximateFactoredOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;

  /// The largest difference of two vectors beside the largest element.
  template <class A, class B>
  static double difference(const A& a, const B& b) {
    double most = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      size = std::max(size, std::abs(static_cast<double>(b[i])));
    }
    return size > 0 ? most / size : most;
  }
  static constexpr double rounding = 400 * std::numeric_limits<Value>::epsilon();

  static std::vector<double> wide(const std::vector<Value>& v) { return {v.begin(), v.end()}; }
};

TYPED_TEST_SUITE(ApproximateFactoredOn, EverySpace, SpaceNames);

const std::vector<TriangularOptions> ways = {{jacobi, 1, 1}, {jacobi, 2, 1}, {jacobi, 5, 1},
                                             {isai, 1, 1},   {isai, 2, 1},   {isai, 3, 2}};

TYPED_TEST(ApproximateFactoredOn, AppliesThePolynomialOfBothTriangles) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 33}) {
    const Csr<double> a = n > 1 ? unsymmetric(n, 5) : diagonal_matrix<double>(std::vector<double>(std::size_t(n), 3));
    const auto r = random_vector<T>(n, 8);
    for (const bool prepared_too : {false, true}) {
      const Preparation how =
          prepare(a.view(), {.match = prepared_too, .order = prepared_too ? Ordering::rcm : Ordering::natural});
      const Factors zero_fill = factor_iluk(prepared(a.view(), how).view(), {.level = 1});
      const Factors pivoted = factor_ilut(prepared(a.view(), how).view(), {.drop = 0.01});
      for (const Factors* f : {&zero_fill, &pivoted}) {
        for (const TriangularOptions& o : ways) {
          const ApproximateFactored<typename TypeParam::Space, T> m(this->space(), *f, how, o);
          EXPECT_LT(this->difference(this->apply(m, r), reference(*f, how, o, this->wide(r))), this->rounding)
              << n << " rows, way " << static_cast<int>(o.solve) << ", " << o.steps() << " steps, power " << o.power
              << (prepared_too ? ", prepared" : "") << (f == &pivoted ? ", pivoted" : "");
        }
      }
    }
  }
}

TYPED_TEST(ApproximateFactoredOn, SweepsOfJacobiAreExactOnceThereAreAsManyAsLevels) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const Csr<double> a = generate<double>("poisson2d", {.n = 8});  // 15 levels
  const Preparation how = prepare(a.view(), {.match = false, .order = Ordering::natural});
  const Factors f = factor_iluk(a.view(), {});
  const auto r = random_vector<T>(a.rows, 8);
  const auto exact = this->apply(Factored<Home, T>(this->space(), f, how), r);
  const auto of = [&](int sweeps) {
    return this->apply(ApproximateFactored<Home, T>(this->space(), f, how, {jacobi, sweeps, 1}), r);
  };
  EXPECT_LT(this->difference(of(15), exact), this->rounding);
  EXPECT_LT(this->difference(of(40), exact), this->rounding);
  EXPECT_GT(this->difference(of(3), exact), 1e-3);
}

TYPED_TEST(ApproximateFactoredOn, FromFactorsInPlaceIsAsFromThoseOfTheHost) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  for (const Index n : {0, 1, 31, 33, 400}) {
    const Csr<T> a = n > 0 ? random_definite<T>(n, 6) : Csr<T>{};
    const auto r = random_vector<T>(n, 8);
    const SpaceCsr<Home, T> on(this->space(), a.view());
    for (const Ordering order : {Ordering::natural, Ordering::rcm}) {
      for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic}) {
        const bool symmetric = kind == ZeroFillKind::ic;
        const PreparationOptions as = {.match = false, .order = order};
        const ZeroFill<Home, T> zero_fill(this->space(), on, kind, as);
        const FactorsInPlace<Home> factors = zero_fill.factors(on);
        Csr<double> whole{a.rows, a.cols, a.row_ptr, a.col, {}};
        whole.val.assign(a.val.begin(), a.val.end());
        const Preparation how = prepare(whole.view(), as);
        const Csr<double> ready = prepared(whole.view(), how);
        const Factors f = symmetric ? factor_ic(ready.view(), {}) : factor_iluk(ready.view(), {});
        for (const TriangularOptions& o : ways) {
          const ApproximateFactored<Home, T> ours(this->space(), factors, o, symmetric);
          const ApproximateFactored<Home, T> theirs(this->space(), f, how, o, symmetric);
          EXPECT_EQ(this->difference(this->apply(ours, r), this->apply(theirs, r)), 0)
              << n << " rows, way " << static_cast<int>(o.solve) << (symmetric ? ", symmetric" : "");
        }
      }
    }
  }
}

TYPED_TEST(ApproximateFactoredOn, CholeskyInPlaceMayBeTakenForUnsymmetric) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const Csr<T> a = random_definite<T>(33, 6);
  const auto r = random_vector<T>(33, 8);
  const SpaceCsr<Home, T> on(this->space(), a.view());
  const ZeroFill<Home, T> zero_fill(this->space(), on, ZeroFillKind::ic, {.match = false, .order = Ordering::natural});
  const FactorsInPlace<Home> factors = zero_fill.factors(on);
  for (const TriangularOptions& o : ways) {
    const ApproximateFactored<Home, T> symmetric(this->space(), factors, o, true), not_so(this->space(), factors, o);
    EXPECT_LT(this->difference(this->apply(not_so, r), this->apply(symmetric, r)), this->rounding);
  }
}

TYPED_TEST(ApproximateFactoredOn, InPlaceRefusesPivotsBeyondTheRange) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const double tiny = std::numeric_limits<T>::denorm_min();
  for (const auto& a : {diagonal_matrix<T>({1, static_cast<T>(tiny)}), diagonal_matrix<T>({static_cast<T>(-tiny)})}) {
    const SpaceCsr<Home, T> on(this->space(), a.view());
    const ZeroFill<Home, T> zero_fill(this->space(), on, ZeroFillKind::ilu,
                                      {.match = false, .order = Ordering::natural});
    FactorsInPlace<Home> factors = zero_fill.factors(on);
    const std::string text =
        message_of<ArgumentError>([&] { ApproximateFactored<Home, T>(this->space(), factors, {.solve = jacobi}); });
    EXPECT_NE(text.find("leave the range"), std::string::npos) << text;
  }
}

TYPED_TEST(ApproximateFactoredOn, InPlaceInFloatUnderDoubleIsAsFromFactorsOfTheHost) {
  using Home = typename TypeParam::Space;
  const Csr<double> a = random_definite<double>(400, 6);
  const SpaceCsr<Home, double> on(this->space(), a.view());
  const PreparationOptions as = {.match = false, .order = Ordering::rcm};
  const ZeroFill<Home, double> zero_fill(this->space(), on, ZeroFillKind::ilu, as);
  const FactorsInPlace<Home> factors = zero_fill.factors(on);
  const Preparation how = prepare(a.view(), as);
  const Factors f = factor_iluk(prepared(a.view(), how).view(), {});
  const Vector<Home, double> r(this->space(), random_vector<double>(400, 8));
  for (const TriangularOptions& o : ways) {
    Vector<Home, double> ours(this->space(), 400), theirs(this->space(), 400);
    ApproximateFactored<Home, double, float>(this->space(), factors, o).apply(r, ours);
    ApproximateFactored<Home, double, float>(this->space(), f, how, o).apply(r, theirs);
    EXPECT_TRUE(same_bits(ours.download(), theirs.download()));
  }
}

TYPED_TEST(ApproximateFactoredOn, IsSymmetricWithCholesky) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const auto a = random_definite<T>(33, 4);
  for (const char* options : {"solve=jacobi,sweeps=3", "solve=isai", "solve=isai,sweeps=2,power=2,order=natural"}) {
    const Ic0<Home, T> m(this->space(), a, Ic0<Home, T>::parse_options(options));
    Dense inverse(33);
    long double size = 0;
    for (std::size_t j = 0; j < 33; ++j) {
      std::vector<T> unit(33, 0);
      unit[j] = 1;
      const auto column = this->apply(m, unit);
      inverse[j].assign(column.begin(), column.end());
      for (const T v : column) size = std::max<long double>(size, std::abs(v));
    }
    for (std::size_t i = 0; i < 33; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_LT(std::abs(static_cast<double>((inverse[i][j] - inverse[j][i]) / size)), this->rounding) << options;
    }
    EXPECT_TRUE(is_positive_definite(inverse)) << options;
  }
}

TYPED_TEST(ApproximateFactoredOn, RefusesSingularFactorsByTheRow) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const Csr<double> a = generate<double>("poisson2d", {.n = 5});
  const Preparation how = prepare(a.view(), {.match = false, .order = Ordering::rcm});
  Factors f = factor_iluk(prepared(a.view(), how).view(), {});
  f.pivot[7] = 0;
  const std::string text = message_of<ArgumentError>([&] {
    ApproximateFactored<Home, T>(this->space(), f, how, {jacobi, 2, 1});
  });
  EXPECT_NE(text.find(row_text(static_cast<std::size_t>(how.row[7])) + " is 0"), std::string::npos) << text;
}

TYPED_TEST(ApproximateFactoredOn, ServesCgAndBicgstab) {
  using T = typename TypeParam::T;
  const SolveOptions options{.rtol = is_single<T> ? 1e-5 : 1e-9};
  const auto definite = with_known_solution(generate<T>("variable2d", {.n = 40}));
  const auto general = with_known_solution(generate<T>("convection-diffusion3d", {.n = 12}));
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto jacobi_alone =
      solve_honestly<Cg>(this->space(), definite, options, Any(this->space(), definite.a, "jacobi"));
  for (const char* name : {"ic0:solve=jacobi,sweeps=3", "ic0:solve=isai", "ict:drop=0.01,solve=jacobi,sweeps=5",
                           "ict:drop=0.01,solve=isai", "ic0:solve=isai,precision=float"}) {
    const auto solved = solve_honestly<Cg>(this->space(), definite, options, Any(this->space(), definite.a, name));
    EXPECT_EQ(solved.result.status, Status::converged) << name;
    EXPECT_LT(solved.result.iterations, 0.8 * jacobi_alone.result.iterations) << name;
  }
  for (const char* name : {"ilu0:solve=jacobi,sweeps=4", "ilu0:solve=isai", "iluk:solve=isai,sweeps=2",
                           "ilut:drop=0.01,solve=jacobi,sweeps=6", "ilu0:solve=jacobi,precision=float"}) {
    const auto solved = solve_honestly<Bicgstab>(this->space(), general, options, Any(this->space(), general.a, name));
    EXPECT_EQ(solved.result.status, Status::converged) << name;
  }
}

TYPED_TEST(ApproximateFactoredOn, FactorsInFloatAreNearThoseInDouble) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto a = generate<T>("convection-diffusion2d", {.n = 30});
  const auto r = random_vector<T>(a.rows, 8);
  for (const std::string name : {"ilu0:solve=jacobi", "ilu0:match=yes,solve=isai,sweeps=2", "ilut:solve=jacobi"}) {
    const Any in_double(this->space(), a, name), in_float(this->space(), a, name + ",precision=float");
    EXPECT_EQ(in_float.works_in_float(), !is_single<T>);
    EXPECT_FALSE(in_double.works_in_float());
    EXPECT_LT(this->difference(this->apply(in_float, r), this->apply(in_double, r)), 1e-4) << name;
  }
}

TYPED_TEST(ApproximateFactoredOn, TakesNewValues) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  const auto a = generate<T>("variable2d", {.n = 20});
  auto doubled = a;
  for (T& v : doubled.val) v *= 2;
  const auto r = random_vector<T>(a.rows, 3);
  for (const char* options : {"solve=jacobi", "solve=isai,sweeps=2"}) {
    Ilu0<Home, T> m(this->space(), a, Ilu0<Home, T>::parse_options(options));
    auto half = this->apply(m, r);
    for (T& v : half) v /= 2;
    m.update_values(Analysis<Home, T>(this->space(), doubled));
    EXPECT_TRUE(same_bits(this->apply(m, r), half)) << options;
    auto bad = a;
    bad.val[3] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_THROW(m.update_values(Analysis<Home, T>(this->space(), bad)), ArgumentError);
    EXPECT_TRUE(same_bits(this->apply(m, r), half)) << options;
  }
}

TYPED_TEST(ApproximateFactoredOn, IsAskedForByOptions) {
  using T = typename TypeParam::T;
  using Any = AnyPreconditioner<typename TypeParam::Space, T>;
  const auto a = generate<T>("variable2d", {.n = 10});
  EXPECT_NE(Any(this->space(), a, "ilu0:solve=jacobi").remarks().find("3 sweeps of Jacobi in "), std::string::npos);
  EXPECT_NE(Any(this->space(), a, "ict:solve=jacobi,sweeps=1").remarks().find("by 1 sweep of Jacobi"),
            std::string::npos);
  EXPECT_NE(Any(this->space(), a, "ict:solve=isai").remarks().find("1 sweep of ISAI in "), std::string::npos);
  EXPECT_EQ(Any(this->space(), a, "ilu0:solve=auto").remarks(), Any(this->space(), a, "ilu0:solve=exact").remarks());
  EXPECT_TRUE(Any(this->space(), a, "ic0:solve=isai").symmetric());
  for (const char* name :
       {"ilu0:solve=levels", "ilu0:sweeps=3", "ilu0:solve=exact,sweeps=3", "ilu0:solve=jacobi,power=2",
        "ilu0:solve=jacobi,sweeps=0", "ilu0:solve=isai,power=3", "lu:solve=jacobi"})
    EXPECT_THROW(Any(this->space(), a, name), ArgumentError) << name;
}

/// A row in the middle that meets all others: the squares of its triangles are a quarter full.
Csr<double> with_a_full_row(Index n) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, i == n / 2 ? 4.0 * n : 4.0});
    if (i == n / 2) continue;
    t.push_back({i, n / 2, -1});
    t.push_back({n / 2, i, -1});
  }
  return from_triplets<double>(n, n, t);
}

TEST(ApproximateFactoredLimits, InversesThatDoNotFitAreRefusedBeforeTheyAreMade) {
  const Host space;
  const Analysis<Host, double> analysis(space, with_a_full_row(4000));
  const auto made = [&](const std::string& precond) {
    return AnyPreconditioner<Host, double>(analysis, precond, {}, 1'000'000).bytes();
  };

  EXPECT_LE(made("ilu0:order=natural,solve=isai"), 1'000'000u);
  for (const std::string kind : {"ilu0", "ic0"}) {
    try {
      made(kind + ":order=natural,solve=isai,power=2");
      FAIL() << "4e6 entries a triangle don't fit";
    } catch (const MemoryLimitError& e) {
      EXPECT_NE(std::string(e.what()).find("takes at least 8.0"), std::string::npos) << e.what();
    }
  }
}

TYPED_TEST(ApproximateFactoredOn, StopsWhenAsked) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  struct Asked {
    bool stop_requested() const { return true; }
  };
  const Csr<double> a = generate<double>("poisson2d", {.n = 5});
  const Preparation how = prepare(a.view(), {.match = false, .order = Ordering::natural});
  const Factors f = factor_iluk(a.view(), {});
  EXPECT_THROW((ApproximateFactored<Home, T>(this->space(), f, how, {jacobi, 2, 1}, false, {}, StopRequest(Asked{}))),
               Stopped);
}

/// Rows and columns that a matching scales by 1e40 and 1e-40: pivots near 1, and scales beyond float.
Csr<double> of_far_scales() {
  Csr<double> a = generate<double>("poisson2d", {.n = 6});
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      a.val[k] *= std::pow(10.0, (i % 2 == 0 ? -40 : 40) + (a.col[k] % 2 == 0 ? -40 : 40));
  }
  return a;
}

TEST(ApproximateFactoredLimits, ScalesBeyondFloatAreRefusedByEverySolve) {
  const Analysis<Host, double> analysis(Host(), of_far_scales());
  const std::vector<double> r(36, 1);
  std::vector<double> z(36);
  for (const std::string solve : {"exact", "isai", "jacobi"}) {
    try {
      const AnyPreconditioner<Host, double> m(analysis, "ilu0:match=yes,precision=float,solve=" + solve);
      ADD_FAILURE() << solve;
    } catch (const ArgumentError& e) {
      EXPECT_NE(std::string(e.what()).find("leave the range of float"), std::string::npos) << e.what();
    }
    const AnyPreconditioner<Host, double> in_double(analysis, "ilu0:match=yes,solve=" + solve);
    in_double.apply(r, z);
    for (const double v : z) EXPECT_TRUE(std::isfinite(v)) << solve;
  }
}

TEST(ScaleRange, HoldsWhatMayBeUsedInV) {
  constexpr ScaleRange<float> narrow{0x1p-100, 0x1p100};
  for (const double v : {1.0, -1.0, 0x1p100, -0x1p-100}) EXPECT_TRUE(narrow.holds(v)) << v;
  for (const double v : {0.0, 0x1p101, -0x1p-101, HUGE_VAL, std::nan("")}) EXPECT_FALSE(narrow.holds(v)) << v;
  constexpr ScaleRange<double> whole{0, HUGE_VAL};
  for (const double v : {1e300, -5e-324}) EXPECT_TRUE(whole.holds(v)) << v;
  for (const double v : {0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) EXPECT_FALSE(whole.holds(v)) << v;
  constexpr ScaleRange<float> rounded{0, HUGE_VAL};
  EXPECT_FALSE(rounded.holds(1e39));
  EXPECT_FALSE(rounded.holds(1e-60));
}

}  // namespace
}  // namespace ostinato::test
