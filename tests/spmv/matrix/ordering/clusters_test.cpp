// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/ordering/clusters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/renumber.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class ClusterOrder : public SpaceTest<Case> {
 protected:
  template <class T>
  std::vector<Index> order_of(const Csr<T>& a) const {
    const auto row_ptr = this->template put<Offset>({a.row_ptr.begin(), a.row_ptr.end()});
    const auto col = this->template put<Index>({a.col.begin(), a.col.end()});
    return cluster_order(this->space(), row_ptr.span(), col.span()).download();
  }
};

TYPED_TEST_SUITE(ClusterOrder, EverySpace, SpaceNames);

bool has_each_row_once(std::vector<Index> order, Index rows) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<Index>(i)) return false;
  }
  return order.size() == static_cast<std::size_t>(rows);
}

TYPED_TEST(ClusterOrder, HasEachRowOnce) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 32, 33, 597, 5000}) {
    EXPECT_TRUE(has_each_row_once(this->order_of(scattered<T>(n, n, 3, true, 4)), n)) << n;
    EXPECT_TRUE(has_each_row_once(this->order_of(stencil<T>(n, n, 1, 4)), n)) << n;
    if (n == 0) continue;
    EXPECT_TRUE(has_each_row_once(this->order_of(with_dense_row<T>(n, n, n / 2, 4)), n)) << n;
  }
}

TYPED_TEST(ClusterOrder, IsTheSameOnEveryRunAndInBothSpaces) {
  using T = typename TypeParam::T;
  for (const char* family : {"poisson3d", "mesh2d"}) {
    const Csr<T> a = generate<T>(family, {.n = 30, .renumbered = true});
    const std::vector<Index> first = this->order_of(a);
    const auto on_host = cluster_order(Host(), std::span<const Offset>(a.row_ptr), std::span<const Index>(a.col));
    for (int run = 0; run < 3; ++run) EXPECT_EQ(this->order_of(a), first) << family;
    EXPECT_EQ(first, on_host.download()) << family;
  }
}

TYPED_TEST(ClusterOrder, BringsNeighboursNearEachOther) {
  using T = typename TypeParam::T;
  for (const char* family : {"poisson2d", "poisson3d", "mesh3d"}) {
    const Csr<T> a = generate<T>(family, {.n = family[7] == '2' ? 150 : 25, .renumbered = true});
    const std::vector<Index> order = this->order_of(a);
    const Csr<T> b = renumber<T>(Host(), a, order);
    const double before = analyse(Host(), a.view()).profile->sectors, now = analyse(Host(), b.view()).profile->sectors;
    EXPECT_LT(now, 0.7 * before) << family;
  }
}

TYPED_TEST(ClusterOrder, LeavesRowsThatNothingLeadsToAtTheEnd) {
  using T = typename TypeParam::T;
  // A diagonal matrix: only the first rows of clusters are reached, one of every 32.
  const Index n = 320;
  const std::vector<Index> order = this->order_of(from_triplets<T>(n, n, [&] {
    std::vector<Triplet<T>> t;
    for (Index i = 0; i < n; ++i) t.push_back({i, i, T{1}});
    return t;
  }()));
  EXPECT_TRUE(has_each_row_once(order, n));
  EXPECT_TRUE(std::is_sorted(order.begin() + 11, order.end()));
}

}  // namespace
}  // namespace ostinato::test
