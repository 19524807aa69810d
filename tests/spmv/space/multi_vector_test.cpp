// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/multi_vector.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/steps.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MultiVector : public StepsTest<Case> {};

TYPED_TEST_SUITE(MultiVector, EverySpace, SpaceNames);

TYPED_TEST(MultiVector, ProjectSubtractAndCombineGoByColumns) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    for (const int columns : {1, 2, 7, 33}) {
      const auto v = this->vector(n * columns, 1);
      auto w = this->vector(n, 2), x = this->vector(n, 3);
      Vector<typename TypeParam::Space, T> h(this->space(), static_cast<std::size_t>(columns));
      const auto hv = v.download(), hw = w.download(), hx = x.download();
      const auto size = static_cast<std::size_t>(n);

      project<T>(this->space(), columns, v.data(), w, h.data());
      const auto hh = h.download();
      subtract<T>(this->space(), columns, v.data(), h.data(), Out<T>(w));
      combine<T>(this->space(), columns, v.data(), h.data(), Out<T>(x));

      std::vector<ReferenceRow> products(hh.size()), less(size), more(size);
      for (std::size_t i = 0; i < size; ++i) {
        less[i] = {hw[i], std::abs(1.0L * hw[i]), columns};
        more[i] = {hx[i], std::abs(1.0L * hx[i]), columns};
      }
      for (std::size_t k = 0; k < hh.size(); ++k) {
        products[k].entries = n;
        for (std::size_t i = 0; i < size; ++i) {
          const long double a = hv[k * size + i], term = a * hh[k];
          products[k].value += a * hw[i];
          products[k].magnitude += std::abs(a * hw[i]);
          less[i] = {less[i].value - term, less[i].magnitude + std::abs(term), columns};
          more[i] = {more[i].value + term, more[i].magnitude + std::abs(term), columns};
        }
      }
      EXPECT_EQ(difference(hh, products), "");
      EXPECT_EQ(difference(w.download(), less), "");
      EXPECT_EQ(difference(x.download(), more), "");
    }
  }
}

TYPED_TEST(MultiVector, CombineOfSeveralIsThatOfEach) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    if (n == 0) continue;
    for (const int results : {1, 3, 10}) {
      constexpr int columns = 7;
      constexpr std::size_t height = 9;  // two elements of each column of Y are for others
      const auto size = static_cast<std::size_t>(n), width = static_cast<std::size_t>(results);
      const auto v = this->vector(n * columns, 1), y = this->vector(static_cast<Index>(height * width), 2);
      auto w = this->vector(n * results, 3);
      const auto before = w.download(), hv = v.download(), hy = y.download();

      combine<T>(this->space(), columns, v.data(), results, y.data(), height, Out<T>(w));

      std::vector<ReferenceRow> rows(size * width);
      for (std::size_t l = 0; l < width; ++l) {
        for (std::size_t i = 0; i < size; ++i) {
          ReferenceRow& row = rows[l * size + i];
          row = {before[l * size + i], std::abs(1.0L * before[l * size + i]), columns};
          for (std::size_t k = 0; k < columns; ++k) {
            const long double term = 1.0L * hv[k * size + i] * hy[k + l * height];
            row.value += term;
            row.magnitude += std::abs(term);
          }
        }
      }
      EXPECT_EQ(difference(w.download(), rows), "");
    }
  }
}

/// V in blocks of five columns, of which another column's room is between the blocks.
template <class T, class V>
Columns<T> in_blocks(const V& v, Index n, int columns) {
  Columns<T> all;
  all.width = 5;
  for (int k = 0; k * 5 < columns; ++k)
    all.blocks[k] = v.data() + static_cast<std::size_t>(k) * 6 * static_cast<std::size_t>(n);
  return all;
}

