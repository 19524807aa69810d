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
