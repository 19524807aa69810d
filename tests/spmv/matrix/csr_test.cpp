// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {
namespace {

template <class T>
using Sums = std::map<std::pair<Index, Index>, T>;

/// The entries of the matrix by row and column. The test fails unless the matrix is canonical.
template <class T>
Sums<T> sums(const Csr<T>& a) {
  check(a.view());
  EXPECT_TRUE(is_canonical(a.view()));
  Sums<T> out;
  for (Index r = 0; r < a.rows; ++r) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(r)]; k < a.row_ptr[static_cast<std::size_t>(r) + 1]; ++k) {
      out[{r, a.col[static_cast<std::size_t>(k)]}] = a.val[static_cast<std::size_t>(k)];
    }
  }
  return out;
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return "accepted";
}

#define EXPECT_REFUSED(expression, part) \
  EXPECT_NE(refusal([&] { expression; }).find(part), std::string::npos) << refusal([&] { expression; })

template <class T>
class CsrMatrix : public testing::Test {
 protected:
  static Csr<T> make(Index rows, Index cols, std::vector<Offset> row_ptr, std::vector<Index> col, std::vector<T> val) {
    return {rows, cols, {row_ptr.begin(), row_ptr.end()}, {col.begin(), col.end()}, {val.begin(), val.end()}};
  }

  /// Values of very different size, so that another order of additions changes the bits of a sum.
  static std::vector<Triplet<T>> triplets(Index rows, Index cols, int count) {
    std::mt19937_64 random(11);
    std::vector<Triplet<T>> out;
    for (int k = 0; k < count; ++k) {
      const bool dense_row = random() % 4 == 0;
      out.push_back(
          {dense_row ? rows / 2 : static_cast<Index>(random() % static_cast<std::uint64_t>(rows)),
           static_cast<Index>(random() % static_cast<std::uint64_t>(cols)),
           static_cast<T>(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 90)))});
    }
    return out;
  }

  static Sums<T> plain_sums(const std::vector<Triplet<T>>& triplets) {
    Sums<T> out;
    for (const auto& t : triplets) out[{t.row, t.col}] += t.val;
    return out;
  }

  static Csr<T> example() { return make(3, 4, {0, 3, 3, 6}, {2, 0, 2, 3, 1, 0}, {1, 2, 3, 4, 5, 6}); }
};

using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(CsrMatrix, Values);

TYPED_TEST(CsrMatrix, AssemblesTripletsByHand) {
  using T = TypeParam;
  const std::vector<Triplet<T>> t{{2, 1, 5}, {0, 1, 2}, {2, 0, 4}, {0, 1, 3}};
  const Csr<T> a = from_triplets<T>(3, 2, t);
  EXPECT_EQ(a.row_ptr, (Array<Offset>{0, 1, 1, 3}));
  EXPECT_EQ(a.col, (Array<Index>{1, 0, 1}));
  EXPECT_EQ(a.val, (Array<T>{5, 4, 5}));
}

TYPED_TEST(CsrMatrix, AddsTripletsInTheirOrder) {
  for (const Index rows : {1, 31, 600, 70000}) {
    const auto t = this->triplets(rows, 40, 200000);
    EXPECT_EQ(sums(from_triplets<TypeParam>(rows, 40, t)), this->plain_sums(t)) << rows;
  }
}

TYPED_TEST(CsrMatrix, AssemblesNothing) {
  using T = TypeParam;
  EXPECT_EQ(from_triplets<T>(0, 0, {}).nonzeros(), 0);
  EXPECT_EQ(from_triplets<T>(3, 0, {}).row_ptr, (Array<Offset>{0, 0, 0, 0}));
  EXPECT_EQ(transpose(from_triplets<T>(3, 0, {}).view()).cols, 3);
  EXPECT_EQ(canonical(Csr<T>{}.view()).rows, 0);
}

TYPED_TEST(CsrMatrix, TellsWhereEachTripletWent) {
  using T = TypeParam;
  for (const Index rows : {1, 600, 70000}) {
    const auto t = this->triplets(rows, 40, 200000);
    std::vector<Offset> where{7};
    const Csr<T> a = from_triplets(rows, 40, t, &where);
    EXPECT_EQ(a.val, from_triplets<T>(rows, 40, t).val) << rows;
    Csr<T> again = a;
    std::fill(again.val.begin(), again.val.end(), T{0});
    ASSERT_EQ(where.size(), t.size());
    for (std::size_t k = 0; k < t.size(); ++k) again.val[static_cast<std::size_t>(where[k])] += t[k].val;
    EXPECT_EQ(again.val, a.val) << rows;
  }
  std::vector<Offset> where{7};
  from_triplets<T>(3, 3, {}, &where);
  EXPECT_TRUE(where.empty());
}

