// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/least_squares_preconditioner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

#include "support/least_squares.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class LeastSquaresPreconditionerOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using On = typename Case::Space;
  using M = LeastSquaresPreconditioner<On, Value>;

  Analysis<On, Value> analysis(const Csr<Value>& a) const { return Analysis<On, Value>(this->space(), a); }
  Analysis<On, Value> analysis(Csr<Value>&& a) const { return Analysis<On, Value>(this->space(), std::move(a)); }

  std::vector<Value> applied(const M& m, const std::vector<Value>& r) const {
    const auto in = this->put(r);
    auto z = this->put(std::vector<Value>(r.size(), std::numeric_limits<Value>::quiet_NaN()));
    m.apply(in, z.span());
    return z.download();
  }

  /// Five rows, three columns that don't depend on each other.
  static Csr<Value> tall() { return dense<Value>({{1, 2, 0}, {0, 1, 1}, {3, 0, 1}, {0, 0, 2}, {1, 1, 1}}); }

  /// ||A^T A z - r|| / ||r||, or with A A^T.
  static double error(const Csr<Value>& a, bool of_rows, const std::vector<Value>& z, const std::vector<Value>& r) {
    const Csr<Value> at = transpose(a.view());
    const auto product = [&](const Csr<Value>& first, const Csr<Value>& second) {
      std::vector<Value> between, rest;
      for (const auto& row : reference_product(first.view(), Value{1}, z, Value{0}, {}))
        between.push_back(static_cast<Value>(row.value));
      for (const auto& row : reference_product(second.view(), Value{1}, between, Value{0}, {}))
        rest.push_back(static_cast<Value>(row.value));
      return rest;
    };
    const std::vector<Value> image = of_rows ? product(at, a) : product(a, at);
    double difference = 0, size = 0;
    for (std::size_t j = 0; j < r.size(); ++j) {
      difference = std::max(difference, std::abs(static_cast<double>(image[j]) - static_cast<double>(r[j])));
      size = std::max(size, std::abs(static_cast<double>(r[j])));
    }
    return difference / size;
  }
};

TYPED_TEST_SUITE(LeastSquaresPreconditionerOn, EverySpace, SpaceNames);

TYPED_TEST(LeastSquaresPreconditionerOn, JacobiDividesByTheSquaresOfTheNormsOfColumns) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{3, 0, 1}, {4, 2, 0}, {0, 0, 1}, {0, 0, 0}});

  const typename TestFixture::M m(this->analysis(a), "jacobi");

  EXPECT_EQ(m.rows(), 3u);
  EXPECT_NE(m.remarks().find("columns scaled to norm 1"), std::string::npos) << m.remarks();
  const auto z = this->applied(m, {25, 4, 2});
  for (const T v : z) EXPECT_NEAR(v, 1, 1e-6);
}

TYPED_TEST(LeastSquaresPreconditionerOn, CompleteFactorsAreThoseOfTheProduct) {
  using T = typename TypeParam::T;
  const auto shift = std::pow(static_cast<double>(std::numeric_limits<T>::epsilon()), 0.6);
  for (const bool of_rows : {false, true}) {
    const auto a = of_rows ? transpose(TestFixture::tall().view()) : TestFixture::tall();
    for (const std::string name : {"cholesky", "ict:drop=0", "cholesky:order=natural"}) {
      const typename TestFixture::M m(this->analysis(a), name);
      const std::vector<T> r = {1, -2, 3};

      EXPECT_LT(this->error(a, of_rows, this->applied(m, r), r), 10 * shift) << name;
      EXPECT_EQ(m.is_complete(), name.rfind("cholesky", 0) == 0);
      EXPECT_NE(m.remarks().find(of_rows ? "A A^T" : "A^T A"), std::string::npos) << m.remarks();
      EXPECT_GT(m.bytes(), 0u);
    }
  }
}

/// The squares of the norms would leave the range of T.
TYPED_TEST(LeastSquaresPreconditionerOn, TakesColumnsOfAnySize) {
  using T = typename TypeParam::T;
  const int most = std::numeric_limits<T>::max_exponent - 8;
  const auto a = TestFixture::tall();
  auto scaled = a;
  const std::vector<int> exponent = {-most, 0, most};
  for (std::size_t k = 0; k < a.val.size(); ++k)
    scaled.val[k] = std::ldexp(a.val[k], exponent[static_cast<std::size_t>(a.col[k])]);
  for (const std::string name : {"jacobi", "cholesky"}) {
    const auto z = this->applied(typename TestFixture::M(this->analysis(a), name), {1, 1, 1});
    const typename TestFixture::M m(this->analysis(scaled), name);
    // With D for the powers, M^-1 becomes D^-1 M^-1 D^-1.
    const auto z_scaled = this->applied(m, {std::ldexp(T{1}, -most), 1, std::ldexp(T{1}, most)});
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(std::ldexp(z_scaled[j], exponent[j]), z[j], 1e-5 * std::abs(z[j])) << name << ", column " << j;
  }
}

TYPED_TEST(LeastSquaresPreconditionerOn, ColumnOfZerosKeepsItsX) {
  using T = typename TypeParam::T;
  const auto a = from_triplets<T>(4, 3, std::vector<Triplet<T>>{{0, 0, 1}, {1, 0, 2}, {2, 2, 3}});
  for (const char* const name : {"jacobi", "ic0", "ict", "cholesky"}) {
    const auto z = this->applied(typename TestFixture::M(this->analysis(a), name), {5, 7, 9});
    EXPECT_NEAR(z[0], 1, 2e-3) << name;
    EXPECT_EQ(z[1], 0) << name;
    EXPECT_NEAR(z[2], 1, 2e-3) << name;
  }
}

