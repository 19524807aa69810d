// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/preparation.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/spmv/matrix/ordering/matching.hpp>
#include <ostinato/spmv/matrix/ordering/minimum_degree.hpp>
#include <ostinato/spmv/matrix/ordering/nested_dissection.hpp>
#include <ostinato/spmv/matrix/ordering/rcm.hpp>

namespace ostinato {

namespace {

Preparation in_order(const std::vector<Index>& order) { return {order, order, {}, {}, {}}; }

/// Whether complete factors have few entries in an order.
bool has_little_fill(const CsrView<double>& a, const std::vector<Index>& order, const StopRequest& stop) {
  constexpr Offset most = 100;  // a row, of both factors (EPYC, 2026-11: AMD is faster up to some 130)
  return count_complete_entries(prepared(a, in_order(order)).view(), most * a.rows, stop).count <= most * a.rows;
}

std::vector<Index> order_of(const CsrView<double>& a, Ordering order, const StopRequest& stop) {
  if (order == Ordering::natural) {
    std::vector<Index> all(static_cast<std::size_t>(a.rows));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  const Graph g = symmetric_graph(a.row_ptr, a.col);
  if (order == Ordering::amd || (order == Ordering::quick && has_minimum_degree)) return minimum_degree(g);
  if (order == Ordering::least_work && has_minimum_degree) {
    std::vector<Index> least = minimum_degree(g);
    if (has_little_fill(a, least, stop)) return least;
  }
  const bool dissect = order == Ordering::nd || (order != Ordering::rcm && has_nested_dissection);
  return dissect ? nested_dissection(g, stop) : reverse_cuthill_mckee(g);
}

template <class V>
V picked(const V& from, const std::vector<Index>& places) {
  V to;
  to.reserve(places.size());
  for (const Index i : places) to.push_back(from[static_cast<std::size_t>(i)]);
  return to;
}

bool are_usable(const std::vector<double>& scales) {
  return std::all_of(scales.begin(), scales.end(), [](double s) { return std::isnormal(s); });
}

Preparation natural(Index n) {
  Preparation p;
  p.row.resize(static_cast<std::size_t>(n));
  std::iota(p.row.begin(), p.row.end(), Index{0});
  p.col = p.row;
  return p;
}

}  // namespace

Preparation prepare(const CsrView<double>& a, const PreparationOptions& options, const StopRequest& stop) {
  Preparation p = natural(a.rows);
  if (options.match) {
    Matching m = max_product_matching(a, stop);
    p.col = std::move(m.col_of_row);
    // Values at the ends of the range leave no finite scales.
    if (are_usable(m.row_scale) && are_usable(m.col_scale)) {
      p.row_scale = std::move(m.row_scale);
      p.col_scale = std::move(m.col_scale);
    }
    p.unmatched = std::move(m.unmatched);
  }
  if (options.order == Ordering::natural) return p;
  const std::vector<Index> order =
      options.match ? order_of(prepared(a, p).view(), options.order, stop) : order_of(a, options.order, stop);
  p.row = picked(p.row, order);
  p.col = picked(p.col, order);
  return p;
}

Csr<double> prepared(const CsrView<double>& a, const Preparation& how) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<Index> place(n);
  for (std::size_t j = 0; j < n; ++j) place[static_cast<std::size_t>(how.col[j])] = static_cast<Index>(j);
  Csr<double> b{a.rows, a.cols, Array<Offset>(1, 0), {}, {}};
  b.col.reserve(a.col.size());
  b.val.reserve(a.val.size());
  std::vector<std::pair<Index, double>> entries;
  for (const Index row : how.row) {
    const auto i = static_cast<std::size_t>(row);
    entries.clear();
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(a.col[k]);
      entries.emplace_back(place[j], how.is_scaled() ? a.val[k] * how.col_scale[j] * how.row_scale[i] : a.val[k]);
    }
    std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : entries) b.col.push_back(column), b.val.push_back(value);
    b.row_ptr.push_back(static_cast<Offset>(b.col.size()));
  }
  return b;
}

}  // namespace ostinato