TYPED_TEST(CsrMatrix, NamesTheFirstTripletOutside) {
  using T = TypeParam;
  auto t = this->triplets(10, 10, 200000);
  t[150000].col = 10;
  t[199999].row = -1;
  EXPECT_REFUSED((from_triplets<T>(10, 10, t)), "triplet 150000 at (");
  EXPECT_REFUSED((from_triplets<T>(10, 10, t)), "lies outside 10 x 10");
  EXPECT_REFUSED((from_triplets<T>(-1, 10, t)), "negative");
}

TYPED_TEST(CsrMatrix, SortsRowsAndAddsDuplicates) {
  const auto a = this->example();
  EXPECT_FALSE(is_canonical(a.view()));
  const auto c = canonical(a.view());
  EXPECT_EQ(c.row_ptr, (Array<Offset>{0, 2, 2, 5}));
  EXPECT_EQ(c.col, (Array<Index>{0, 2, 0, 1, 3}));
  EXPECT_EQ(c.val, (Array<TypeParam>{2, 4, 6, 5, 4}));
}

TYPED_TEST(CsrMatrix, CanonicalFormOfManyRowsEqualsAPlainLoop) {
  const Index rows = 3000;
  const auto t = this->triplets(rows, 50, 100000);
  // The same entries, sorted by row only: within a row they keep the order of the triplets.
  std::vector<Offset> row_ptr(rows + 1, 0);
  std::vector<Index> col;
  std::vector<TypeParam> val;
  for (Index r = 0; r < rows; ++r) {
    for (const auto& e : t) {
      if (e.row == r) {
        col.push_back(e.col);
        val.push_back(e.val);
      }
    }
    row_ptr[static_cast<std::size_t>(r) + 1] = static_cast<Offset>(col.size());
  }
  const auto a = this->make(rows, 50, row_ptr, col, val);
  EXPECT_EQ(sums(canonical(a.view())), this->plain_sums(t));
  EXPECT_EQ(sums(transpose(transpose(a.view()).view())), this->plain_sums(t));
}

TYPED_TEST(CsrMatrix, CanonicalFormIsAFixedPoint) {
  const auto a = from_triplets<TypeParam>(700, 90, this->triplets(700, 90, 5000));
  const auto c = canonical(a.view());
  EXPECT_EQ(c.row_ptr, a.row_ptr);
  EXPECT_EQ(c.col, a.col);
  EXPECT_EQ(c.val, a.val);
}

TYPED_TEST(CsrMatrix, TransposesByHand) {
  const auto t = transpose(this->make(2, 3, {0, 2, 3}, {2, 0, 2}, {1, 2, 3}).view());
  EXPECT_EQ(t.rows, 3);
  EXPECT_EQ(t.cols, 2);
  EXPECT_EQ(t.row_ptr, (Array<Offset>{0, 1, 1, 3}));
  EXPECT_EQ(t.col, (Array<Index>{0, 0, 1}));
  EXPECT_EQ(t.val, (Array<TypeParam>{2, 1, 3}));
}

TYPED_TEST(CsrMatrix, TransposedTwiceIsTheSame) {
  for (const Index rows : {1, 33, 597, 5000}) {
    const auto a = from_triplets<TypeParam>(rows, 71, this->triplets(rows, 71, 3000));
    const auto t = transpose(a.view());
    check(t.view());
    EXPECT_EQ(sums(transpose(t.view())), sums(a));
  }
}

TYPED_TEST(CsrMatrix, CheckAcceptsUnsortedRowsAndDuplicates) {
  EXPECT_NO_THROW(check(this->example().view()));
  EXPECT_NO_THROW(check(Csr<TypeParam>{}.view()));
}

TYPED_TEST(CsrMatrix, CheckNamesTheFirstRowAtFault) {
  auto a = this->example();
  a.col[4] = 4;
  EXPECT_REFUSED(check(a.view()),
                 "row 2 (counted from 0) has an entry in column 4, but there are 4 columns; are the arrays 1-based?");
  a.col[1] = -1;
  EXPECT_REFUSED(check(a.view()), "row 0 (counted from 0) has an entry in column -1");
  a = this->example();
  a.row_ptr[2] = 2;
  EXPECT_REFUSED(check(a.view()), "row 1 (counted from 0) ends before it begins");
  a.row_ptr[2] = 7;
  EXPECT_REFUSED(check(a.view()), "row 1 (counted from 0) ends at entry 7, but there are 6");
  a = this->example();
  a.row_ptr[1] = -1;
  EXPECT_REFUSED(check(a.view()), "row 0 (counted from 0) ends before it begins");
}

