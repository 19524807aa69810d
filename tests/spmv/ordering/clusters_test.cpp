// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/clusters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>

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

/// One step of all clusters: those that the step before has given rows give them to whoever has none.
std::vector<Index> step_of(const std::vector<Index>& cluster, const std::vector<bool>& is_new,
                           const CsrView<float>& a) {
  std::vector<Index> next(cluster);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    if (!is_new[i] || end - begin > 1024) continue;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const auto j = static_cast<std::size_t>(a.col[k]);
      if (cluster[j] < 0) next[j] = std::max(next[j], cluster[i]);
    }
  }
  return next;
}

/// The cluster of each row, one after the other; -1: none.
std::vector<Index> clusters_of(const Csr<float>& a, Index size) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<Index> cluster(n, -1);
  for (Index c = 0; c * size < a.rows; ++c) {
    auto h = static_cast<std::uint32_t>(c);
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    const auto own = static_cast<std::uint32_t>(std::min(size, a.rows - c * size));
    cluster[static_cast<std::size_t>(c * size) + h % own] = c;
  }
  std::vector<bool> is_new(n);
  for (std::size_t i = 0; i < n; ++i) is_new[i] = cluster[i] >= 0;
  auto left = n + 1;
  for (int step = 1; step < 256;) {
    for (const int end = std::min(step + 8, 256); step < end; ++step) {
      const std::vector<Index> next = step_of(cluster, is_new, a.view());
      for (std::size_t i = 0; i < n; ++i) is_new[i] = cluster[i] < 0 && next[i] >= 0;
      cluster = next;
    }
    const auto now = static_cast<std::size_t>(std::count(cluster.begin(), cluster.end(), -1));
    if (now <= n / 256 || now == left) break;
    left = now;
  }
  return cluster;
}

/// The order, one row after the other.
template <class T>
std::vector<Index> reference_order(const Csr<T>& a) {
  const Csr<float> pattern{a.rows, a.cols, a.row_ptr, a.col, Array<float>(a.col.size(), 1.0f)};
  std::vector<Index> order(static_cast<std::size_t>(a.rows));
  std::iota(order.begin(), order.end(), 0);
  for (const Index size : {128, 2048}) {
    const std::vector<Index> cluster = clusters_of(pattern, size);
    const auto key = [&](Index i) { return static_cast<std::uint32_t>(cluster[static_cast<std::size_t>(i)]); };
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return key(i) < key(j); });
  }
  return order;
}

/// Rows of 1,024 and 1,025 entries from a random column on, others of 2.
template <class T>
Csr<T> with_long_rows(Index n) {
  Random random(7);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    const Index entries = i % 50 == 0 ? 1024 : i % 50 == 25 ? 1025 : 2, first = below(random, n);
    for (Index k = 0; k < entries; ++k) t.push_back({i, (first + k) % n, T{1}});
  }
  return from_triplets<T>(n, n, t);
}

TYPED_TEST(ClusterOrder, IsThatOfOneRowAfterTheOther) {
  using T = typename TypeParam::T;
  const auto expect_reference = [&](const std::string& what, const Csr<T>& a) {
    const std::vector<Index> order = this->order_of(a);
    EXPECT_TRUE(has_each_row_once(order, a.rows)) << what;
    EXPECT_EQ(order, reference_order(a)) << what;
  };
  for (const Index n : {0, 1, 2, 31, 32, 33, 597, 2048, 2049, 5000}) {
    const std::string size = " " + std::to_string(n);
    expect_reference("scattered" + size, scattered<T>(n, n, 3, true, 4));
    expect_reference("chain" + size, stencil<T>(n, n, 1, 4));
    if (n > 0) expect_reference("dense row" + size, with_dense_row<T>(n, n, n / 2, 4));
    expect_reference("no entries" + size, from_triplets<T>(n, n, std::vector<Triplet<T>>{}));
  }
  expect_reference("long rows", with_long_rows<T>(3000));
  for (const char* family : {"poisson3d", "mesh2d"})
    expect_reference(family, generate<T>(family, {.n = 30, .renumbered = true}));
}

TYPED_TEST(ClusterOrder, IsTheSameOnEveryRun) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("mesh3d", {.n = 20, .renumbered = true});
  const std::vector<Index> first = this->order_of(a);
  for (int run = 0; run < 5; ++run) EXPECT_EQ(this->order_of(a), first);
}

TYPED_TEST(ClusterOrder, BringsNeighboursNearEachOther) {
  using T = typename TypeParam::T;
  for (const auto& [family, points] : {std::pair{"poisson2d", 150}, {"poisson3d", 25}, {"mesh3d", 25}}) {
    const Csr<T> a = generate<T>(family, {.n = points, .renumbered = true});
    const std::vector<Index> order = this->order_of(a);
    const Csr<T> b = renumber<T>(Host(), a, order);
    const double before = analyse(Host(), a.view()).profile->sectors, now = analyse(Host(), b.view()).profile->sectors;
    EXPECT_LT(now, 0.8 * before) << family;
  }
}

}  // namespace
}  // namespace ostinato::test
