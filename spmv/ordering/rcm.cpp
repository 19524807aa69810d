// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/rcm.hpp>

#include <algorithm>

namespace ostinato {

Graph symmetric_graph(std::span<const Offset> row_ptr, std::span<const Index> col) {
  const std::size_t n = row_ptr.size() - 1;
  std::vector<Offset> place(n + 1, 0);
  const auto for_edges = [&](auto use) {
    for (std::size_t i = 0; i < n; ++i) {
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(col[static_cast<std::size_t>(k)]);
        if (i != j) use(i, j), use(j, i);
      }
    }
  };
  for_edges([&](std::size_t i, std::size_t) { ++place[i + 1]; });
  for (std::size_t i = 0; i < n; ++i) place[i + 1] += place[i];
  std::vector<Index> both(static_cast<std::size_t>(place[n]));
  std::vector<Offset> next(place.begin(), place.end() - 1);
  for_edges([&](std::size_t i, std::size_t j) { both[static_cast<std::size_t>(next[i]++)] = static_cast<Index>(j); });
  Graph g;
  g.row_ptr.assign(1, 0);
  g.row_ptr.reserve(n + 1);
  std::size_t kept = 0;  // an edge of A and of its transpose is there twice
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = both.begin() + place[i], end = both.begin() + place[i + 1];
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    kept = static_cast<std::size_t>(std::move(begin, last, both.begin() + static_cast<std::ptrdiff_t>(kept)) -
                                    both.begin());
    g.row_ptr.push_back(static_cast<Offset>(kept));
  }
  both.resize(kept);
  g.col = std::move(both);
  return g;
}

namespace {

/// Searches a graph breadth first.
class Search {
 public:
  explicit Search(const Graph& g) : g_(g), seen_(g.nodes(), 0) {}

  /// The nodes from `start` in the order of the search, neighbours by ascending degree. Nodes marked as done aren't
  /// visited. Returns where the last level begins.
  std::size_t run(Index start, std::vector<Index>& order) {
    ++pass_;
    order.assign(1, start);
    seen_[static_cast<std::size_t>(start)] = pass_;
    std::size_t level = 0;
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = order.size()) {
      level = begin;
      levels_ += begin > 0;
      for (std::size_t i = begin; i < end; ++i) visit(static_cast<std::size_t>(order[i]), order);
    }
    return level;
  }

  /// The number of levels of the latest search.
  int take_levels() { return std::exchange(levels_, 0); }
  bool is_done(std::size_t node) const { return seen_[node] == done; }
  void mark_done(std::size_t node) { seen_[node] = done; }

 private:
  static constexpr int done = -1;

  void visit(std::size_t node, std::vector<Index>& order) {
    const std::size_t first = order.size();
    for (Offset k = g_.row_ptr[node]; k < g_.row_ptr[node + 1]; ++k) {
      const Index j = g_.col[static_cast<std::size_t>(k)];
      int& mark = seen_[static_cast<std::size_t>(j)];
      if (mark == pass_ || mark == done) continue;
      mark = pass_;
      order.push_back(j);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), [this](Index a, Index b) {
      const Index da = g_.degree(static_cast<std::size_t>(a)), db = g_.degree(static_cast<std::size_t>(b));
      return da != db ? da < db : a < b;
    });
  }

  const Graph& g_;
  std::vector<int> seen_;
  int pass_ = 0, levels_ = 0;
};

/// A node that is nearly as far from another one as any: a search from there has many small levels.
Index outer_node(Search& search, const Graph& g, Index start, std::vector<Index>& order) {
  constexpr int attempts = 8;
  int levels = -1;
  for (int i = 0; i < attempts; ++i) {
    const std::size_t last = search.run(start, order);
    const int now = search.take_levels();
    if (now <= levels) break;
    levels = now;
    start = *std::min_element(order.begin() + static_cast<std::ptrdiff_t>(last), order.end(), [&](Index a, Index b) {
      return g.degree(static_cast<std::size_t>(a)) < g.degree(static_cast<std::size_t>(b));
    });
  }
  return start;
}

}  // namespace

std::vector<Index> reverse_cuthill_mckee(const Graph& g) {
  std::vector<Index> all, part;
  all.reserve(g.nodes());
  Search search(g);
  for (std::size_t node = 0; node < g.nodes(); ++node) {
    if (search.is_done(node)) continue;
    const Index start = outer_node(search, g, static_cast<Index>(node), part);
    search.run(start, part);
    for (const Index i : part) search.mark_done(static_cast<std::size_t>(i));
    all.insert(all.end(), part.begin(), part.end());
  }
  std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace ostinato
