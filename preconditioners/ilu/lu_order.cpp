// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/lu_order.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/ilu/band.hpp>
#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/ordering/minimum_degree.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>

namespace ostinato {

namespace {

// What the orders take: reverse Cuthill-McKee and COLAMD for an entry, METIS for a row.
constexpr double rcm_seconds = 40e-9, colamd_seconds = 120e-9, nd_seconds = 4e-6;

/// Whether the time that another order takes itself is little beside what it may save.
bool may_pay(const LuOrder& best, double seconds) { return best.seconds > 2 * seconds; }

void take_better(LuOrder& best, LuOrder other) {
  if (other.seconds < best.seconds) best = std::move(other);
}

LuOrder natural_order(const CsrView<double>& a) {
  return {Ordering::natural, {}, band_seconds(a.rows, bandwidth_of(a.row_ptr, a.col))};
}

LuOrder rcm_order(const CsrView<double>& a, const Graph& g) {
  LuOrder order{Ordering::rcm, reverse_cuthill_mckee(g), 0};
  const Index width = bandwidth_of(g, order.row);
  order.seconds = band_seconds(a.rows, {width, width});
  return order;
}

LuOrder colamd_order(const CsrView<double>& a) {
  RowOrder rows = minimum_degree_of_rows(a.row_ptr, a.col);
  return {Ordering::colamd, std::move(rows.row), sparse_lu_seconds(a.rows, rows.entries, rows.multiplications)};
}

LuOrder nd_order(const CsrView<double>& a, const Graph& g, double most_entries, const StopRequest& stop) {
  LuOrder order{Ordering::nd, nested_dissection(g, stop), 0};
  const Csr<double> b = prepared(a, {order.row, order.row, {}, {}, {}, Ordering::nd});
  const CompleteEntries found = count_complete_entries(b.view(), static_cast<Offset>(most_entries), stop);
  order.seconds = sparse_lu_seconds(a.rows, static_cast<double>(found.count), found.multiplications);
  return order;
}

/// Whether the diagonal is about as large as all others together in most rows, so that columns stay in their places.
bool is_mostly_dominant(const CsrView<double>& a) {
  constexpr double nearly = 0.98;
  Index dominant = 0;
  for (Index i = 0; i < a.rows; ++i) {
    double diagonal = 0, others = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      (a.col[k] == i ? diagonal : others) += std::abs(a.val[k]);
    dominant += diagonal >= nearly * others;
  }
  return dominant > a.rows / 2;
}

}  // namespace

LuOrder choose_lu_order(const CsrView<double>& a, double most, const StopRequest& stop) {
  const auto entries = static_cast<double>(a.nonzeros());
  LuOrder best = natural_order(a);
  if (!may_pay(best, rcm_seconds * entries)) return best;
  const Graph g = symmetric_graph(a.row_ptr, a.col);
  take_better(best, rcm_order(a, g));
  if (has_minimum_degree && may_pay(best, colamd_seconds * entries)) take_better(best, colamd_order(a));
  if (has_nested_dissection && best.seconds <= most && may_pay(best, nd_seconds * a.rows) && is_mostly_dominant(a)) {
    // More entries than these take longer than the best order.
    const double most_entries = best.seconds / sparse_lu_seconds(0, 1, 0);
    take_better(best, nd_order(a, g, most_entries, stop));
  }
  return best;
}

std::optional<LuOrder> choose_band_order(const CsrView<double>& a) {
  const double most = nd_seconds * a.rows;
  LuOrder best = natural_order(a);
  if (may_pay(best, rcm_seconds * static_cast<double>(a.nonzeros())))
    take_better(best, rcm_order(a, symmetric_graph(a.row_ptr, a.col)));
  if (best.seconds > most) return {};
  return best;
}

double band_seconds(Index rows, const Bandwidth& band) {
  const double width = static_cast<double>(band.lower) + band.upper, work = band.upper * width;
  // Without LAPACK the rows are reduced one after the other.
  return rows * (0.2e-6 + 50e-9 * width + (has_band_factors ? 0.3e-9 : 0.8e-9) * work);
}

double sparse_lu_seconds(Index rows, double entries, double multiplications) {
  return 0.3e-6 * rows + 35e-9 * entries + 0.4e-9 * multiplications;
}

double typical_lu_seconds(const Structure& s) {
  if (s.farthest == 0 || s.rows == 0) return 0;
  const Bandwidth band = s.offsets.empty() ? Bandwidth{s.farthest, s.farthest}
                                           : Bandwidth{std::max(0, -s.offsets.front()), std::max(0, s.offsets.back())};
  const double rows = s.rows, entries_a_row = static_cast<double>(s.nonzeros) / rows;
  // Fits to grids of two dimensions with 5 entries a row and more, from 30 x 30 to 200 x 200 points; for KLU to
  // circuits, which fill little and have no diagonals.
  const double by_rows = 3.2e-6 * rows * std::pow(rows / 900, 0.4) * std::pow(entries_a_row / 5, 1.5),
               by_mumps = 1.6e-6 * rows * std::pow(rows / 900, 0.25) * std::sqrt(entries_a_row / 5),
               by_klu = 0.2e-6 * static_cast<double>(s.nonzeros) * std::sqrt(entries_a_row / 5);
  double mesh = by_rows;
  if (LibraryFactors::suits(s.rows, s.nonzeros))
    mesh = std::min(mesh, by_mumps);
  else if (has_klu && s.offsets.empty())
    mesh = std::min(mesh, by_klu);
  // The first call of a library takes time, too.
  return (has_klu ? 0.1e-3 : 0.3e-3) + std::min(mesh, band_seconds(s.rows, band));
}

}  // namespace ostinato
