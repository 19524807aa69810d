// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/fsai.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/preconditioning.hpp"

namespace ostinato::test {
namespace {

std::vector<Index> columns_of(const Csr<double>& g, std::size_t i) {
  return {g.col.begin() + g.row_ptr[i], g.col.begin() + g.row_ptr[i + 1]};
}

/// Row i of G on the columns `at`, whose last one is i.
std::vector<long double> row_by_definition(const Dense& a, const std::vector<Index>& at) {
  Dense part(at.size(), std::vector<long double>(at.size()));
  std::vector<long double> unit(at.size());
  unit.back() = 1;
  for (std::size_t p = 0; p < at.size(); ++p) {
    for (std::size_t q = 0; q < at.size(); ++q)
      part[p][q] = a[static_cast<std::size_t>(at[p])][static_cast<std::size_t>(at[q])];
  }
  std::vector<long double> y = dense_solve(part, unit);
  const long double size = std::sqrt(y.back());
  for (long double& v : y) v /= size;
  return y;
}

TEST(ApproximateFactor, HasTheRowsOfItsDefinition) {
  for (const Index n : {0, 1, 31, 33, 300}) {
    const auto a = random_definite<double>(n, 3);
    const Dense d = dense_of(a);
    for (const FsaiPattern pattern : {FsaiPattern::a, FsaiPattern::a2, FsaiPattern::adaptive}) {
      const Csr<double> g = approximate_factor(Host(), a, {.pattern = pattern}).g;
      check(g.view());
      ASSERT_EQ(g.rows, n);
      for (std::size_t i = 0; i < d.size(); ++i) {
        const auto at = columns_of(g, i);
        ASSERT_TRUE(std::is_sorted(at.begin(), at.end()) && at.back() == static_cast<Index>(i));
        const auto want = row_by_definition(d, at);
        for (std::size_t p = 0; p < at.size(); ++p)
          EXPECT_NEAR(g.val[static_cast<std::size_t>(g.row_ptr[i]) + p], static_cast<double>(want[p]), 1e-11);
      }
    }
  }
}

TEST(ApproximateFactor, HasThePatternAskedFor) {
  const auto a = random_definite<double>(60, 3);
  const Dense d = dense_of(a);
  const Csr<double> g = approximate_factor(Host(), a, {}).g;
  const Csr<double> wide = approximate_factor(Host(), a, {.pattern = FsaiPattern::a2}).g;
  for (std::size_t i = 0; i < d.size(); ++i) {
    std::vector<Index> near, far;
    for (std::size_t j = 0; j <= i; ++j) {
      bool path = false;
      for (std::size_t k = 0; k < d.size(); ++k) path = path || (d[i][k] != 0 && d[k][j] != 0);
      if (d[i][j] != 0) near.push_back(static_cast<Index>(j));
      if (path) far.push_back(static_cast<Index>(j));
    }
    EXPECT_EQ(columns_of(g, i), near) << i;
    EXPECT_EQ(columns_of(wide, i), far) << i;
  }
}

TEST(ApproximateFactor, AdaptsWithinTheEntriesAllowed) {
  const auto a = generate<double>("variable2d", {.n = 20});
  const auto quality = [&](const Csr<double>& g) {
    double total = 0;  // sum of log g(i, i): the larger, the nearer det(G A G^T) is to 1
    for (std::size_t i = 0; i < 400; ++i) total += std::log(g.val[static_cast<std::size_t>(g.row_ptr[i + 1]) - 1]);
    return total;
  };
  double before = -1e300;
  for (const int entries : {1, 4, 16}) {
    const Csr<double> g = approximate_factor(Host(), a, {.pattern = FsaiPattern::adaptive, .entries = entries}).g;
    for (std::size_t i = 0; i < 400; ++i) EXPECT_LE(g.row_ptr[i + 1] - g.row_ptr[i], entries + 1);
    EXPECT_GT(quality(g), before);
    before = quality(g);
  }
}

TEST(ApproximateFactor, KeepsTheLargestOfALongRow) {
  constexpr Index n = 1000;
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) t.push_back({i, i, 10});
  for (Index j = 0; j < n - 1; ++j) {
    const double v = j % 5 == 0 ? 0.1 : 0.01;
    t.push_back({n - 1, j, v});
    t.push_back({j, n - 1, v});
  }
  const Csr<double> a = from_triplets<double>(n, n, t);
  for (const FsaiPattern pattern : {FsaiPattern::a, FsaiPattern::a2}) {
    const auto at = columns_of(approximate_factor(Host(), a, {.pattern = pattern}).g, n - 1);
    EXPECT_EQ(at.size(), 256u);
    EXPECT_EQ(std::count_if(at.begin(), at.end(), [](Index j) { return j % 5 == 0; }), 200);
  }
}

TEST(ApproximateFactor, LeavesTheDiagonalOfAnIndefiniteBlock) {
  const Csr<double> a = dense<double>({{4, 6, 0}, {6, 4, 1}, {0, 1, 4}});

  const ApproximateFactor f = approximate_factor(Host(), a, {});

  EXPECT_EQ(f.diagonal_only, 1);
  EXPECT_EQ(columns_of(f.g, 1), std::vector<Index>{1});
  EXPECT_EQ(f.g.val[1], 0.5);
}

/// A with its rows and columns multiplied by powers of two.
Csr<double> scaled(Csr<double> a, const std::vector<int>& exponents) {
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      a.val[k] = std::ldexp(a.val[k], exponents[i] + exponents[static_cast<std::size_t>(a.col[k])]);
  }
  return a;
}