/// Views whose arrays don't form a matrix: a column out of range on either side, row pointers that go back or past the
/// end, and arrays of other lengths.
template <class T>
std::vector<Csr<T>> malformed() {
  const Csr<T> good = from_triplets<T>(3, 3, std::vector<Triplet<T>>{{0, 0, T{1}}, {1, 2, T{2}}, {2, 1, T{3}}});
  std::vector<Csr<T>> all(6, good);
  all[0].col[1] = 3;
  all[1].col[2] = -1;
  all[2].col[0] = 1 << 30;
  all[3].row_ptr[1] = 5;
  all[4].row_ptr[2] = 0;
  all[5].row_ptr.pop_back();
  return all;
}

TYPED_TEST(CsrMatrix, FunctionsRefuseArraysThatFormNoMatrix) {
  using T = TypeParam;
  const std::vector<Index> order = {2, 0, 1};
  for (const Csr<T>& bad : malformed<T>()) {
    EXPECT_NE(refusal([&] { transpose(bad.view()); }).find("not a CSR matrix"), std::string::npos);
    EXPECT_NE(refusal([&] { canonical(bad.view()); }).find("not a CSR matrix"), std::string::npos);
    EXPECT_NE(refusal([&] { renumber<T>(Host(), bad.view(), order); }).find("not a CSR matrix"), std::string::npos);
    EXPECT_NE(refusal([&] { breadth_first_order(bad.row_ptr, bad.col); }).find("not a CSR matrix"), std::string::npos);
    EXPECT_NE(refusal([&] { check_pattern(3, 3, bad.row_ptr, bad.col); }).find("not a CSR matrix"), std::string::npos);
    EXPECT_NE(refusal([&] { write_matrix_market("/nowhere/at/all.mtx", bad.view()); }).find("not a CSR matrix"),
              std::string::npos)
        << "before the file is opened";
  }
  EXPECT_NE(
      refusal([&] { transpose(malformed<T>()[0].view()); }).find("row 1 (counted from 0) has an entry in column 3"),
      std::string::npos);
}

TYPED_TEST(CsrMatrix, WhatWasCheckedGivesTheSame) {
  using T = TypeParam;
  const Csr<T> a = from_triplets<T>(2, 3, std::vector<Triplet<T>>{{0, 2, T{1}}, {0, 0, T{2}}, {1, 1, T{3}}});
  EXPECT_EQ(transpose(a.view()).val, transpose(a.view(), checked).val);
  EXPECT_EQ(transpose(a.view()).col, transpose(a.view(), checked).col);
  EXPECT_EQ(canonical(a.view()).val, canonical(a.view(), checked).val);
}

TYPED_TEST(CsrMatrix, CheckComparesSizes) {
  auto a = this->example();
  a.row_ptr[0] = 1;
  EXPECT_REFUSED(check(a.view()), "row 0 begins at entry 1 instead of 0; are the arrays 1-based?");
  a = this->example();
  a.row_ptr[3] = 5;
  EXPECT_REFUSED(check(a.view()), "the rows hold 5 entries, but there are 6");
  a.row_ptr.pop_back();
  EXPECT_REFUSED(check(a.view()), "3 rows need 4 row pointers, but there are 3");
  a = this->example();
  a.val.pop_back();
  EXPECT_REFUSED(check(a.view()), "6 columns stand beside 5 values");
  a.rows = -3;
  EXPECT_REFUSED(check(a.view()), "the shape -3 x 4 is negative");
}

TEST(HostSpace, RunsEveryIndexOnce) {
  const Host host;
  std::vector<int> calls(1000, 0);
  parallel_for(host, calls.size(), [&](std::size_t k) { ++calls[k]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
  parallel_for(host, 0, [&](std::size_t) { ADD_FAILURE(); });
}

TEST(HostSpace, SaysWhatItIs) {
  const Host host;
  EXPECT_GE(host.threads(), 1);
  EXPECT_NE(host.description().find(", " + std::to_string(host.threads()) + " thread"), std::string::npos);
  EXPECT_THROW(Host(-1), ArgumentError);
  EXPECT_THROW(Host(host.threads() + 1), ArgumentError);
  EXPECT_NO_THROW(Host(host.threads()));
}

TEST(HostSpace, CopiesAndZeroesWhatIsAsked) {
  const Host host;
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, (std::size_t{3} << 20) + 7}) {
    const std::vector<char> from(n, 'x');
    auto* to = static_cast<char*>(host.allocate(n + 1));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 64, 0u);
    to[n] = '!';
    host.copy(to, from.data(), n);
    EXPECT_EQ(std::vector<char>(to, to + n), from);
    host.zero(to, n);
    EXPECT_EQ(std::vector<char>(to, to + n), std::vector<char>(n, '\0'));
    EXPECT_EQ(to[n], '!');
    host.release(to);
  }
}

}  // namespace
}  // namespace ostinato
