// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/norms.hpp>

#include <cmath>
#include <limits>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class NormsOn : public AlgebraTest<Case> {
 protected:
  template <class T>
  std::vector<double> norms(const Csr<T>& a) const {
    Vector<typename Case::Space, double> of_rows(this->space(), static_cast<std::size_t>(a.rows));
    row_norms(this->space(), this->on(a).view(), of_rows.span());
    return of_rows.download();
  }
};
TYPED_TEST_SUITE(NormsOn, EverySpace, SpaceNames);

TYPED_TEST(NormsOn, MatchTheReferenceInEveryShape) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      for (const Csr<T>& a : matrices_of<T>(m, n, 10)) {
        std::vector<long double> squares(static_cast<std::size_t>(m));
        reference_of(a.view()).visit(
            [&](Index i, Index, long double v) { squares[static_cast<std::size_t>(i)] += v * v; });
        const std::vector<double> found = this->norms(a);
        ASSERT_EQ(found.size(), squares.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          const auto want = static_cast<double>(std::sqrt(squares[i]));
          EXPECT_NEAR(found[i], want, 1e-14 * want) << m << " x " << n << ", row " << i;
        }
      }
    }
  }
}

TYPED_TEST(NormsOn, SquaresNeitherOverflowNorUnderflow) {
  using T = typename TypeParam::T;
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  const std::vector<double> found = this->norms(dense<T>({{most / 4, most / 4}, {3 * least, 4 * least}, {0, 0}}));
  EXPECT_NEAR(found[0] / static_cast<double>(most / 4), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(found[1] / static_cast<double>(least), 5, 1e-6);
  EXPECT_EQ(found[2], 0);
  EXPECT_TRUE(std::isfinite(this->norms(dense<T>({{most, most, most, most, most}}))[0]));
}

TYPED_TEST(NormsOn, RowThatIsNotFiniteHasNoNorm) {
  using T = typename TypeParam::T;
  constexpr T infinite = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const double norm : this->norms(dense<T>({{1, infinite, 2}, {nan, 1, 0}, {1, 1, nan}})))
    EXPECT_TRUE(std::isnan(norm));
}

TYPED_TEST(NormsOn, RefuseAnotherLength) {
  using T = typename TypeParam::T;
  Vector<typename TypeParam::Space, double> two(this->space(), 2);
  EXPECT_EQ(message_of<DimensionError>([&] {
              row_norms(this->space(), this->on(dense<T>({{1, 2, 3}})).view(), two.span());
            }),
            "norms of rows: norms has 2 elements, but the matrix is 1 x 3");
}

}  // namespace
}  // namespace ostinato::test