TEST(ApproximateFactor, TakesEntriesOfAnySize) {
  const auto a = generate<double>("poisson2d", {.n = 8});
  std::vector<int> tiny(64, -536), huge(64, 510), mixed(64);  // 4 and -1 are denormal numbers, but exact
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = i % 2 == 0 ? -500 : 500;
  for (const FsaiPattern pattern : {FsaiPattern::a, FsaiPattern::a2, FsaiPattern::adaptive}) {
    const Csr<double> g = approximate_factor(Host(), a, {.pattern = pattern}).g;
    for (const auto& exponents : {tiny, huge, mixed}) {
      const Csr<double> found = approximate_factor(Host(), scaled(a, exponents), {.pattern = pattern}).g;
      ASSERT_EQ(found.col, g.col);
      for (std::size_t k = 0; k < g.val.size(); ++k)
        EXPECT_EQ(found.val[k], std::ldexp(g.val[k], -exponents[static_cast<std::size_t>(g.col[k])]));
    }
  }
}

TEST(ApproximateFactor, RefusesAnEntryThatIsHugeBesideTheDiagonal) {
  const auto a = dense<double>({{1, 0, 0}, {0, 1e-300, 1e300}, {0, 1e300, 1e-300}});
  EXPECT_NE(message_of<ArgumentError>([&] {
              approximate_factor(Host(), a, {});
            }).find("an entry of row 1 (counted from 0) is huge"),
            std::string::npos);
}

template <class Case>
class FsaiOn : public PreconditionerTest<Case> {};

TYPED_TEST_SUITE(FsaiOn, EverySpace, SpaceNames);

TYPED_TEST(FsaiOn, AppliesTheFactorAndItsTranspose) {
  using T = typename TypeParam::T;
  using M = Fsai<typename TypeParam::Space, T>;
  for (const Index n : {0, 1, 31, 33, 597, 5000}) {
    const auto a = random_definite<T>(n, 3);
    Csr<double> wide{a.rows, a.cols, a.row_ptr, a.col, {}};
    wide.val.assign(a.val.begin(), a.val.end());
    const Csr<double> g = approximate_factor(Host(), wide, {}).g;
    const auto r = random_vector<T>(n, 4);
    std::vector<long double> y(r.size()), want(r.size()), size(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k)
        y[i] += static_cast<long double>(g.val[k]) * r[static_cast<std::size_t>(g.col[k])];
    }
    for (std::size_t i = 0; i < r.size(); ++i) {
      for (auto k = static_cast<std::size_t>(g.row_ptr[i]); k < static_cast<std::size_t>(g.row_ptr[i + 1]); ++k) {
        want[static_cast<std::size_t>(g.col[k])] += g.val[k] * y[i];
        size[static_cast<std::size_t>(g.col[k])] += std::abs(g.val[k]) * (std::abs(y[i]) + 1);
      }
    }
    const M m(this->space(), a);

    const auto z = this->apply(m, r);

    for (std::size_t i = 0; i < r.size(); ++i)
      EXPECT_NEAR(z[i], static_cast<double>(want[i]), 30 * this->epsilon * static_cast<double>(size[i])) << n;
    EXPECT_EQ(m.nonzeros(), g.nonzeros());
  }
}