TYPED_TEST(LeastSquaresPreconditionerOn, ColumnsThatDependOnEachOtherHaveFactorsAllTheSame) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2, 3}, {1, 2, 4}, {1, 2, 5}});
  for (const char* const name : {"ic0", "ict", "cholesky"}) {
    const auto z = this->applied(typename TestFixture::M(this->analysis(a), name), {3, 6, 12});
    EXPECT_TRUE(all_finite(z)) << name;
  }
}

TYPED_TEST(LeastSquaresPreconditionerOn, AutoScalesWhereNormsDiffer) {
  using T = typename TypeParam::T;
  const auto chosen = [&](const Csr<T>& a) {
    const Analysis<typename TypeParam::Space, T> analysis(this->space(), a);
    const typename TestFixture::M m(analysis);
    EXPECT_EQ(m.is_identity(), m.name() == "none");
    EXPECT_GT(m.stronger_seconds(), 0);
    return m.name() + ": " + m.reason();
  };
  EXPECT_EQ(chosen(dense<T>({{1, 100}, {1, 0}, {0, 100}})), "jacobi: columns scaled to norm 1");
  EXPECT_EQ(chosen(dense<T>({{1, 1, 0}, {0, 0, 100}})), "jacobi: rows scaled to norm 1");
  EXPECT_EQ(chosen(dense<T>({{1, 1}, {1, 0}, {0, 1}})), "none: the columns of A have about the same norm");
  EXPECT_EQ(typename TestFixture::M(this->analysis(from_triplets<T>(3, 2, {}))).name(), "none");
}

TYPED_TEST(LeastSquaresPreconditionerOn, StrongerIsCompleteAndKeepsTheAnalysis) {
  using T = typename TypeParam::T;
  const auto a = TestFixture::tall();
  const auto analysis = std::make_unique<Analysis<typename TypeParam::Space, T>>(this->space(), a);
  const typename TestFixture::M m(*analysis), named(*analysis, "jacobi");
  std::vector<Refusal> refused;

  const auto* const next = m.stronger({}, refused);

  ASSERT_NE(next, nullptr) << text_of(refused);
  EXPECT_EQ(next->name(), "cholesky");
  EXPECT_EQ(m.stronger({}, refused), next);
  EXPECT_EQ(next->stronger_seconds(), 0);
  EXPECT_EQ(next->stronger({}, refused), nullptr);
  EXPECT_EQ(named.stronger_seconds(), 0);
  EXPECT_EQ(named.stronger({}, refused), nullptr);
  const typename TestFixture::M alone(this->analysis(a));  // which keeps the analysis
  EXPECT_GT(alone.stronger_seconds(), 0);
  EXPECT_NE(alone.stronger({}, refused), nullptr);
  EXPECT_TRUE(refused.empty());
}

TYPED_TEST(LeastSquaresPreconditionerOn, RefusesNamesThatDoNotServe) {
  const auto analysis = this->analysis(TestFixture::tall());
  const auto complaint = [&](const char* name) {
    return message_of<ArgumentError>([&] { typename TestFixture::M(analysis, name); });
  };
  for (const char* const name : {"ilu0", "ssor", "multigrid:kind=plain", "fsai", "lu"}) {
    const std::string text = complaint(name);
    EXPECT_NE(text.find("is for square systems"), std::string::npos) << text;
    for (const char* const serves : {"none", "jacobi", "ic0", "ict", "cholesky"})
      EXPECT_NE(text.find(serves), std::string::npos) << text;
  }
  EXPECT_EQ(complaint("jacobi:x=1"), "jacobi takes no options");
  EXPECT_NE(complaint("ict:drop=7").find("drop is '7'"), std::string::npos);
}

TYPED_TEST(LeastSquaresPreconditionerOn, RefusesAProductThatADenseRowMakesTooLarge) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> entries;
  for (Index j = 0; j < 400; ++j) {
    entries.push_back({j, j, 1});
    entries.push_back({400, j, 1});
  }
  const auto a = from_triplets<T>(401, 400, entries);
  const auto complaint = [&](const Csr<T>& matrix) {
    return message_of<MemoryLimitError>(
        [&] { typename TestFixture::M(this->analysis(matrix), "cholesky", {}, 200000); });
  };
  const std::string of_row = complaint(a), of_column = complaint(transpose(a.view()));

  EXPECT_NE(of_row.find("A^T A takes at least"), std::string::npos) << of_row;
  EXPECT_NE(of_row.find("row 400 (counted from 0) has 400 entries"), std::string::npos) << of_row;
  EXPECT_NE(of_column.find("A A^T takes at least"), std::string::npos) << of_column;
  EXPECT_NE(of_column.find("column 400 (counted from 0) has 400 entries"), std::string::npos) << of_column;
}

TYPED_TEST(LeastSquaresPreconditionerOn, RefusesValuesThatAreNotFinite) {
  using T = typename TypeParam::T;
  auto a = TestFixture::tall();
  a.val[3] = std::numeric_limits<T>::infinity();
  EXPECT_EQ(typename TestFixture::M(this->analysis(a)).name(), "none");
  EXPECT_THROW(typename TestFixture::M(this->analysis(a), "cholesky"), ArgumentError);
}

TYPED_TEST(LeastSquaresPreconditionerOn, AnEndIsTakenNoticeOf) {
  struct Now {
    bool stop_requested() const { return true; }
  };
  const auto analysis = this->analysis(TestFixture::tall());
  EXPECT_THROW(typename TestFixture::M(analysis, "cholesky", Now{}), Stopped);
}

}  // namespace
}  // namespace ostinato::test
