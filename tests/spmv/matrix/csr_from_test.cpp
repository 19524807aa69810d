// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/csr_from.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"

namespace ostinato::test {
namespace {

template <class I, class Array>
std::vector<I> as(const Array& from, int base) {
  std::vector<I> to;
  for (const auto value : from) to.push_back(static_cast<I>(value + base));
  return to;
}

template <class T>
void expect_same(const Csr<T>& a, const Csr<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(a.val, b.val);
}

/// Every way in, from pointers P and indices I.
template <class P, class I, class T>
void expect_every_way(const Csr<T>& a, int base) {
  expect_same(csr_from(a.rows, a.cols, as<P>(a.row_ptr, base), as<I>(a.col, base), a.val, base), a);
  const Csr<T> by_columns = transpose(a.view());
  expect_same(
      csr_from_csc(a.rows, a.cols, as<P>(by_columns.row_ptr, base), as<I>(by_columns.col, base), by_columns.val, base),
      a);
  std::vector<I> row;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      row.push_back(static_cast<I>(i + base));
  }
  expect_same(csr_from_coo(a.rows, a.cols, row, as<I>(a.col, base), a.val, base), a);
}

const Csr<double> small = dense<double>({{1, 0, 2}, {0, 0, 0}, {0, 3, 4}, {5, 0, 0}});

TEST(CsrFrom, TakesIntegersOfEveryWidthFromBothBases) {
  for (const int base : {0, 1}) {
    expect_every_way<std::int8_t, std::uint8_t>(small, base);
    expect_every_way<std::uint16_t, std::int16_t>(small, base);
    expect_every_way<int, int>(small, base);
    expect_every_way<unsigned, long long>(small, base);
    expect_every_way<std::size_t, std::size_t>(small, base);
    expect_every_way<Offset, Index>(dense<float>({{0, 1}, {2, 0}}), base);
    expect_every_way<int, int>(generate<double>("random", {.n = 3000}), base);
    expect_every_way<int, int>(Csr<double>{}, base);
  }
}

TEST(CsrFrom, KeepsUnsortedRowsAndAddsDuplicatesOfCoordinates) {
  const std::vector<int> ptr{0, 3}, col{1, 0, 1}, row{0, 0, 0};
  const std::vector<double> val{1, 2, 4};
  EXPECT_EQ(csr_from(1, 2, ptr, col, val).col, (Array<Index>{1, 0, 1}));
  EXPECT_EQ(csr_from_coo(1, 2, row, col, val).val, (Array<double>{2, 5}));
}

TEST(CsrFrom, NamesTheRowAtFaultAndAsksForTheBase) {
  const std::vector<double> val{1, 2, 3};
  const auto text = [&](std::vector<std::int64_t> ptr, std::vector<std::int64_t> col, int base) {
    return message_of<ArgumentError>([&] { csr_from(2, 3, ptr, col, val, base); });
  };
  EXPECT_EQ(text({0, 1, 3}, {0, 1, 3}, 0),
            "csr_from: row 1 (counted from 0) has an entry in column 3, but there are 3 columns; are the arrays "
            "1-based? Then give base 1");
  EXPECT_EQ(text({0, 1, 3}, {0, 5000000000, 1}, 0),
            "csr_from: row 1 (counted from 0) has an entry in column 5000000000, but there are 3 columns");
  EXPECT_EQ(
      text({1, 2, 4}, {1, 0, 3}, 1),
      "csr_from: row 2 (counted from 1) has an entry in column 0, but there are 3 columns; are the arrays 0-based? "
      "Then give base 0");
  EXPECT_EQ(text({1, 2, 4}, {1, 2, 3}, 0),
            "csr_from: row 0 begins at entry 1 instead of 0; are the arrays 1-based? Then give base 1");
  EXPECT_EQ(text({0, 1, 3}, {1, 2, 3}, 1),
            "csr_from: row 0 begins at entry 0 instead of 1; are the arrays 0-based? Then give base 0");
  EXPECT_EQ(text({0, 2, 1}, {0, 1, 2}, 0), "csr_from: row 1 (counted from 0) ends before it begins");
  EXPECT_EQ(text({0, 2, 4}, {0, 1, 2}, 0), "csr_from: row 1 (counted from 0) ends at entry 4, but there are 3");
  EXPECT_EQ(text({0, 2, 2}, {0, 1, 2}, 0), "csr_from: the rows hold 2 entries, but there are 3");
  EXPECT_EQ(text({0, 3}, {0, 1, 2}, 0), "csr_from: 2 rows need 3 pointers, but there are 2");
  EXPECT_EQ(text({0, 1, 3}, {0, 1}, 0), "csr_from: 2 indices stand beside 3 values");
  EXPECT_EQ(text({0, 1, 3}, {0, 1, 2}, 2), "csr_from: base is 2; it is 0 or 1");
}

TEST(CsrFrom, NamesTheColumnOrTheEntryAtFault) {
  const std::vector<int> ptr{0, 1, 2}, index{0, 3};
  const std::vector<float> val{1, 2};
  EXPECT_EQ(message_of<ArgumentError>([&] { csr_from_csc(3, 2, ptr, index, val); }),
            "csr_from_csc: column 1 (counted from 0) has an entry in row 3, but there are 3 rows; are the arrays "
            "1-based? Then give base 1");
  EXPECT_EQ(message_of<ArgumentError>([&] { csr_from_coo(4, 3, index, index, val); }),
            "csr_from_coo: entry 1 at (3, 3) lies outside 4 x 3; are the arrays 1-based? Then give base 1");
}

TEST(CsrFrom, RefusesWhatAnIndexDoesNotHold) {
  const std::vector<std::uint64_t> ptr{0, std::numeric_limits<std::uint64_t>::max()}, none{0, 0}, far{1ull << 63};
  const std::vector<double> empty, one{1};
  EXPECT_NE(message_of<ArgumentError>([&] { csr_from(1, Offset{1} << 31, none, std::vector<int>{}, empty); }), "");
  EXPECT_EQ(message_of<ArgumentError>([&] { csr_from(1, 1, ptr, far, one); }),
            "csr_from: row 0 (counted from 0) ends at entry 18446744073709551615, but there are 1");
  EXPECT_NE(message_of<ArgumentError>([&] { csr_from(1, 1, std::vector<int>{0, 1}, far, one); }), "");
}

TEST(CsrFrom, NamesIntegersAtTheEndsOfTheirRange) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  const std::vector<double> one{1};
  const auto text = [&](const auto& ptr, const auto& index, int base) {
    return message_of<ArgumentError>([&] { csr_from(1, 1, ptr, index, one, base); });
  };
  using Signed = std::vector<std::int64_t>;
  using Unsigned = std::vector<std::uint64_t>;
  for (const int base : {0, 1}) {
    const std::string row = "csr_from: row " + std::to_string(base) + " (counted from " + std::to_string(base) + ")";
    const Signed whole{base, base + 1}, first{base};
    const Unsigned up_to_largest{static_cast<std::uint64_t>(base), largest};
    EXPECT_EQ(text(Signed{base, least}, first, base), row + " ends before it begins");
    EXPECT_EQ(text(Signed{base, most}, first, base), row + " ends at entry 9223372036854775807, but there are 1");
    EXPECT_EQ(text(up_to_largest, first, base), row + " ends at entry 18446744073709551615, but there are 1");
    for (const std::int64_t end : {least, most})
      EXPECT_EQ(text(whole, Signed{end}, base),
                row + " has an entry in column " + std::to_string(end) + ", but there are 1 columns");
    EXPECT_EQ(text(whole, Unsigned{largest}, base),
              row + " has an entry in column 18446744073709551615, but there are 1 columns");
    EXPECT_EQ(message_of<ArgumentError>([&] { csr_from_coo(1, 1, Signed{least}, Unsigned{largest}, one, base); }),
              "csr_from_coo: entry 0 at (-9223372036854775808, 18446744073709551615) lies outside 1 x 1");
  }
  EXPECT_EQ(text(Signed{least, 1}, Signed{0}, 1), "csr_from: row 0 begins at entry -9223372036854775808 instead of 1");
}

