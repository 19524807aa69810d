// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/product_rows.hpp>

#include <atomic>

#include <ostinato/spmv/matrix/algebra/product.hpp>

#include "spmv/matrix/algebra/algebra_cases.hpp"
#include "support/lanes.hpp"

// The functions that a GPU runs, by a group whose lanes are threads.

namespace ostinato::test {
namespace {

struct ThreadLane {
  int number, count;
  Barrier* all;

  int lane() const { return number; }
  int lanes() const { return count; }
  void sync() const { all->arrive_and_wait(); }
  template <class I>
  static I load(const I* p) {
    return std::atomic_ref<I>(*const_cast<I*>(p)).load();
  }
  static Index swap_if(Index* p, Index old, Index v) {
    std::atomic_ref<Index>(*p).compare_exchange_strong(old, v);
    return old;
  }
  static int add(int* p, int v) { return std::atomic_ref<int>(*p).fetch_add(v); }
  static void set_bit(std::uint32_t* p, std::uint32_t bit) { std::atomic_ref<std::uint32_t>(*p).fetch_or(bit); }
};

/// Calls f(lane) on each of `lanes` threads.
template <class F>
void run_thread_lanes(int lanes, F f) {
  run_lanes(lanes, [&f, lanes](int number, Barrier& all) { f(ThreadLane{number, lanes, &all}); });
}

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
        sums_(static_cast<std::size_t>(b.cols)),
        c_{a.rows, b.cols, Array<Offset>(1, 0), {}, {}} {}

  Csr<double> multiply(int lanes, int width) {
    before_.resize(static_cast<std::size_t>(lanes) + 1);
    run_thread_lanes(lanes, [&](const ThreadLane& lane) { find_pattern(lane, width); });
    c_.val.resize(c_.col.size());
    run_thread_lanes(lanes, [&](const ThreadLane& lane) { compute_values(lane); });
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

  /// Adds up every second row in the matrix itself.
  void compute_values(const ThreadLane& lane) {
    const detail::ProductValues<double> product{detail::pattern_of(a_.view()), a_.val.data(),
                                                detail::pattern_of(b_.view()), b_.val.data(),
                                                detail::pattern_of(c_.view()), c_.val.data()};
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.rows); ++i)
      product.multiply(lane, i, i % 2 == 0 ? sums_.data() : c_.val.data() + c_.row_ptr[i]);
  }

  const Csr<double>&a_, &b_;
  Table table_;
  std::vector<std::uint32_t> words_;
  std::vector<Offset> before_;
  std::vector<double> sums_;
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
