// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/clusters.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <ostinato/spmv/ordering/clusters_steps.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/sort_by_key.hpp>

namespace ostinato {

namespace {

constexpr Index most_steps = 256, steps_at_once = 8;

/// Lets the clusters grow until hardly a row is left or a batch of steps reaches none. The last few rows would take as
/// many steps as all others.
template <class Space>
void grow(const Space& space, const detail::CsrPattern& a, const detail::ClusterMarks& marks,
          Vector<Space, Index>& mark) {
  Vector<Space, double> slot(space, 1);
  double left = std::numeric_limits<double>::infinity();
  for (Index step = 1; step < marks.steps;) {
    const Index end = std::min(step + steps_at_once, marks.steps);
    for (; step < end; ++step)
      for_each(space, mark.size(), detail::SpreadClusters<Atomic<Space>>{marks, a, step, mark.data()});
    sum(space, mark.size(), detail::CountUnreached{mark.data()}, slot.data());
    const double before = std::exchange(left, slot.download()[0]);
    constexpr double few = 1.0 / 256;  // of the rows
    if (left <= few * static_cast<double>(a.rows) || left == before) return;
  }
}

/// Sorts the rows by clusters of this size, and keeps the order within a cluster.
template <class Space>
void sort_by_clusters(const Space& space, const detail::CsrPattern& a, Index rows_of_cluster,
                      Vector<Space, Index>& order) {
  const Index clusters = (a.rows - 1) / rows_of_cluster + 1;
  const detail::ClusterMarks marks{clusters, std::min(most_steps, std::numeric_limits<Index>::max() / (clusters + 1))};
  Vector<Space, Index> mark(space, order.size(), 0);
  for_each(space, static_cast<std::size_t>(clusters),
           detail::MarkFirstRows{marks, a.rows, rows_of_cluster, mark.data()});
  grow(space, a, marks, mark);
  Vector<Space, unsigned> key(space, order.size());
  for_each(space, order.size(), detail::ClusterKeys{marks, mark.data(), order.data(), key.data()});
  sort_by_key(space, key, static_cast<unsigned>(clusters), order);
}

}  // namespace

template <class Space>
Vector<Space, Index> cluster_order(const Space& space, std::span<const Offset> row_ptr, std::span<const Index> col) {
  const detail::CsrPattern a{static_cast<Index>(row_ptr.size() - 1), row_ptr.data(), col.data()};
  Vector<Space, Index> order(space, static_cast<std::size_t>(a.rows));
  if (a.rows == 0) return order;
  for_each(space, order.size(), detail::NumberRows{order.data()});
  for (const Index size : {128, 2048}) sort_by_clusters(space, a, size, order);
  return order;
}

#define OSTINATO_INSTANTIATE(Space) \
  template Vector<Space, Index> cluster_order(const Space&, std::span<const Offset>, std::span<const Index>)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