/// Rows of one entry up to more than a GPU takes, an indefinite block, diagonal entries of any size, either sign.
TYPED_TEST(FsaiOn, TheFactorOfAGpuIsThatOfTheHost) {
  using T = typename TypeParam::T;
  if constexpr (!TypeParam::Space::has_streams) {
    GTEST_SKIP() << "for GPUs";
  } else {
    for (const Index width : {1, 31, 33, 48, 49, 150, 151}) {
      for (const double sign : {1.0, -1.0}) {
        std::vector<Triplet<T>> entries;
        constexpr Index n = 400;
        Random random(4);
        for (Index i = 0; i < n; ++i) {
          const double size = std::pow(2, i % 40 - 20);
          for (Index j = std::max(0, i - width + 1); j <= i; ++j) {
            const double other = std::pow(2, j % 40 - 20), v = i == j ? width : signed_unit(random);
            const double indefinite = i == 17 && j == 16 ? 5 * width : 1;
            entries.push_back({i, j, static_cast<T>(sign * v * indefinite * size * other)});
            if (i != j) entries.push_back({j, i, static_cast<T>(sign * v * indefinite * size * other)});
          }
        }
        const Csr<T> a = from_triplets<T>(n, n, entries);
        Csr<double> wide{a.rows, a.cols, a.row_ptr, a.col, {}};
        for (const T v : a.val) wide.val.push_back(sign * static_cast<double>(v));
        const ApproximateFactor want = approximate_factor(Host(), wide, {});
        const SpaceCsr<Cuda, T> on_gpu(this->space(), a.view());
        const auto made = approximate_factor(this->space(), on_gpu.view(), sign);
        ASSERT_EQ(made.has_value(), width <= 150) << width;
        if (!made) continue;
        EXPECT_EQ(made->diagonal_only, want.diagonal_only) << width;
        const CsrView<T>& g = made->g.view();
        std::vector<Offset> row_ptr(g.row_ptr.size());
        std::vector<T> val(g.val.size());
        this->space().download(row_ptr.data(), g.row_ptr.data(), g.row_ptr.size_bytes());
        this->space().download(val.data(), g.val.data(), g.val.size_bytes());
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          const auto length = want.g.row_ptr[i + 1] - want.g.row_ptr[i];
          const double diagonal = want.g.val[static_cast<std::size_t>(want.g.row_ptr[i + 1]) - 1];
          const double scale = std::pow(2, static_cast<int>(i) % 40 - 20);
          for (Offset k = 1; k <= length; ++k) {
            const auto column = static_cast<int>(want.g.col[static_cast<std::size_t>(want.g.row_ptr[i + 1] - k)]);
            EXPECT_NEAR(static_cast<double>(val[static_cast<std::size_t>(row_ptr[i + 1] - k)]),
                        want.g.val[static_cast<std::size_t>(want.g.row_ptr[i + 1] - k)],
                        100 * this->epsilon * diagonal * scale / std::pow(2, column % 40 - 20))
                << width << ' ' << i;
          }
          // A row that isn't positive definite keeps its other entries, as 0.
          if (length == row_ptr[i + 1] - row_ptr[i]) continue;
          for (Offset k = row_ptr[i]; k < row_ptr[i + 1] - length; ++k) EXPECT_EQ(val[static_cast<std::size_t>(k)], 0);
        }
      }
    }
  }
}

TYPED_TEST(FsaiOn, IsTheInverseWhereThePatternIsFull) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{4, 1, 2}, {1, 5, -1}, {2, -1, 6}});
  const Fsai m(this->space(), a);
  const Dense d = dense_of(a), inverse = this->inverse(m, 3);
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<long double> unit(3);
    unit[j] = 1;
    const auto want = dense_solve(d, unit);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(inverse[i][j]), static_cast<double>(want[i]), 8 * this->epsilon);
  }
}

