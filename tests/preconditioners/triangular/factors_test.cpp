// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/ilut.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/shared_matrices.hpp"

// What the factorisations promise: L U is A Q, but for entries that were left out.

namespace ostinato::test {
namespace {

using Dense = std::vector<std::vector<long double>>;

Dense dense_of(const Csr<double>& a) {
  Dense d(static_cast<std::size_t>(a.rows), std::vector<long double>(static_cast<std::size_t>(a.cols)));
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      d[i][static_cast<std::size_t>(a.col[k])] += a.val[k];
  }
  return d;
}

/// L U, with the columns in the places that they have in A.
Dense product(const Factors& f) {
  const std::size_t n = f.pivot.size();
  Dense l = dense_of(f.lower), u = dense_of(f.upper), p(n, std::vector<long double>(n));
  for (std::size_t i = 0; i < n; ++i) l[i][i] = 1, u[i][i] = f.pivot[i];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      if (l[i][k] == 0) continue;
      for (std::size_t j = 0; j < n; ++j)
        p[i][f.col.empty() ? j : static_cast<std::size_t>(f.col[j])] += l[i][k] * u[k][j];
    }
  }
  return p;
}

/// Checks that both triangles are strict, and their columns ascend.
void expect_triangles(const Factors& f) {
  EXPECT_TRUE(is_canonical(f.lower.view()));
  EXPECT_TRUE(is_canonical(f.upper.view()));
  for (std::size_t i = 0; i < f.pivot.size(); ++i) {
    for (Offset k = f.lower.row_ptr[i]; k < f.lower.row_ptr[i + 1]; ++k)
      EXPECT_LT(f.lower.col[static_cast<std::size_t>(k)], static_cast<Index>(i));
    for (Offset k = f.upper.row_ptr[i]; k < f.upper.row_ptr[i + 1]; ++k)
      EXPECT_GT(f.upper.col[static_cast<std::size_t>(k)], static_cast<Index>(i));
  }
}

/// The largest |A - L U| over the entries that `counts` names, relative to the largest value in the row of A.
template <class Counts>
double largest_error(const Csr<double>& a, const Factors& f, Counts counts) {
  const Dense d = dense_of(a), p = product(f);
  double worst = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    long double size = 0;
    for (const long double v : d[i]) size = std::max(size, std::abs(v));
    for (std::size_t j = 0; j < d.size(); ++j) {
      if (counts(i, j)) worst = std::max(worst, static_cast<double>(std::abs(d[i][j] - p[i][j]) / size));
    }
  }
  return worst;
}

const auto everywhere = [](std::size_t, std::size_t) { return true; };

Csr<double> random_sparse(Index n, int entries, std::uint64_t seed, double diagonal) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    if (diagonal != 0) t.push_back({i, i, diagonal});
    for (int k = 0; k < entries; ++k) t.push_back({i, below(random, n), signed_unit(random)});
    t.push_back({i, (i + 1) % n, 1.5});  // so that the matrix isn't singular by its structure
  }
  return from_triplets<double>(n, n, t);
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A symmetric positive definite matrix: random rows and columns, and more on the diagonal than beside it.
Csr<double> random_definite(Index n, int entries, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, 1});
    for (int k = 0; k < entries; ++k) {
      const Index j = below(random, n);
      const double v = signed_unit(random);
      for (const Triplet<double>& e : {Triplet<double>{i, j, v}, {j, i, v}, {i, i, std::abs(v)}, {j, j, std::abs(v)}})
        t.push_back(e);
    }
  }
  return from_triplets<double>(n, n, t);
}

TEST(FactorCholesky, IsComplete) {
  for (const Index n : {0, 1, 2, 31, 33, 200}) {
    SCOPED_TRACE(n);
    const auto a = random_definite(n, 2, static_cast<std::uint64_t>(n) + 5);
    Offset announced = -1;
    const Factors f = factor_cholesky(a.view(), {.announce = [&](Offset entries, Certainty certainty) {
                                        EXPECT_EQ(certainty, Certainty::close);
                                        announced = entries;
                                      }});
    expect_triangles(f);
    EXPECT_LT(largest_error(a, f, everywhere), 1e-12);
    EXPECT_TRUE(n == 0 || announced == f.nonzeros()) << announced << " " << f.nonzeros();
    for (const double pivot : f.pivot) EXPECT_GT(pivot, 0);
  }
}

