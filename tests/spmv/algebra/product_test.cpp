// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/product.hpp>

#include <ostinato/spmv/algebra/triple_product.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "spmv/algebra/algebra_cases.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class MatrixProductOn : public AlgebraTest<Case> {
 protected:
  using Value = typename Case::T;

  /// Compares A B with the reference, before and after an update.
  void expect_right(const Csr<Value>& a, const Csr<Value>& b) const {
    const std::string shapes = std::to_string(a.rows) + " x " + std::to_string(a.cols) + " times " +
                               std::to_string(b.rows) + " x " + std::to_string(b.cols);
    MatrixProduct c(this->space(), this->on(a), this->on(b));
    EXPECT_EQ(difference(this->back(c.result()), product(a, b), roundings(a)), "") << shapes;

    const Csr<Value> a2 = other_values(a, 1), b2 = other_values(b, 2);
    const Value* const values = c.result().view().val.data();
    const std::size_t bytes = c.bytes();
    EXPECT_GE(bytes, c.result().view().row_ptr.size_bytes() + c.result().view().col.size_bytes() +
                         c.result().view().val.size_bytes());
    c.update(this->on(a2), this->on(b2));
    EXPECT_EQ(c.bytes(), bytes);
    EXPECT_EQ(c.result().view().val.data(), values);
    EXPECT_EQ(difference(this->back(c.result()), product(a2, b2), roundings(a)), "") << shapes << ", updated";
  }

  static ReferenceMatrix product(const Csr<Value>& a, const Csr<Value>& b) {
    return reference_product(reference_of(a.view()), reference_of(b.view()));
  }

  /// An entry has at most as many terms as the longest row of A has entries; each is rounded twice.
  static double roundings(const Csr<Value>& a) {
    Offset longest = 0;
    for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    return static_cast<double>(longest) + 1;
  }
};

TYPED_TEST_SUITE(MatrixProductOn, EverySpace, SpaceNames);

TYPED_TEST(MatrixProductOn, MatchesTheReferenceInEveryShape) {
  using T = typename TypeParam::T;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      const Index k = n == 0 ? 31 : 33;
      const auto left = matrices_of<T>(m, k, 1), right = matrices_of<T>(k, n, 2);
      for (const Csr<T>& a : left) {
        for (const Csr<T>& b : right) this->expect_right(a, b);
      }
    }
  }
}

// Rows of some 10, 100, 1000 and 20,000 entries of C take different ways on a GPU.
TYPED_TEST(MatrixProductOn, MatchesTheReferenceForRowsOfEveryLength) {
  using T = typename TypeParam::T;
  this->expect_right(scattered<T>(597, 597, 3, true, 3), scattered<T>(597, 20000, 3, false, 4));
  this->expect_right(scattered<T>(100, 597, 10, true, 5), scattered<T>(597, 20000, 12, true, 6));
  this->expect_right(scattered<T>(33, 597, 40, true, 7), scattered<T>(597, 20000, 40, true, 8));
  this->expect_right(with_dense_row<T>(40, 597, 7, 9), scattered<T>(597, 40000, 60, true, 10));
  this->expect_right(with_dense_row<T>(40, 597, 7, 11), with_dense_row<T>(597, 33, 8, 12));
}

// Two, four or eight warps of a GPU share a row of A, whose sums fit into their tables or don't (420 columns).
TYPED_TEST(MatrixProductOn, MatchesTheReferenceForFewLongRowsSlow) {
  using T = typename TypeParam::T;
  for (const Index rows : {1, 5, 37, 300}) {
    for (const Index cols : {20, 150, 420}) {
      this->expect_right(scattered<T>(rows, 597, 150, rows > 5, 13), scattered<T>(597, cols, 40, true, 14));
      this->expect_right(scattered<T>(rows, 597, 60, rows > 5, 15), scattered<T>(597, cols, 40, true, 16));
      this->expect_right(scattered<T>(rows, 597, 30, rows > 5, 17), scattered<T>(597, cols, 40, true, 18));
    }
  }
  this->expect_right(with_dense_row<T>(3, 597, 1, 17), scattered<T>(597, 90, 40, true, 18));
}

TYPED_TEST(MatrixProductOn, KeepsEntriesWhoseTermsCancel) {
  using T = typename TypeParam::T;
  const auto c = multiply(this->space(), this->on(dense<T>({{1, 1}})), this->on(dense<T>({{2, 3}, {-2, 0}})));

  const Csr<T> host = this->back(c);
  EXPECT_EQ(std::vector<Index>(host.col.begin(), host.col.end()), (std::vector<Index>{0, 1}));
  EXPECT_EQ(std::vector<T>(host.val.begin(), host.val.end()), (std::vector<T>{0, 3}));
}

TYPED_TEST(MatrixProductOn, HasTheSameBitsOnEveryRun) {
  using T = typename TypeParam::T;
  const auto a = this->on(with_dense_row<T>(597, 597, 5, 3)), b = this->on(scattered<T>(597, 597, 30, true, 4));
  const Csr<T> first = this->back(multiply(this->space(), a, b));

  for (int run = 0; run < 20; ++run) EXPECT_TRUE(same_bits(this->back(multiply(this->space(), a, b)), first));
}

