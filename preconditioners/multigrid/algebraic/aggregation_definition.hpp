// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_rounds.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::algebraic {

namespace aggregation_definition {

/// The first round after which the host looks whether points are left. Grids and their coarse levels need 10 or 11
/// rounds for 200,000 to 16 million points, 9 for 20,000.
inline int first_look(std::size_t points) { return points < 50000 ? 8 : 9; }

/// The squares of the norms of the blocks of factor A that couple two points: points x points.
template <class Space, class T>
SpaceCsr<Space, T> block_squares(const Space& space, const CsrView<T>& a, const Points& points, double factor) {
  Vector<Space, T> squares(space, a.val.size());
  for_each(space, a.val.size(), SquareValues<T>{static_cast<T>(factor), a.val.data(), squares.data()});
  return collapse(space, CsrView<T>{a.rows, a.cols, a.row_ptr, a.col, squares}, groups_of_points(space, points));
}

/// Numbers the roots, and calls join(). Returns how many roots there are, and the number of undecided points from
/// `left`. Waits once; meanwhile a GPU does what join() enqueues.
template <class Space, class Join>
std::pair<Index, double> number_roots(const Space& space, const Vector<Space, std::uint32_t>& key,
                                      const Vector<Space, double>& left, Vector<Space, Offset>& number, Join join) {
  for_each(space, key.size(), CountRoots{key.data(), number.data()});
  exclusive_scan(space, number.span());
  Offset roots = 0;
  double undecided = 0;
  DownloadBehind<Space> counts(space, {copied(roots, number.data() + key.size()), copied(undecided, left.data())});
  join();
  counts.finish();
  return {static_cast<Index>(roots), undecided};
}

/// Some rows, of which a functor for rows takes the k-th.
template <class F>
struct OfRows {
  F f;
  const Index* rows;

  auto operator()(std::size_t k) const { return f(static_cast<std::size_t>(rows[k])); }
};

/// Decides which points are roots on a CPU, where a round goes over the points that have something left to find.
template <class Space>
void decide_roots(const Space& space, const detail::CsrPattern& graph, Vector<Space, std::uint64_t>& nearest,
                  Vector<Space, std::uint32_t>& key, double* left) {
  std::vector<Index> open(key.size()), undecided;  // those whose nearest may change, and those without a decision
  std::iota(open.begin(), open.end(), Index{0});
  const auto is_decided = [](std::uint32_t k) { return k == RootKey::root || k == RootKey::left_out; };
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  undecided = open;
  std::erase_if(undecided, [&](Index i) { return is_decided(key.data()[at(i)]); });
  for (int round = 0; !undecided.empty(); ++round) {
    const detail::WholeRow<FindNearest> find{{graph, key.data(), nearest.data()}};
    for_each(space, open.size(), OfRows<detail::WholeRow<FindNearest>>{find, open.data()});
    const detail::WholeRow<DecideRoots> decide{{graph, nearest.data(), round, key.data()}};
    sum(space, undecided.size(), OfRows<detail::WholeRow<DecideRoots>>{decide, undecided.data()}, left);
    std::erase_if(open, [&](Index i) { return is_decided(KeyedPoint::key(nearest.data()[at(i)])); });
    std::erase_if(undecided, [&](Index i) { return is_decided(key.data()[at(i)]); });
  }
}

/// Decides which points are roots, in rounds, numbers these, and joins the others to them by join(), whose last call
/// counts. `key` and `nearest` as FindStrongPairs leaves them, whose columns the graph has. Returns the number of
/// roots; `number` has an element more than there are points.
template <class Space, class Join>
Index find_roots(const Space& space, const detail::CsrPattern& graph, Offset entries,
                 Vector<Space, std::uint64_t> nearest, Vector<Space, std::uint32_t>& key, Vector<Space, Offset>& number,
                 Join join) {
  const std::size_t n = key.size();
  Vector<Space, double> left(space, 1, 0.0);
  if constexpr (is_cuda<Space>) {
    if (graph.rows <= few_points && entries <= few_entries) {
      decide_all_roots(space, graph, nearest.data(), key.data());
      return number_roots(space, key, left, number, join).first;
    }
  }
  if constexpr (Space::has_host_memory) {
    decide_roots(space, graph, nearest, key, left.data());
    space.zero(left.data(), left.bytes());
    return number_roots(space, key, left, number, join).first;
  } else {
    // The undecided point of the highest key is decided in each round, so that this ends.
    for (int round = 0;; ++round) {
      for_each_row(space, n, entries, FindNearest{graph, key.data(), nearest.data()});
      sum_rows(space, n, entries, DecideRoots{graph, nearest.data(), round, key.data()}, left.data());
      if (!is_look<Space>(round, first_look(n))) continue;
      // On a GPU the roots are numbered in the time of a look, and hardly ever twice.
      if (!Space::has_streams && left.download()[0] > 0) continue;
      if (const auto [roots, undecided] = number_roots(space, key, left, number, join); undecided == 0) return roots;
    }
  }
}

}  // namespace aggregation_definition

template <class Space, class T>
Aggregation<Space, T> aggregate(const Space& space, const SpaceCsr<Space, T>& a, const Points& points, double factor,
                                double threshold, Coupling coupling) {
  const bool has_blocks = points.unknowns > 1;
  SpaceCsr<Space, T> graph = has_blocks ? aggregation_definition::block_squares(space, a.view(), points, factor) : a;
  const CsrView<T> view = graph.view();
  const detail::CsrPattern pattern = detail::pattern_of(view);
  const Offset entries = view.nonzeros();
  const BlockSquares<T> square{view.val.data(), factor, has_blocks, has_blocks ? Coupling::any : coupling};
  const auto n = static_cast<std::size_t>(points.count);
  Aggregation<Space, T> made{graph, Vector<Space, Index>(space, view.col.size()), Vector<Space, Index>(space, n)};
  const detail::CsrPattern strong{view.rows, view.row_ptr.data(), made.strong.data()};
  Vector<Space, T> size(space, n);
  for_each_row(space, n, entries, LargestBeside<T>{pattern, square, size.data()});
  Vector<Space, std::uint32_t> key(space, n);
  Vector<Space, std::uint64_t> nearest(space, n);
  for_each_row(
      space, n, entries,
      FindStrongPairs<T>{pattern, square, size.data(), threshold, made.strong.data(), key.data(), nearest.data()});
  Vector<Space, Offset> number(space, n + 1);
  Vector<Space, Index> beside(space, n);
  made.count = aggregation_definition::find_roots(space, strong, entries, std::move(nearest), key, number, [&] {
    for_each_row(space, n, entries, JoinRoot{strong, key.data(), number.data(), beside.data()});
    for_each(space, n, JoinStrongest<T>{strong, square, beside.data(), made.aggregate.data()});
  });
  return made;
}

}  // namespace ostinato::algebraic