TEST(CsrView, LendsArraysOfItsOwnWidths) {
  const CsrView<double> view = csr_view(small.rows, small.cols, small.row_ptr, small.col, small.val);
  EXPECT_EQ(view.row_ptr.data(), small.row_ptr.data());
  EXPECT_EQ(view.col.data(), small.col.data());
  EXPECT_EQ(view.val.data(), small.val.data());
  EXPECT_NO_THROW(check(view));
}

TEST(CsrView, RefusesMoreRowsThanIndexCounts) {
  const std::vector<Offset> none{0};
  EXPECT_EQ(message_of<ArgumentError>([&] { csr_view(Offset{1} << 32, 0, none, small.col, small.val); }),
            "csr_view: the matrix is 4294967296 x 0; rows and columns are at least 0 and at most 2147483647");
}

/// A view with gaps, as Kokkos says it.
struct Strided {
  double* data() const { return nullptr; }
  std::size_t size() const { return 3; }
  bool span_is_contiguous() const { return false; }
};

TEST(SpanOf, TakesContainersWithoutGaps) {
  std::vector<double> v(3);
  const std::vector<double> fixed(2);
  int plain[4] = {};
  EXPECT_EQ(span_of(v).data(), v.data());
  static_assert(std::is_same_v<decltype(span_of(fixed)), std::span<const double>>);
  EXPECT_EQ(span_of(plain).size(), 4u);
  EXPECT_THROW(span_of(Strided{}), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