TYPED_TEST(MultiVector, ColumnsMayLieInBlocks) {
  using T = typename TypeParam::T;
  for (const Index n : {1, 33, 597}) {
    for (const int columns : {1, 4, 5, 6, 72}) {
      const auto v = this->vector(n * columns * 2, 1), w = this->vector(n, 2);
      const auto blocks = in_blocks<T>(v, n, columns);
      const auto hv = v.download();
      std::vector<T> one_by_one;
      for (int k = 0; k < columns; ++k) {
        const auto* from = hv.data() + (blocks.column(k, static_cast<std::size_t>(n)) - v.data());
        one_by_one.insert(one_by_one.end(), from, from + n);
      }
      const auto together = this->put(one_by_one);
      const auto width = static_cast<std::size_t>(columns);
      Vector<typename TypeParam::Space, T> h(this->space(), width), same(this->space(), width);
      auto x = this->vector(n, 3), y = this->vector(n, 3);

      project<T>(this->space(), columns, blocks, w, h.data());
      project<T>(this->space(), columns, together.data(), w, same.data());
      subtract<T>(this->space(), columns, blocks, h.data(), Out<T>(x));
      subtract<T>(this->space(), columns, together.data(), h.data(), Out<T>(y));

      EXPECT_TRUE(same_bits(h.download(), same.download()));
      EXPECT_TRUE(same_bits(x.download(), y.download()));
    }
  }
}

/// The vectors and coefficients of a delayed step, on the host.
template <class T>
struct Pair {
  std::vector<T> w, u, a, b;
  DelayedStep<T> step, next;
};

/// Both passes on random vectors, which aren't orthonormal; of w, `ww` is told.
template <class T, class Space>
Pair<T> pair_of(const Space& space, int columns, const T* v, const std::vector<T>& w0, const std::vector<T>& u0,
                double ww) {
  const auto on_space = [&](const std::vector<T>& host) { return Vector<Space, T>(space, std::span<const T>(host)); };
  auto w = on_space(w0), u = on_space(u0);
  const std::size_t width = static_cast<std::size_t>(columns) + 1;
  Vector<Space, T> a(space, width, T{0}), b(space, width, T{0});
  std::vector<DelayedStep<T>> steps(2);
  steps[0].ww = ww;
  Vector<Space, DelayedStep<T>> on_steps(space, std::span<const DelayedStep<T>>(steps));
  project_pair<T>(space, columns, v, w, u, a.data(), b.data(), on_steps.data());
  orthogonalise_pair<T>(space, columns, v, a.data(), b.data(), Out<T>(w), Out<T>(u), on_steps.data());
  steps = on_steps.download();
  return {w.download(), u.download(), a.download(), b.download(), steps[0], steps[1]};
}

TYPED_TEST(MultiVector, PairPassesAreThoseOfTheirFormulas) {
  using T = typename TypeParam::T;
  for (const Index n : step_sizes) {
    for (const int columns : {0, 1, 7, 16, 65, 130}) {
      SCOPED_TRACE(testing::Message() << n << " rows, " << columns << " columns");
      const auto size = static_cast<std::size_t>(n), width = static_cast<std::size_t>(columns);
      const auto v = this->vector(n * std::max(columns, 1), 1);
      const auto hv = v.download(), w = this->vector(n, 2).download(), u = this->vector(n, 3).download();
      const double ww = 2.0 * n * n * columns + 1;  // more than a . a
      const Pair<T> got = pair_of<T>(this->space(), columns, v.data(), w, u, ww);

      long double aa = 0, ab = 0, wu = 0, uu = 0;
      for (std::size_t i = 0; i < size; ++i) wu += 1.0L * w[i] * u[i], uu += 1.0L * u[i] * u[i];
      std::vector<ReferenceRow> a(width), b(width), q(size), next(size);
      for (std::size_t k = 0; k < width; ++k) {
        a[k].entries = b[k].entries = n;
        for (std::size_t i = 0; i < size; ++i) {
          const long double of_w = 1.0L * hv[k * size + i] * w[i], of_u = 1.0L * hv[k * size + i] * u[i];
          a[k] = {a[k].value + of_w, a[k].magnitude + std::abs(of_w), n};
          b[k] = {b[k].value + of_u, b[k].magnitude + std::abs(of_u), n};
        }
        aa += 1.0L * got.a[k] * got.a[k];
        ab += 1.0L * got.a[k] * got.b[k];
      }
      EXPECT_EQ(difference(std::vector<T>(got.a.begin(), got.a.end() - 1), a), "");
      EXPECT_EQ(difference(std::vector<T>(got.b.begin(), got.b.end() - 1), b), "");
      const long double rho = std::sqrt(ww - aa), qu = (wu - ab) / rho;
      const double scale = static_cast<double>(uu) + static_cast<double>(std::abs(ab)) + 1;
      EXPECT_NEAR(got.step.rho, static_cast<double>(rho), 1e-12 * std::sqrt(ww));
      EXPECT_NEAR(got.step.uu, static_cast<double>(uu), 1e-13 * scale);
      EXPECT_NEAR(got.step.qu, static_cast<double>(qu), 1e-12 * scale);

      const long double length = std::sqrt(uu);
      double next_ww = 0;
      for (std::size_t i = 0; i < size; ++i) {
        q[i] = {w[i] / rho, std::abs(w[i] / rho), columns + 4};
        next[i] = {u[i] / length, std::abs(u[i] / length), columns + 6};
        for (std::size_t k = 0; k < width; ++k) {
          const long double value = hv[k * size + i], of_w = value * got.a[k] / rho, of_u = value * got.b[k] / length;
          q[i] = {q[i].value - of_w, q[i].magnitude + std::abs(of_w), columns + 4};
          next[i] = {next[i].value - of_u, next[i].magnitude + std::abs(of_u), columns + 6};
        }
        const long double of_q = qu * q[i].value / length;
        next[i].value -= of_q;
        next[i].magnitude += std::abs(qu * q[i].magnitude / length);
        next_ww += static_cast<double>(got.u[i]) * static_cast<double>(got.u[i]);
      }
      EXPECT_EQ(difference(got.w, q), "");
      EXPECT_EQ(difference(got.u, next), "");
      EXPECT_NEAR(got.next.ww, next_ww, 1e-13 * next_ww);
    }
  }
}