TYPED_TEST(FsaiOn, IsDefiniteWhateverTheMatrixIs) {
  using T = typename TypeParam::T;
  using M = Fsai<typename TypeParam::Space, T>;
  for (const Index n : {1, 31, 33, 97}) {
    auto a = random_definite<T>(n, 3);
    for (const bool indefinite : {false, true}) {
      if (indefinite) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
            a.val[k] *= a.col[k] == static_cast<Index>(i) ? T(0.25) : T(1);
        }
      }
      for (const char* options : {"", "pattern=a2", "pattern=adaptive"})
        this->expect_definite(M(this->space(), a, M::parse_options(options)), n);
    }
  }
}

TYPED_TEST(FsaiOn, GivesTheDotProductOnTheWay) {
  using T = typename TypeParam::T;
  const auto a = random_definite<T>(2000, 3);
  const Fsai m(this->space(), a);
  const auto r = random_vector<T>(a.rows, 4);
  const auto dr = this->put(r);
  auto z = this->put(std::vector<T>(r.size()));
  auto slot = this->template put<double>({-1});

  m.apply_dot(dr, z, slot.data());

  const auto host = z.download();
  EXPECT_TRUE(same_bits(host, this->apply(m, r)));
  long double want = 0;
  for (std::size_t i = 0; i < r.size(); ++i) want += static_cast<long double>(r[i]) * host[i];
  EXPECT_NEAR(slot.download()[0], static_cast<double>(want), 100 * this->epsilon * static_cast<double>(want));
}

TYPED_TEST(FsaiOn, RefusesWhatIsNotSymmetric) {
  using T = typename TypeParam::T;
  using M = Fsai<typename TypeParam::Space, T>;
  auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
  a.val[4711] = a.val[9000] = -1;
  EXPECT_NE(message_of<ArgumentError>([&] { M(this->space(), a); }).find("row 4711 (counted from 0) "),
            std::string::npos);
  a.val[4711] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW(M(this->space(), a), ArgumentError);
  EXPECT_THROW(M(this->space(), dense<T>({{2, 1}, {0, 2}})), ArgumentError);
  EXPECT_THROW(M(this->space(), dense<T>({{2, 1}, {0.999, 2}})), ArgumentError);
  EXPECT_NO_THROW(M(this->space(), dense<T>({{2, 1}, {1 + 1e-7, 2}})));
  EXPECT_THROW(M(this->space(), dense<T>({{2}}), {.entries = 0}), ArgumentError);
}

/// The inverse of the diagonal entry is beyond the range, or nearly: M r is finite, or M is refused.
TYPED_TEST(FsaiOn, ADiagonalBelowTheRangeOfTheRestIsRefused) {
  using T = typename TypeParam::T;
  using M = Fsai<Host, T>;
  const T tiny = std::numeric_limits<T>::denorm_min(), small = std::numeric_limits<T>::min();
  for (const std::string options : {"pattern=a", "pattern=a2", "pattern=adaptive"}) {
    for (const T own : {tiny, small}) {
      const auto beside = dense<T>({{2, 1, 0}, {1, 2, 1}, {0, 1, own}}),
                 alone = dense<T>({{2, 1, 0}, {1, 2, 0}, {0, 0, own}});
      for (const auto& a : {beside, alone}) {
        const std::string why = message_of<ArgumentError>([&] { M(Host(), a, M::parse_options(options)); });
        EXPECT_TRUE(why.find("tiny beside the matrix") != std::string::npos ||
                    why.find("huge beside") != std::string::npos)
            << options << ": " << why;
      }
    }
    // A matrix of such numbers alone is no worse than any other.
    const M m(Host(), dense<T>({{4 * small, small}, {small, 4 * small}}), M::parse_options(options));
    std::vector<T> r = {small, small}, z(2);
    m.apply(r, z);
    for (const T v : z) EXPECT_NEAR(v, 0.2, 0.1) << options;
  }
}

}  // namespace
}  // namespace ostinato::test