TEST(FactorCholesky, GivesTheFactorsOfIncompleteCholeskyThatDropsNothing) {
  const auto a = generate<double>("variable3d", {.n = 8});
  const Factors f = factor_cholesky(a.view(), {}),
                own = factor_ic(a, {.fill = true, .drop = 0, .most_fill = unlimited});
  EXPECT_EQ(f.upper.col, own.upper.col);
  ASSERT_EQ(f.upper.val.size(), own.upper.val.size());
  for (std::size_t k = 0; k < f.upper.val.size(); ++k)
    EXPECT_NEAR(f.upper.val[k], own.upper.val[k], 1e-12 * std::abs(own.upper.val[k]) + 1e-14);
}

TEST(FactorCholesky, RefusesWhatIsNotDefinite) {
  for (const auto& a : {dense<double>({{1, 2}, {2, 1}}), dense<double>({{1, 1}, {1, 1}}),
                        dense<double>({{2, 1, 0}, {1, 2, 3}, {0, 3, 1}})})
    EXPECT_EQ(message_of<ArgumentError>([&] { factor_cholesky(a.view(), {}); }),
              "cholesky: a pivot isn't positive, so that the matrix isn't positive definite; take lu");
}

TEST(FactorCholesky, TakesNoMoreEntriesThanItMay) {
  const auto a = generate<double>("poisson2d", {.n = 20});
  const Offset entries = factor_cholesky(a.view(), {}).nonzeros();
  EXPECT_EQ(factor_cholesky(a.view(), {.most_entries = entries}).nonzeros(), entries);
  EXPECT_THROW(factor_cholesky(a.view(), {.most_entries = entries - 1}), TooManyEntries);
}

TEST(FactorIlut, IsCompleteWithoutDropping) {
  for (const Index n : {0, 1, 2, 31, 33, 150}) {
    for (const double diagonal : {0.0, 1e-3, 4.0}) {
      const auto a = random_sparse(n, 3, static_cast<std::uint64_t>(n) + 5, diagonal);
      const Factors f = factor_ilut(a, {.drop = 0, .fill = unlimited, .pivot = 0.1});
      expect_triangles(f);
      EXPECT_LT(largest_error(a, f, everywhere), 1e-9) << n << " " << diagonal;
    }
  }
}

TEST(FactorIlut, LeavesOutNoMoreThanItSays) {
  const auto a = random_sparse(120, 4, 9, 8);
  for (const double drop : {1e-1, 1e-2, 1e-4}) {
    const Factors f = factor_ilut(a, {.drop = drop, .fill = unlimited, .pivot = 0});
    EXPECT_LE(largest_error(a, f, everywhere), drop * (1 + 1e-9)) << drop;
    EXPECT_GT(largest_error(a, f, everywhere), 0) << drop;
  }
}

TEST(FactorIlut, KeepsTheFillWithinItsLimit) {
  const auto a = generate<double>("poisson2d", {.n = 40});
  for (const double fill : {1.0, 2.0, 5.0}) {
    const Factors f = factor_ilut(a, {.drop = 0, .fill = fill});
    EXPECT_LE(static_cast<double>(f.nonzeros()), fill * static_cast<double>(a.nonzeros())) << fill;
    EXPECT_GT(static_cast<double>(f.nonzeros()), 0.8 * fill * static_cast<double>(a.nonzeros())) << fill;
  }
}

TEST(FactorIlut, PivotsAwayFromZeros) {
  const auto a = dense<double>({{0, 2, 1}, {3, 0, 0}, {1, 1, 1e-12}});
  const Factors f = factor_ilut(a, {.drop = 0, .fill = unlimited, .pivot = 1});

  EXPECT_EQ(f.boosted, 0);
  EXPECT_LT(largest_error(a, f, everywhere), 1e-14);
}

TEST(FactorIlut, RaisesAndCountsPivotsOfASingularMatrix) {
  const auto a = dense<double>({{1, 2, 0}, {2, 4, 0}, {0, 0, 0}});
  const Factors f = factor_ilut(a, {.drop = 0, .fill = unlimited});

  EXPECT_EQ(f.boosted, 2);
  for (const double p : f.pivot) EXPECT_NE(p, 0);
}

TEST(FactorIlut, TakesEmptyRowsFirst) {
  const Csr<double> a{3, 3, {0, 0, 0, 3}, {0, 1, 2}, {4, 5, 6}};
  for (const double fill : {1.0, unlimited}) EXPECT_EQ(factor_ilut(a, {.drop = 0, .fill = fill}).boosted, 2);
}

TEST(Preparation, DoesWithoutScalesThatLeaveTheRange) {
  const Csr<double> a{2, 2, {0, 1, 3}, {0, 0, 1}, {5e-324, 1e308, 1e308}};
  const Preparation how = prepare(a, {});
  for (const double v : prepared(a, how).val) EXPECT_TRUE(std::isfinite(v));
}