TYPED_TEST(MultiVector, PairPassesDivideByNoZero) {
  using T = typename TypeParam::T;
  const std::vector<T> zero(597);
  const auto v = this->put(std::vector<T>(597 * 3, T{1}));
  const Pair<T> got = pair_of<T>(this->space(), 3, v.data(), zero, zero, 0);
  EXPECT_EQ(got.w, zero);
  EXPECT_EQ(got.u, zero);
  EXPECT_EQ(got.step.rho, 0);
  EXPECT_EQ(got.next.ww, 0);
}

TYPED_TEST(MultiVector, PairPassesGiveTheSameBitsEachTime) {
  using T = typename TypeParam::T;
  const auto v = this->vector(10007 * 70, 1);
  const auto w = random_vector<T>(10007, 2), u = random_vector<T>(10007, 3);
  const Pair<T> first = pair_of<T>(this->space(), 70, v.data(), w, u, 1e9);
  for (int k = 0; k < 10; ++k) {
    const Pair<T> again = pair_of<T>(this->space(), 70, v.data(), w, u, 1e9);
    ASSERT_TRUE(same_bits(again.w, first.w) && same_bits(again.u, first.u));
    ASSERT_EQ(again.next.ww, first.next.ww);
  }
}

TYPED_TEST(MultiVector, ProjectTakesMoreColumnsThanALaunch) {
  using T = typename TypeParam::T;
  constexpr Index n = 33;
  constexpr int columns = 2100;
  const auto v = this->vector(n * columns, 1);
  const auto w = random_vector<T>(n, 2), u = random_vector<T>(n, 3), hv = v.download();
  const Pair<T> got = pair_of<T>(this->space(), columns, v.data(), w, u, 1e9);
  double aa = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    double product = 0;
    for (std::size_t i = 0; i < n; ++i) product += static_cast<double>(hv[k * n + i]) * static_cast<double>(u[i]);
    EXPECT_NEAR(got.b[k], product, (is_single<T> ? 1e-6 : 1e-14) * n);
    aa += static_cast<double>(got.a[k]) * static_cast<double>(got.a[k]);
  }
  EXPECT_NEAR(got.step.rho, std::sqrt(1e9 - aa), 1e-9 * got.step.rho);
}

TYPED_TEST(MultiVector, ProjectGivesTheSameBitsEachTime) {
  using T = typename TypeParam::T;
  const auto v = this->vector(10007 * 9, 1), w = this->vector(10007, 2);
  Vector<typename TypeParam::Space, T> h(this->space(), 9);
  project<T>(this->space(), 9, v.data(), w, h.data());
  const auto first = h.download();
  for (int k = 0; k < 20; ++k) {
    project<T>(this->space(), 9, v.data(), w, h.data());
    ASSERT_TRUE(same_bits(h.download(), first));
  }
}

}  // namespace
}  // namespace ostinato::test
