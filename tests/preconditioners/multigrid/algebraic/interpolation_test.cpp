// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/spmv/base/error.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "spmv/algebra/algebra_cases.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

using Row = std::map<Index, double>;

/// A matrix as maps, with the strong entries and the splitting of a coarsening.
struct Reference {
  std::vector<Row> a, strong;
  std::vector<bool> is_coarse;
  std::vector<Index> number;

  double at(Index i, Index j) const {
    const Row& row = a[static_cast<std::size_t>(i)];
    const auto found = row.find(j);
    return found == row.end() ? 0 : found->second;
  }

  /// The row of the interpolation of i, from the formulas, in double and without truncation.
  Row interpolated(Index i) const {
    const auto self = static_cast<std::size_t>(i);
    if (is_coarse[self]) return {{number[self], 1}};
    double theta = 0;
    Row row;
    for (const auto& [j, v] : a[self])
      if (strong[self].count(j) == 0) theta += v;
    for (const auto& [j, v] : strong[self]) {
      const auto other = static_cast<std::size_t>(j);
      if (is_coarse[other]) {
        row[number[other]] += v;
        continue;
      }
      double beta = 0;
      for (const auto& [k, w] : strong[other])
        if (is_coarse[static_cast<std::size_t>(k)]) beta += w;
      const double back = at(j, i) * at(j, j) < 0 ? at(j, i) : 0;
      if (beta + back == 0) {
        theta += v;
        continue;
      }
      theta += back * v / (beta + back);
      for (const auto& [k, w] : strong[other])
        if (is_coarse[static_cast<std::size_t>(k)]) row[number[static_cast<std::size_t>(k)]] += v / (beta + back) * w;
    }
    if (!(theta * at(i, i) > 0)) theta = at(i, i);
    for (auto& [k, w] : row) w = theta == 0 ? 0 : w / -theta;
    return row;
  }
};

template <class Case>
class InterpolationOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  struct Made {
    Reference reference;
    std::vector<Row> p;
    Index cols;
  };

  Made make(const Csr<Value>& a, int most) const {
    const SpaceCsr<Home, Value> on_space(this->space(), Csr<Value>(a));
    const auto c = algebraic::coarsen(this->space(), on_space.view());
    return made(a, c, algebraic::interpolation(this->space(), on_space.view(), c, most));
  }

  Made made(const Csr<Value>& a, const algebraic::Coarsening<Home>& c, const SpaceCsr<Home, Value>& p) const {
    const std::vector<std::uint8_t> strong = c.strong.download();
    const std::vector<std::int32_t> split = c.split.download();
    const std::vector<Offset> number = c.number.download();
    Made made{{rows_of(a.view()), {}, {}, {}}, rows_of(host(p).view()), p.view().cols};
    for (std::size_t i = 0; i < split.size(); ++i) {
      made.reference.is_coarse.push_back(split[i] == algebraic::coarse);
      made.reference.number.push_back(static_cast<Index>(number[i]));
      Row row;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        if (strong[k]) row[a.col[k]] = static_cast<double>(a.val[k]);
      made.reference.strong.push_back(row);
    }
    return made;
  }

  static std::vector<Row> rows_of(const CsrView<Value>& a) {
    std::vector<Row> rows(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        rows[i][a.col[k]] = static_cast<double>(a.val[k]);
    }
    return rows;
  }

  Csr<Value> host(const SpaceCsr<Home, Value>& a) const {
    Csr<Value> h = downloaded(this->space(), a);
    EXPECT_TRUE(is_canonical(h.view()));
    return h;
  }
};

TYPED_TEST_SUITE(InterpolationOn, EverySpace, SpaceNames);

TYPED_TEST(InterpolationOn, FollowsTheFormula) {
  using T = typename TypeParam::T;
  const double eps = std::numeric_limits<T>::epsilon();
  std::vector<Csr<T>> matrices = {generate<T>("poisson2d", {.n = 12}), generate<T>("convection-diffusion2d", {.n = 9}),
                                  times(renumbered(generate<T>("poisson2d", {.n = 9})), -1)};
  for (const Index n : {1, 31, 33, 597}) {
    matrices.push_back(graph_laplacian<T>(n, 1, 1, 0, 7));
    matrices.push_back(graph_laplacian<T>(n, 1, 1, 0.1, 8, 5));
  }
  int compared = 0;
  for (const auto& a : matrices) {
    const auto made = this->make(a, 16);
    for (Index i = 0; i < a.rows; ++i) {
      const Row want = made.reference.interpolated(i);
      const Row& found = made.p[static_cast<std::size_t>(i)];
      if (want.size() > 16) continue;  // truncated
      ++compared;
      ASSERT_EQ(found.size(), want.size()) << "row " << i << " of " << a.rows;
      double size = 0;
      for (const auto& [j, w] : want) size = std::max(size, std::abs(w));
      for (const auto& [j, w] : want) EXPECT_NEAR(found.at(j), w, 1000 * eps * std::max(size, 1.0)) << "row " << i;
    }
  }
  EXPECT_GT(compared, 1000);
}

/// Rows whose sum is 0 interpolate constants exactly, so that the coarse grid sees what the smoother can't.
TYPED_TEST(InterpolationOn, KeepsConstants) {
  using T = typename TypeParam::T;
  const auto a = graph_laplacian<T>(500, 3, 1, 0, 3);
  const auto made = this->make(a, 4);
  int interpolated = 0;
  for (const Row& row : made.p) {
    EXPECT_LE(row.size(), 4u);
    double total = 0;
    for (const auto& [j, w] : row) total += w;
    EXPECT_NEAR(total, row.empty() ? 0 : 1, 200 * std::numeric_limits<T>::epsilon());
    interpolated += !row.empty();
  }
  EXPECT_GT(interpolated, 450);
}

TYPED_TEST(InterpolationOn, TruncatesToTheLargestEntries) {
  using T = typename TypeParam::T;
  const auto a = graph_laplacian<T>(300, 4, 1, 0.01, 5);
  const auto whole = this->make(a, 16), cut = this->make(a, 3);
  int truncated = 0;
  for (std::size_t i = 0; i < whole.p.size(); ++i) {
    if (whole.p[i].size() >= 16) continue;  // may have been truncated itself
    double all = 0, kept = 0, smallest = HUGE_VAL;
    for (const auto& [j, w] : whole.p[i]) all += w;
    for (const auto& [j, w] : cut.p[i]) {
      ASSERT_EQ(whole.p[i].count(j), 1u);
      kept += w;
      smallest = std::min(smallest, std::abs(whole.p[i].at(j)));
    }
    ASSERT_EQ(cut.p[i].size(), std::min<std::size_t>(3, whole.p[i].size()));
    if (cut.p[i].empty()) continue;
    EXPECT_NEAR(kept, all, 200 * std::numeric_limits<T>::epsilon());
    for (const auto& [j, w] : whole.p[i]) EXPECT_TRUE(cut.p[i].count(j) == 1 || std::abs(w) <= smallest);
    truncated += whole.p[i].size() > 3;
  }
  EXPECT_GT(truncated, 20);
}

TYPED_TEST(InterpolationOn, RefusesALengthOfRowsThatHasNoRoom) {
  using T = typename TypeParam::T;
  const auto a = graph_laplacian<T>(10, 2, 0, 0, 1);
  EXPECT_THROW(this->make(a, 0), ArgumentError);
  EXPECT_THROW(this->make(a, 17), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
