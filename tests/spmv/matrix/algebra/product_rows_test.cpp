// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/product_rows.hpp>

#include <ostinato/spmv/matrix/algebra/product.hpp>

#include "spmv/matrix/algebra/algebra_cases.hpp"

// The functions that a GPU runs, by a group of one lane.

namespace ostinato::test {
namespace {

struct OneLane {
  static int lane() { return 0; }
  static int lanes() { return 1; }
  static void sync() {}
  template <class I>
  static I load(const I* p) {
    return *p;
  }
  static Index swap_if(Index* p, Index old, Index v) {
    const Index seen = *p;
    if (seen == old) *p = v;
    return seen;
  }
  static int add(int* p, int v) {
    *p += v;
    return *p - v;
  }
  static void set_bit(std::uint32_t* p, std::uint32_t bit) { *p |= bit; }
};

constexpr int most = 48;

struct Table {
  Index slots[64], list[most];
  int counters[2];
  detail::ColumnTable columns{slots, 64, list, counters, most};
};

/// A B as on a GPU: rows in a table if they fit, else as bits.
Csr<double> multiply_by_rows(const Csr<double>& a, const Csr<double>& b) {
  const OneLane lane;
  const detail::CsrPattern left = detail::pattern_of(a.view()), right = detail::pattern_of(b.view());
  Table table;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(b.cols + 31) / 32, 0);
  Offset before[2];
  const detail::ColumnBits bits{words.data(), static_cast<Index>(words.size()), before};
  Csr<double> c{a.rows, b.cols, Array<Offset>(1, 0), {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(c.col.size());
    Offset count = table.columns.collect(lane, 1, left, right, i);
    const bool fits = count <= most;
    if (!fits) count = bits.collect(lane, 1, left, right, i);
    c.col.resize(c.col.size() + static_cast<std::size_t>(count));
    if (fits) {
      table.columns.write(lane, c.col.data() + begin);
    } else {
      bits.write(lane, c.col.data() + begin);
      bits.clear(lane);
    }
    c.row_ptr.push_back(static_cast<Offset>(c.col.size()));
  }
  c.val.resize(c.col.size());
  const detail::ProductValues<double> product{
      left, a.val.data(), right, b.val.data(), detail::pattern_of(c.view()), c.val.data()};
  std::vector<double> sums(static_cast<std::size_t>(b.cols));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
    product.multiply(lane, i, i % 2 == 0 ? sums.data() : c.val.data() + c.row_ptr[i]);
  return c;
}

TEST(ProductRows, OneLaneHasTheBitsOfTheHost) {
  const Host host;
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) {
      for (const Csr<double>& a : matrices_of<double>(m, 33, 1)) {
        for (const Csr<double>& b : matrices_of<double>(33, n, 2)) {
          const SpaceCsr<Host, double> left(host, a), right(host, b);
          EXPECT_TRUE(same_bits(multiply_by_rows(a, b), downloaded(host, multiply(host, left, right))))
              << m << " x 33 times 33 x " << n;
        }
      }
    }
  }
}

TEST(ProductRows, TableTakesAsManyColumnsAsItSays) {
  for (const Index n : {most - 1, most, most + 1, most + 20}) {
    const Csr<double> a = dense<double>({{1}}), b = with_dense_row<double>(1, n, 0, 3);
    Table table;

    const int found =
        table.columns.collect(OneLane{}, 1, detail::pattern_of(a.view()), detail::pattern_of(b.view()), 0);

    EXPECT_EQ(found, std::min(n, most + 1));
  }
}

}  // namespace
}  // namespace ostinato::test