TEST(FactorIlut, StopsAtTheLimitOfEntries) {
  const auto a = generate<double>("poisson2d", {.n = 40});
  EXPECT_THROW(factor_ilut(a, {.drop = 0, .fill = unlimited}, 2 * a.nonzeros()), std::bad_alloc);
}

TEST(FactorIluk, HasThePatternOfTheMatrixAndItsValuesThere) {
  const auto a = random_sparse(120, 4, 3, 6);
  const Factors f = factor_iluk(a, {.level = 0});
  const Dense d = dense_of(a);

  expect_triangles(f);
  EXPECT_EQ(f.nonzeros(), a.nonzeros());
  EXPECT_LT(largest_error(a, f, [&](std::size_t i, std::size_t j) { return d[i][j] != 0; }), 1e-14);
  EXPECT_GT(largest_error(a, f, everywhere), 1e-3);
}

/// The level of fill of each entry, by the definition: the least level(i, k) + level(k, j) + 1 over the pivots k.
std::vector<std::vector<int>> levels_by_definition(const Csr<double>& a) {
  constexpr int absent = 1 << 20;
  const Dense d = dense_of(a);
  const std::size_t n = d.size();
  std::vector<std::vector<int>> level(n, std::vector<int>(n, absent));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) level[i][j] = d[i][j] != 0 || i == j ? 0 : absent;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) level[i][j] = std::min(level[i][j], level[i][k] + level[k][j] + 1);
    }
  }
  return level;
}

TEST(FactorIluk, HasTheFillOfItsLevel) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const auto a = random_sparse(60, 2, seed, 5);
    const auto level = levels_by_definition(a);
    for (const int most : {1, 2, 4}) {
      const Factors f = factor_iluk(a, {.level = most});
      Offset expected = 0;
      for (const auto& row : level) expected += std::count_if(row.begin(), row.end(), [&](int l) { return l <= most; });
      EXPECT_EQ(f.nonzeros(), expected) << seed << " " << most;
      EXPECT_LT(largest_error(a, f, [&](std::size_t i, std::size_t j) { return level[i][j] <= most; }), 1e-13);
    }
  }
}

TEST(FactorIluk, IsCompleteAtAHighLevel) {
  const auto a = random_sparse(80, 3, 4, 6);
  EXPECT_LT(largest_error(a, factor_iluk(a, {.level = 80}), everywhere), 1e-13);
}

TEST(FactorIluk, RaisesAPivotThatIsMissing) {
  const Factors f = factor_iluk(dense<double>({{0, 2}, {1, 3}}), {.level = 0});
  EXPECT_EQ(f.boosted, 1);
  EXPECT_EQ(f.pivot[0], 2);
  const Factors near = factor_iluk(dense<double>({{-1e-12, 2}, {1, 1}}), {.level = 0});
  EXPECT_EQ(near.pivot[0], -2e-8);
}

/// A symmetric matrix, positive definite when `diagonal` is large.
Csr<double> random_symmetric(Index n, int entries, std::uint64_t seed, double diagonal) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, diagonal});
    for (int k = 0; k < entries; ++k) {
      const Index j = below(random, n);
      const double v = signed_unit(random);
      t.push_back({i, j, v});
      t.push_back({j, i, v});
    }
  }
  return from_triplets<double>(n, n, t);
}

TEST(FactorIc, IsCompleteWithoutDropping) {
  for (const Index n : {0, 1, 2, 31, 33, 120}) {
    const auto a = random_symmetric(n, 2, static_cast<std::uint64_t>(n) + 1, 12);
    const Factors f = factor_ic(a, {.fill = true, .drop = 0, .most_fill = unlimited});
    expect_triangles(f);
    EXPECT_EQ(f.shift, 0);
    EXPECT_LT(largest_error(a, f, everywhere), 1e-13) << n;
  }
}

TEST(FactorIc, IsSymmetric) {
  const auto a = random_symmetric(100, 3, 5, 15);
  for (const bool fill : {false, true}) {
    const Dense p = product(factor_ic(a, {.fill = fill, .drop = 1e-2}));
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(static_cast<double>(p[i][j] - p[j][i]), 0, 1e-14);
    }
  }
}

TEST(FactorIc, HasThePatternOfTheMatrixAndItsValuesThere) {
  const auto a = random_symmetric(120, 3, 3, 15);
  const Factors f = factor_ic(a, {});
  const Dense d = dense_of(a);

  EXPECT_EQ(f.lower.nonzeros() + f.upper.nonzeros() + a.rows, a.nonzeros());
  EXPECT_LT(largest_error(a, f, [&](std::size_t i, std::size_t j) { return d[i][j] != 0; }), 1e-14);
}