TYPED_TEST(MatrixProductOn, HasTheSameBitsOnEveryRunWhereRowsAreFewAndLong) {
  using T = typename TypeParam::T;
  const auto a = this->on(scattered<T>(37, 597, 150, true, 5)), b = this->on(scattered<T>(597, 150, 40, true, 6));
  const Csr<T> first = this->back(multiply(this->space(), a, b));

  for (int run = 0; run < 20; ++run) EXPECT_TRUE(same_bits(this->back(multiply(this->space(), a, b)), first));
}

// The order of the terms is that of the row of A, whatever the number of threads.
TYPED_TEST(MatrixProductOn, AddsTheTermsInTheOrderOfTheRow) {
  using T = typename TypeParam::T;
  const T large = std::ldexp(T{1}, std::numeric_limits<T>::digits + 2);
  const auto a = dense<T>({{1, 1, 1, 1}, {1, 0, 1, 1}}), b = dense<T>({{large}, {1}, {-large}, {1}});

  const Csr<T> c = this->back(multiply(this->space(), this->on(a), this->on(b)));

  EXPECT_EQ(c.val[0], 1) << "1 is lost beside the large value, the last 1 isn't";
  EXPECT_EQ(c.val[1], 1);
}

TYPED_TEST(MatrixProductOn, CountsTerms) {
  using T = typename TypeParam::T;
  const Csr<T> a = from_triplets(3, 2, std::vector<Triplet<T>>{{0, 0, T{1}}, {0, 1, T{1}}, {2, 1, T{1}}});
  const Csr<T> b = from_triplets(2, 4, std::vector<Triplet<T>>{{0, 0, T{1}}, {0, 3, T{1}}, {1, 3, T{1}}});
  EXPECT_EQ(count_terms(this->space(), this->on(a), this->on(b)).all, 4);
  const auto none = this->on(from_triplets(0, 2, std::vector<Triplet<T>>{}));
  EXPECT_EQ(count_terms(this->space(), none, this->on(b)).all, 0);
  EXPECT_THROW(count_terms(this->space(), this->on(a), this->on(a)), DimensionError);
}

/// Counts how often it is asked, and asks for an end from the given time on.
struct Looks {
  int* count;
  int from;
  bool stop_requested() const { return ++*count >= from; }
};

TYPED_TEST(MatrixProductOn, LooksAtAStopRequestOnTheWay) {
  using T = typename TypeParam::T;
  const auto a = this->on(generate<T>("fem27", {.n = 32}));  // 22 million terms
  const Csr<T> whole = this->back(multiply(this->space(), a, a));
  int looks = 0;

  const Csr<T> unhindered = this->back(multiply(this->space(), a, a, Looks{&looks, 1000000}));

  EXPECT_GE(looks, TypeParam::Space::has_streams ? 2 : 4);
  EXPECT_EQ(unhindered.col, whole.col);
  EXPECT_EQ(unhindered.val, whole.val);
  for (const int last : {1, looks / 2, looks}) {
    int asked = 0;
    EXPECT_THROW(multiply(this->space(), a, a, Looks{&asked, last}), Stopped);
    EXPECT_EQ(asked, last);
  }
}

TYPED_TEST(MatrixProductOn, RefusesFactorsThatDontFit) {
  using T = typename TypeParam::T;
  const auto a = this->on(dense<T>({{1, 2, 3}})), b = this->on(dense<T>({{1, 2}, {3, 4}}));

  EXPECT_EQ(message_of<DimensionError>([&] { multiply(this->space(), a, b); }),
            "product of matrices: the first factor is 1 x 3, the second 2 x 2; the columns of the first have to be as "
            "many as the rows of the second");
  MatrixProduct c(this->space(), b, b);
  EXPECT_THROW(c.update(b, this->on(dense<T>({{1, 2}, {3, 0}}))), DimensionError);
  EXPECT_THROW(c.update(a, b), DimensionError);
}

TYPED_TEST(MatrixProductOn, GalerkinProductIsTheTripleProductAndTakesNewValues) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 24}), p = scattered<T>(576, 100, 3, true, 3);
  const auto reference = [](const Csr<T>& matrix, const Csr<T>& by) {
    const ReferenceMatrix weights = reference_of(by.view());
    return reference_product(reference_transpose(weights), reference_product(reference_of(matrix.view()), weights));
  };
  GalerkinProduct coarse(this->space(), this->on(a), this->on(p));
  EXPECT_EQ(difference(this->back(coarse.result()), reference(a, p), 40), "");

  const Csr<T> a2 = other_values(a, 4), p2 = other_values(p, 5);
  coarse.update(this->on(a2), this->on(p));
  EXPECT_EQ(difference(this->back(coarse.result()), reference(a2, p), 40), "");
  coarse.update_both(this->on(a), this->on(p2));
  EXPECT_EQ(difference(this->back(coarse.result()), reference(a, p2), 40), "");
  EXPECT_TRUE(same_bits(this->back(coarse.result()),
                        this->back(multiply(this->space(), coarse.restriction(), this->on(a), this->on(p2)))));
}

}  // namespace
}  // namespace ostinato::test
