// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/product_rows.hpp>

#include <ostinato/spmv/algebra/product.hpp>

#include "spmv/algebra/algebra_cases.hpp"
#include "support/lanes.hpp"

// The functions that a GPU runs, by a group whose lanes are threads.

namespace ostinato::test {
namespace {

constexpr int most = 48;

struct Table {
  Index slots[64], list[most];
  int counters[2];
  detail::ColumnTable columns{slots, 64, list, counters, most};
};

/// A product as on a GPU: rows in a table if they fit, else as bits.
class ByRows {
 public:
  ByRows(const Csr<double>& a, const Csr<double>& b)
      : a_(a),
        b_(b),
        words_(static_cast<std::size_t>(b.cols + 31) / 32, 0),
        c_{a.rows, b.cols, Array<Offset>(1, 0), {}, {}} {}

  Csr<double> multiply(int lanes, int width) {
    before_.resize(static_cast<std::size_t>(lanes) + 1);
    run_thread_lanes(lanes, [&](const ThreadLane& lane) { find_pattern(lane, width); });
    c_.val.resize(c_.col.size());
    scaled_.resize(static_cast<std::size_t>(lanes));
    run_thread_lanes(lanes, [&](const ThreadLane& lane) { compute_values(lane); });
    return c_;
  }

  /// The product again, by parts of the rows of A.
  Csr<double> in_parts(int lanes, int parts) {
    scaled_.resize(static_cast<std::size_t>(lanes));
    sum_slots_.resize(static_cast<std::size_t>(parts * sum_slots));
    sums_.resize(static_cast<std::size_t>(parts * sum_slots));
    run_thread_lanes(lanes, [&](const ThreadLane& lane) { compute_values_in_parts(lane, parts); });
    return c_;
  }

 private:
  void find_pattern(const ThreadLane& lane, int width) {
    const detail::CsrPattern a = detail::pattern_of(a_.view()), b = detail::pattern_of(b_.view());
    const detail::ColumnBits bits{words_.data(), static_cast<Index>(words_.size()), before_.data()};
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      Offset count = table_.columns.collect(lane, width, a, b, i);
      const bool fits = count <= most;
      if (!fits) count = bits.collect(lane, width, a, b, i);
      lane.sync();
      if (lane.lane() == 0) {
        c_.col.resize(c_.col.size() + static_cast<std::size_t>(count));
        c_.row_ptr.push_back(c_.row_ptr.back() + count);
      }
      lane.sync();
      Index* const col = c_.col.data() + c_.row_ptr[i];
      if (fits) {
        table_.columns.write(lane, col);
      } else {
        bits.write(lane, col);
        bits.clear(lane);
      }
      lane.sync();
    }
  }

  /// Adds up every second row in a table, the others in the matrix itself.
  void compute_values(const ThreadLane& lane) {
    const detail::ProductValues<double> product = values();
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.rows); ++i) {
      if (i % 2 == 0 || product.c.length(i) >= sum_slots) {
        product.multiply(lane, i, c_.val.data() + c_.row_ptr[i], scaled_.data());
      } else {
        product.add_part(lane, i, 0, 1, table());
        product.write(lane, i, 0, 1, table());
      }
    }
  }

  /// Adds up all rows in as many tables.
  void compute_values_in_parts(const ThreadLane& lane, int parts) {
    const detail::ProductValues<double> product = values();
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.rows); ++i) {
      for (int part = 0; part < parts; ++part) {
        detail::SumTable<double> of_part = table().after(part);
        of_part.scaled = scaled_.data();
        product.add_part(lane, i, part, parts, of_part);
      }
      for (int part = 0; part < parts; ++part) product.write(lane, i, part, parts, table());
    }
  }

  detail::ProductValues<double> values() {
    return {detail::pattern_of(a_.view()), a_.val.data(), detail::pattern_of(b_.view()), b_.val.data(),
            detail::pattern_of(c_.view()), c_.val.data()};
  }
  detail::SumTable<double> table() { return {sum_slots_.data(), sums_.data(), sum_slots, scaled_.data()}; }

  const Csr<double>&a_, &b_;
  Table table_;
  std::vector<std::uint32_t> words_;
  std::vector<Offset> before_;
  static constexpr int sum_slots = 256;
  std::vector<Index> sum_slots_ = std::vector<Index>(sum_slots);
  std::vector<double> sums_ = std::vector<double>(sum_slots);
  std::vector<detail::ScaledRow<double>> scaled_;
  Csr<double> c_;
};

void expect_bits_of_host(Index m, Index n, int lanes, int width) {
  const Host host;
  for (const Csr<double>& a : matrices_of<double>(m, 33, 1)) {
    for (const Csr<double>& b : matrices_of<double>(33, n, 2)) {
      const SpaceCsr<Host, double> left(host, a), right(host, b);
      EXPECT_TRUE(same_bits(ByRows(a, b).multiply(lanes, width), downloaded(host, multiply(host, left, right))))
          << m << " x 33 times 33 x " << n << " with " << lanes << " lanes, " << width << " of them for a row of B";
    }
  }
}

TEST(ProductRows, OneLaneHasTheBitsOfTheHost) {
  for (const Index m : algebra_sizes) {
    for (const Index n : algebra_sizes) expect_bits_of_host(m, n, 1, 1);
  }
}

TEST(ProductRows, SeveralLanesHaveTheBitsOfTheHost) {
  expect_bits_of_host(5, 597, 2, 1);
  expect_bits_of_host(5, 597, 2, 2);
  expect_bits_of_host(5, 597, 4, 2);
}

TEST(ProductRows, PartsOfRowsAddUpToTheProduct) {
  const Host host;
  for (const Csr<double>& a : matrices_of<double>(5, 33, 1)) {
    for (const Csr<double>& b : matrices_of<double>(33, 150, 2)) {
      const SpaceCsr<Host, double> left(host, a), right(host, b);
      const Csr<double> whole = downloaded(host, multiply(host, left, right));
      const ReferenceMatrix reference = reference_product(reference_of(a.view()), reference_of(b.view()));
      ByRows by_rows(a, b);
      by_rows.multiply(2, 2);
      for (const int parts : {2, 8}) {
        EXPECT_EQ(difference(by_rows.in_parts(2, parts), reference, 64), "") << parts << " parts";
      }
      EXPECT_TRUE(same_bits(by_rows.in_parts(2, 1), whole));
    }
  }
}

TEST(ProductRows, TableTakesAsManyColumnsAsItSays) {
  const Csr<double> a = dense<double>({{1}});
  for (const Index n : {most - 1, most, most + 1, most + 20}) {
    const Csr<double> b = with_dense_row<double>(1, n, 0, 3);
    for (const int lanes : {1, 4}) {
      Table table;
      std::vector<int> found(static_cast<std::size_t>(lanes));
      run_thread_lanes(lanes, [&](const ThreadLane& lane) {
        found[static_cast<std::size_t>(lane.lane())] =
            table.columns.collect(lane, lanes, detail::pattern_of(a.view()), detail::pattern_of(b.view()), 0);
      });

      for (const int count : found) {
        EXPECT_EQ(count, found[0]);
        EXPECT_EQ(std::min<Index>(count, most + 1), std::min<Index>(n, most + 1));
      }
    }
  }
}

}  // namespace
}  // namespace ostinato::test