TEST(FactorIc, ShiftsUntilThePivotsArePositive) {
  const auto a = random_symmetric(60, 4, 3, 1);  // not definite
  const Factors f = factor_ic(a, {});

  EXPECT_GE(f.shift, 1e-3);
  for (const double p : f.pivot) EXPECT_GT(p, 0);
}

TEST(FactorIc, KeepsTheFillWithinItsLimit) {
  const auto a = generate<double>("poisson2d", {.n = 40});
  const auto entries = static_cast<double>(a.nonzeros());
  for (const PreparationOptions how : {PreparationOptions{.match = false, .order = Ordering::natural},
                                       PreparationOptions{.match = false, .order = Ordering::rcm}}) {
    const Csr<double> ready = prepared(a.view(), prepare(a.view(), how));
    for (const double fill : {1.0, 1.5, 2.0, 3.0}) {
      const Factors f = factor_ic(ready.view(), {.fill = true, .drop = 0, .most_fill = fill});
      EXPECT_LE(static_cast<double>(f.nonzeros()), fill * entries) << fill;
      EXPECT_GT(static_cast<double>(f.nonzeros()), 0.8 * fill * entries) << fill;
    }
  }
}

TEST(FactorIc, EndsAtTheLargestShift) {
  EXPECT_LE(factor_ic(dense<double>({{1, 8}, {8, 1}}), {}).shift, largest_shift);
  const std::string text = message_of<ArgumentError>([] { factor_ic(dense<double>({{1, 100}, {100, 1}}), {}); });
  EXPECT_NE(text.find("A + 8.19 diag(A)"), std::string::npos) << text;
  EXPECT_NE(text.find("take ilut"), std::string::npos) << text;
}

/// A request that is made after some looks at it.
struct After {
  int looks;
  int* seen;
  bool stop_requested() const { return ++*seen > looks; }
};

TEST(Factors, EndWithinALookAfterAStopIsRequested) {
  const auto a = generate<double>("poisson2d", {.n = 100});
  const auto no_limit = std::numeric_limits<Offset>::max();
  const auto expect_stopped = [&](const char* what, auto factor) {
    int looks = 0;
    EXPECT_THROW(factor(StopRequest(After{2, &looks})), Stopped) << what;
    EXPECT_EQ(looks, 3) << what;
  };
  expect_stopped("ic", [&](const StopRequest& stop) {
    factor_ic(a, {.fill = true, .drop = 0, .most_fill = unlimited}, no_limit, stop);
  });
  expect_stopped("ilut",
                 [&](const StopRequest& stop) { factor_ilut(a, {.drop = 0, .fill = unlimited}, no_limit, stop); });
  expect_stopped("cholesky", [&](const StopRequest& stop) { factor_cholesky(a, {}, stop); });
  expect_stopped("iluk", [&](const StopRequest& stop) { factor_iluk(a, {.level = 20}, {}, stop); });
}

TEST(FactorIc, NamesTheFirstRowWithoutAPositiveDiagonalEntry) {
  EXPECT_NE(message_of<ArgumentError>([] {
              factor_ic(dense<double>({{2, 1}, {1, 0}}), {});
            }).find("row 1 (counted from 0) "),
            std::string::npos);
}

TEST(Preparation, PutsLargeEntriesOnTheDiagonal) {
  for (const Ordering order : {Ordering::natural, Ordering::rcm, Ordering::best}) {
    const auto a = random_sparse(100, 3, 8, 0);
    const Preparation how = prepare(a, {.match = true, .order = order});
    const Dense d = dense_of(a), p = dense_of(prepared(a, how));
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(std::abs(p[i][i])), 1, 1e-12);
      for (std::size_t j = 0; j < p.size(); ++j) {
        const auto row = static_cast<std::size_t>(how.row[i]), col = static_cast<std::size_t>(how.col[j]);
        EXPECT_NEAR(static_cast<double>(p[i][j]),
                    static_cast<double>(how.row_scale[row] * d[row][col] * how.col_scale[col]), 1e-15);
      }
    }
  }
}

TEST(Preparation, WithoutMatchingPermutesRowsAndColumnsAlike) {
  const auto a = generate<double>("convection-diffusion3d", {.n = 6});
  const Preparation how = prepare(a, {.match = false, .order = Ordering::rcm});

  EXPECT_EQ(how.row, how.col);
  EXPECT_FALSE(how.is_scaled());
}

}  // namespace
}  // namespace ostinato::test
