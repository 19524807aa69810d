// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ssor.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/colouring.hpp>

#include "support/preconditioning.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class SsorOn : public PreconditionerTest<Case> {
 protected:
  using Value = typename Case::T;

  /// M z in long double, by the definition: row i comes before row j where before(i, j).
  template <class F>
  static std::vector<long double> product(const Dense& a, const std::vector<Value>& z, double omega, bool symmetric,
                                          F before) {
    const std::size_t n = z.size();
    std::vector<long double> y(n), out(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = z[i];  // D^-1 (D + omega U) z
      for (std::size_t j = 0; symmetric && j < n; ++j) y[i] += before(i, j) ? omega * a[i][j] * z[j] / a[i][i] : 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = a[i][i] * y[i];  // (D + omega L) y
      for (std::size_t j = 0; j < n; ++j) out[i] += before(j, i) ? omega * a[i][j] * y[j] : 0;
      out[i] /= symmetric ? omega * (2 - omega) : omega;
    }
    return out;
  }
};

TYPED_TEST_SUITE(SsorOn, EverySpace, SpaceNames);

TYPED_TEST(SsorOn, SolvesWithItsDefinition) {
  using T = typename TypeParam::T;
  using M = Ssor<typename TypeParam::Space, T>;
  for (const Index n : {0, 1, 31, 33, 597}) {
    auto a = random_definite<T>(n, 3);
    for (std::size_t k = 0; k < a.val.size(); k += 3) a.val[k] *= T(1.1);  // not symmetric any more
    const auto colour = colours(symmetric_graph(a.row_ptr, a.col));
    const Dense d = dense_of(a);
    const auto r = random_vector<T>(n, 4);
    for (const double omega : {1.0, 0.5, 1.7}) {
      for (const bool symmetric : {true, false}) {
        for (const bool coloured : {true, false}) {
          const M m(this->space(), a, {.omega = omega, .coloured = coloured, .symmetric = symmetric});

          const auto back = this->product(d, this->apply(m, r), omega, symmetric, [&](std::size_t i, std::size_t j) {
            return coloured ? colour[i] < colour[j] : i < j;
          });

          EXPECT_EQ(m.symmetric(), symmetric);
          for (std::size_t i = 0; i < r.size(); ++i)
            EXPECT_NEAR(static_cast<double>(back[i]), r[i], 500 * this->epsilon) << n << " " << i;
        }
      }
    }
  }
}

TYPED_TEST(SsorOn, IsDefiniteForASymmetricMatrix) {
  using T = typename TypeParam::T;
  using M = Ssor<typename TypeParam::Space, T>;
  for (const Index n : {1, 31, 33, 97}) {
    const auto a = random_definite<T>(n, 3);
    for (const double omega : {1.0, 1.5}) this->expect_definite(M(this->space(), a, {.omega = omega}), n);
  }
  this->expect_definite(M(this->space(), dense<T>({{-2, 1}, {1, 3}})), 2);
}

TYPED_TEST(SsorOn, NamesTheFirstRowWithoutADiagonal) {
  using T = typename TypeParam::T;
  auto a = diagonal_matrix(std::vector<T>(10000, T{2}));
  a.val[4711] = a.val[9000] = 0;

  const auto text = message_of<ArgumentError>([&] { Ssor(this->space(), a); });

  EXPECT_NE(text.find("row 4711 (counted from 0) "), std::string::npos) << text;
  a.val[4711] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW(Ssor(this->space(), a), ArgumentError);
  for (const double omega : {0.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((Ssor<typename TypeParam::Space, T>(this->space(), dense<T>({{1}}), {.omega = omega})), ArgumentError);
  EXPECT_EQ(message_of<ArgumentError>(
                [&] { Ssor<typename TypeParam::Space, T>(this->space(), dense<T>({{1}}), {.omega = 3}); }),
            "ssor: omega is 3; it has to be 0.01 to 1.99");
}

}  // namespace
}  // namespace ostinato::test
