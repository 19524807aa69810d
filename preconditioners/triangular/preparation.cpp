// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/preparation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/matching.hpp>
#include <ostinato/spmv/ordering/minimum_degree.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

namespace {

Preparation in_order(const std::vector<Index>& order) { return {order, order, {}, {}, {}, Ordering::amd}; }

/// Whether complete factors have few entries in an order.
bool has_little_fill(const CsrView<double>& a, const std::vector<Index>& order, const StopRequest& stop) {
  constexpr Offset most = 100;  // a row, of both factors (EPYC, 2026-11: AMD is faster up to some 130)
  return count_complete_entries(prepared(a, in_order(order)).view(), most * a.rows, stop).count <= most * a.rows;
}

/// The rows in their order; empty: that of the matrix.
std::vector<Index> order_of(const CsrView<double>& a, Ordering order, const StopRequest& stop) {
  if (order == Ordering::colamd) return minimum_degree_of_rows(a.row_ptr, a.col).row;
  if (order == Ordering::banded) {
    if (std::optional<LuOrder> band = choose_band_order(a)) return std::move(band->row);
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

/// The order for complete factors with pivoting, unless these take too long.
LuOrder order_with_pivots(const CsrView<double>& a, double most_seconds, const StopRequest& stop) {
  LuOrder order = choose_lu_order(a, most_seconds, stop);
  if (order.seconds <= most_seconds) return order;
  char text[80];
  std::snprintf(text, sizeof text, "the factors are predicted to take %.3g s, more than %.3g", order.seconds,
                most_seconds);
  throw ArgumentError(text);
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

/// A power of 2 by which a size comes into 1 .. 2; 1 for 0.
double scale_for(double size) { return size > 0 ? std::exp2(-std::ilogb(size)) : 1; }

/// Scales the rows, then the columns, such that the largest entry of each column is in 1 .. 2. Nothing is rounded.
void equilibrate(const CsrView<double>& a, Preparation& p) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> row(n), col(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<std::size_t>(a.row_ptr[i]), end = static_cast<std::size_t>(a.row_ptr[i + 1]);
    double largest = 0;
    for (std::size_t k = begin; k < end; ++k) largest = std::max(largest, std::abs(a.val[k]));
    row[i] = scale_for(largest);
    for (std::size_t k = begin; k < end; ++k) {
      double& size = col[static_cast<std::size_t>(a.col[k])];
      size = std::max(size, row[i] * std::abs(a.val[k]));
    }
  }
  std::transform(col.begin(), col.end(), col.begin(), scale_for);
  if (!are_usable(row) || !are_usable(col)) return;
  p.row_scale = std::move(row);
  p.col_scale = std::move(col);
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
  if (!options.match && options.equilibrate) equilibrate(a, p);
  if (options.order == Ordering::natural) return p;
  const Csr<double> matched = options.match ? prepared(a, p) : Csr<double>();
  const CsrView<double> ready = options.match ? matched.view() : a;
  LuOrder chosen{options.order, {}, 0};
  if (options.order == Ordering::with_pivots) {
    chosen = order_with_pivots(ready, options.most_seconds, stop);
  } else {
    chosen.row = order_of(ready, options.order, stop);
  }
  p.order = chosen.order;
  if (chosen.row.empty()) return p;  // those of the matrix
  p.row = picked(p.row, chosen.row);
  p.col = picked(p.col, chosen.row);
  return p;
}

Csr<double> prepared(const CsrView<double>& a, const Preparation& how) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<Index> place(n);
  for (std::size_t j = 0; j < n; ++j) place[static_cast<std::size_t>(how.col[j])] = static_cast<Index>(j);
  Csr<double> b{a.rows, a.cols, Array<Offset>(1, 0), Array<Index>(a.col.size()), Array<double>(a.val.size())};
  b.row_ptr.reserve(n + 1);
  std::size_t entry = 0;
  for (const Index row : how.row) {
    const auto i = static_cast<std::size_t>(row);
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(a.col[k]);
      b.col[entry] = place[j];
      b.val[entry++] = how.is_scaled() ? a.val[k] * how.col_scale[j] * how.row_scale[i] : a.val[k];
    }
    b.row_ptr.push_back(static_cast<Offset>(entry));
  }
  sort_rows(b);
  return b;
}

}  // namespace ostinato
