// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/isai.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/preconditioners/triangular/isai_rows.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

#include "support/lanes.hpp"
#include "support/matrices.hpp"
#include "support/preconditioning.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

/// A lower triangular matrix whose diagonal dominates; `last` entries in its last row.
Csr<double> triangle(Index n, Index per_row, Index last, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<double>> t;
  for (Index i = 0; i < n; ++i) {
    const Index count = i + 1 == n ? last : per_row;
    for (Index k = 0; i > 0 && k < count; ++k) t.push_back({i, below(random, i), signed_unit(random) / count});
    t.push_back({i, i, (i % 2 == 0 ? 2 : -1.5) + 0.3 * signed_unit(random)});
  }
  return canonical(from_triplets<double>(n, n, t).view());
}

template <class Space>
Csr<double> downloaded(const Space& space, const SpaceCsr<Space, double>& a) {
  const CsrView<double>& v = a.view();
  Csr<double> h{v.rows, v.cols, Array<Offset>(v.row_ptr.size()), Array<Index>(v.col.size()),
                Array<double>(v.val.size())};
  space.download(h.row_ptr.data(), v.row_ptr.data(), v.row_ptr.size_bytes());
  space.download(h.col.data(), v.col.data(), v.col.size_bytes());
  space.download(h.val.data(), v.val.data(), v.val.size_bytes());
  return h;
}

/// The largest deviation of W L from the identity on the pattern of W.
double deviation(const Csr<double>& w, const Csr<double>& l) {
  double worst = 0;
  std::vector<long double> row(static_cast<std::size_t>(l.cols), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(w.rows); ++i) {
    const auto first = static_cast<std::size_t>(w.row_ptr[i]), end = static_cast<std::size_t>(w.row_ptr[i + 1]);
    std::fill(row.begin(), row.end(), 0);
    for (std::size_t k = first; k < end; ++k) {
      const auto j = static_cast<std::size_t>(w.col[k]);
      for (auto e = static_cast<std::size_t>(l.row_ptr[j]); e < static_cast<std::size_t>(l.row_ptr[j + 1]); ++e)
        row[static_cast<std::size_t>(l.col[e])] += static_cast<long double>(w.val[k]) * l.val[e];
    }
    for (std::size_t k = first; k < end; ++k) {
      const auto j = static_cast<std::size_t>(w.col[k]);
      worst = std::max(worst, std::abs(static_cast<double>(row[j]) - (j == i ? 1 : 0)));
    }
  }
  return worst;
}

template <class Case>
class IsaiOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;

  Csr<double> inverse(const Csr<double>& l, int power = 1, const StopRequest& stop = {}) const {
    const SpaceCsr<Home, double> on(this->space(), l);
    return downloaded(this->space(), incomplete_inverse(this->space(), on, power, stop));
  }
};

TYPED_TEST_SUITE(IsaiOn, EverySpace, SpaceNames);

TYPED_TEST(IsaiOn, TimesTheTriangleIsTheIdentityOnThePattern) {
  for (const Index n : {0, 1, 2, 31, 32, 33, 597}) {
    for (const int power : {1, 2}) {
      const Csr<double> l = triangle(n, 5, 7, 3), w = this->inverse(l, power);
      EXPECT_LT(deviation(w, l), 1e-13) << n << " rows, power " << power;
      if (power == 1) {
        EXPECT_EQ(w.col, l.col);
        EXPECT_EQ(w.row_ptr, l.row_ptr);
      } else if (n == 597) {
        EXPECT_GT(w.nonzeros(), 2 * l.nonzeros());
      }
    }
  }
}

TYPED_TEST(IsaiOn, TakesRowsOfAnyLength) {
  for (const Index last : {31, 32, 33, 1000, 40000}) {
    const Csr<double> l = triangle(3000, 6, last, 5);
    EXPECT_LT(deviation(this->inverse(l), l), 1e-13) << last;
  }
}

TYPED_TEST(IsaiOn, OfAFullTriangleIsTheInverse) {
  const Csr<double> l = triangle(40, 400, 400, 7), w = this->inverse(l);
  ASSERT_EQ(l.nonzeros(), 40 * 41 / 2);
  const Dense dense = dense_of(l), ours = dense_of(w);
  for (std::size_t j = 0; j < 40; ++j) {
    std::vector<long double> unit(40, 0);
    unit[j] = 1;
    const std::vector<long double> column = dense_solve(dense, unit);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(static_cast<double>(ours[i][j] - column[i]), 0, 1e-13);
  }
}

TYPED_TEST(IsaiOn, NamesTheFirstRowWithoutADiagonalEntry) {
  Csr<double> zero = triangle(33, 4, 4, 2);
  zero.val[static_cast<std::size_t>(zero.row_ptr[21] - 1)] = 0;
  EXPECT_NE(message_of<ArgumentError>([&] { this->inverse(zero); }).find(row_text(20)), std::string::npos);
  const Csr<double> none{2, 2, {0, 1, 2}, {0, 0}, {1, 1}};
  EXPECT_NE(message_of<ArgumentError>([&] { this->inverse(none); }).find(row_text(1)), std::string::npos);
  EXPECT_THROW(this->inverse(triangle(3, 1, 1, 1), 3), ArgumentError);
}

TYPED_TEST(IsaiOn, StopsWhenAsked) {
  struct Asked {
    bool stop_requested() const { return true; }
  };
  EXPECT_THROW(this->inverse(triangle(10, 2, 2, 1), 1, StopRequest(Asked{})), Stopped);
  EXPECT_EQ(message_of<Stopped>([&] { this->inverse(triangle(10, 2, 2, 1), 2, StopRequest(Asked{})); }),
            "a product of matrices was stopped");
}

struct LaneOfGroup : ThreadLane {
  static double minus_product(double a, double b, double c) { return a - b * c; }
};

TEST(IsaiCount, IsThatOfTheSquare) {
  const Host space;
  for (const Index n : {1, 2, 50, 300}) {
    const Csr<double> l = triangle(n, 3, n / 2, 7);
    const Offset entries = incomplete_inverse(space, SpaceCsr<Host, double>(space, l.view()), 2).view().nonzeros();

    EXPECT_EQ(count_square_entries(l.view(), entries), entries);
    EXPECT_GT(count_square_entries(l.view(), entries - 1), entries - 1);
  }
}

TEST(IsaiRows, GroupsOfLanesHaveTheBitsOfOneLane) {
  const Host host;
  for (const int lanes : {2, 3, 7}) {
    for (const Index n : {1, 33, 70}) {
      const Csr<double> l = triangle(n, 6, 60, 11);
      const Csr<double> w = downloaded(host, incomplete_inverse(host, SpaceCsr<Host, double>(host, l), 2));
      std::vector<double> ours(w.val.size(), std::numeric_limits<double>::quiet_NaN());
      const detail::InverseRows rows{detail::pattern_of(l.view()), l.val.data(), detail::pattern_of(w.view()),
                                     ours.data()};
      run_lanes(lanes, [&](int lane, Barrier& all) {
        for (Index i = 0; i < n; ++i) rows.invert(LaneOfGroup{lane, lanes, &all}, static_cast<std::size_t>(i));
      });
      EXPECT_TRUE(same_bits(ours, std::vector<double>(w.val.begin(), w.val.end()))) << lanes << " lanes, " << n;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
