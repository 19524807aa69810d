// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of clusters.hpp, for both spaces.

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/hash.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// What a row is marked with: the cluster that has reached it, and the step in which it did. Marks of earlier steps are
/// greater; 0: none. So the greatest mark of a row is the one that counts.
struct ClusterMarks {
  Index clusters, steps;  ///< (clusters + 1) steps < 2^31

  /// The mark of cluster 0.
  OSTINATO_FUNCTION Index first_of(Index step) const { return (steps - 1 - step) * clusters + 1; }
  OSTINATO_FUNCTION Index cluster(Index mark) const { return (mark - 1) % clusters; }
};

/// Marks the first row of each cluster.
struct MarkFirstRows {
  ClusterMarks marks;
  Index rows, rows_of_cluster;
  Index* mark;

  OSTINATO_FUNCTION void operator()(std::size_t cluster) const {
    const std::uint32_t h = hash(static_cast<std::uint32_t>(cluster));
    const auto c = static_cast<Index>(cluster);
    const Index first = c * rows_of_cluster, left = rows - first, own = left < rows_of_cluster ? left : rows_of_cluster;
    mark[first + static_cast<Index>(h % static_cast<std::uint32_t>(own))] = marks.first_of(0) + c;
  }
};

/// A step of the clusters: from the rows that the step before has reached.
template <class Atomic>
struct SpreadClusters {
  static constexpr Offset longest_row = 1024;  ///< longer ones are reached, but lead nowhere: one thread has a row

  ClusterMarks marks;
  CsrPattern a;
  Index step;
  Index* mark;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Index cluster = Atomic::load(mark + i) - marks.first_of(step - 1);
    if (cluster < 0 || cluster >= marks.clusters) return;
    const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    if (end - begin > longest_row) return;
    const Index next = marks.first_of(step) + cluster;
    for (Offset k = begin; k < end; ++k) {
      if (Atomic::load(mark + a.col[k]) < next) Atomic::max(mark + a.col[k], next);
    }
  }
};

/// Counts the rows that no cluster has reached.
struct CountUnreached {
  const Index* mark;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const { return {{mark[i] == 0 ? 1.0 : 0.0}}; }
};

/// order[i] := i.
struct NumberRows {
  Index* order;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { order[i] = static_cast<Index>(i); }
};

/// The cluster of the row at each place; rows that none has reached come last.
struct ClusterKeys {
  ClusterMarks marks;
  const Index *mark, *order;
  unsigned* key;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Index m = mark[order[i]];
    key[i] = static_cast<unsigned>(m == 0 ? marks.clusters : marks.cluster(m));
  }
};

}  // namespace ostinato::detail
