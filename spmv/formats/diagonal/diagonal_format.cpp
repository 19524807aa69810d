// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>

#include <algorithm>
#include <cmath>

#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/formats/contract/define_entry.hpp>

namespace ostinato::formats {

namespace {

/// The places at which a diagonal is interrupted, all diagonals together, where a gap is as long as the diagonal's
/// offset: so it is at the sides of a grid.
double gaps(const DiagonalCensus& census) {
  double gaps = 0;
  for (const Diagonal& d : census.diagonals) {
    const double offset = std::abs(static_cast<double>(d.offset));
    const double places = std::min(census.rows, census.cols) - offset;
    if (d.offset != 0) gaps += std::max(0.0, places - static_cast<double>(d.entries)) / offset;
  }
  return gaps;
}

/// Terms take so much longer where the library was compiled for vectors of 16 bytes (EPYC, 2026-11: 1.9 to 2.1).
constexpr double narrow_vectors = __BIGGEST_ALIGNMENT__ < 32 ? 2 : 1;

/// Seconds of a product on the CPU, whose vector units take several terms at once. Row classes have no values to read.
double host_product_seconds(const Structure& s, const Cost& c, const DiagonalPlan& planned, const Machine& m) {
  const BandPlan& plan = *planned.bands;
  const double tasks = std::ceil(s.rows / host_task_rows);
  if (planned.as_classes) {  // A row stands for a gap, at which a run of equal rows ends.
    return host_seconds(s, m, {.slot = 0.11 * narrow_vectors, .row = 19, .gather = 0, .stream = 0.5},
                        {static_cast<double>(s.nonzeros), gaps(*s.census), c.moved, tasks});
  }
  // A row stands for an entry of the remainder.
  const HostWork work = {static_cast<double>(plan.slots), static_cast<double>(plan.remainder()), c.moved, tasks};
  const double slot = narrow_vectors * (plan.is_whole ? 0.23 : 0.26);
  return host_seconds(s, m, {.slot = slot, .row = 2, .gather = 0, .stream = 0.6}, work);
}

/// Seconds of a product with row classes on a GPU. Row classes need neither values nor masks, and generated kernels
/// share x between rows (H200, 2026-11).
double class_seconds(const Cost& c, double entries, const Machine& m) {
  constexpr double efficiency = 0.85, term = 0.25;
  return std::max({c.moved / (m.bandwidth * efficiency), term * m.term_seconds * entries, 2 * m.load_latency});
}

/// Seconds of a product with bands on a GPU. Bytes bound large matrices. Terms bound matrices of few bytes or many
/// diagonals (H200, 2026-11: 1.5 ps a term with 27 diagonals, 2.6 ps with 300). Dependent loads bound small matrices:
/// the number of the row piece, the piece, its bands (some at a time), for coded bands the code and the value, and the
/// remainder.
double band_seconds(const Cost& c, const BandPlan& plan, double entries, const Machine& m) {
  constexpr Index in_flight = 8;
  Index most = 0;
  for (const RowPiece& piece : plan.pieces) most = std::max(most, piece.bands);
  const double efficiency = plan.pieces.size() > 1 ? 0.88 : 0.95;  // H200, 2026-11: 4.1 and 4.3 of 4.26 TB/s
  const Index rounds = (most + in_flight - 1) / in_flight;
  const Index waits =
      rounds * (plan.codes.empty() ? 1 : 2) + (plan.pieces.size() > 1 ? 2 : 0) + (plan.remainder() > 0 ? 2 : 0);
  double terms = plan.is_whole ? 0 : m.term_seconds * static_cast<double>(plan.slots);
  if (most > 12) terms = std::max(terms, m.term_seconds * (most > 64 ? 1.4 : 0.85) * entries);
  return std::max({c.moved / (m.bandwidth * efficiency), terms, m.load_latency * waits});
}

/// Seconds to fill the arrays on a GPU.
double device_filling_seconds(const Cost& c, double entries, double value, const Machine& m) {
  return 20 * m.latency + (2.0 * static_cast<double>(c.bytes) + 2 * entries * (value + sizeof(Index))) / m.bandwidth;
}

/// Seconds to allocate and fill the arrays on the CPU, in a program that does so for the first time (EPYC, 2026-11: 180
/// us for 16,000 entries, 620 us for 177,000). Half as much later on.
double host_filling_seconds(double entries, const Machine& m) {
  return 400 * m.call_seconds + 6 * m.entry_seconds * entries;
}

/// Bytes of RowClasses, with an estimate of the number of patterns.
std::size_t class_bytes(const DiagonalCensus& census, std::size_t value_bytes) {
  const std::size_t rows = static_cast<std::size_t>(census.rows), classes = census.class_rows.size();
  return rows / 16 + classes * (census.diagonals.size() * value_bytes + 8) + std::min(rows / 32 + 1, 2 * classes) * 256;
}

}  // namespace

DiagonalPlan plan_diagonals(const PlanInput& in, std::size_t value_bytes, BandPlanner planner) {
  if (in.structure.census == nullptr) return {};
  const DiagonalCensus& census = *in.structure.census;
  const auto bands = std::make_shared<const BandPlan>(planner(census, value_bytes, in.compress));
  const bool few_rows_differ =
      in.compress && !census.class_rows.empty() && census.diagonals.size() <= ClassTable<double>::max_diagonals;
  return {bands, few_rows_differ && class_bytes(census, value_bytes) < bands->bytes()};
}

Cost diagonal_cost(const PlanInput& in, const DiagonalPlan& planned, std::size_t value_bytes) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  Cost c;
  if (planned.bands == nullptr) {
    c.reason_not = why_no_census(s);
    return c;
  }
  const BandPlan& plan = *planned.bands;
  const double value = static_cast<double>(value_bytes), entries = static_cast<double>(s.nonzeros),
               vectors = value * (static_cast<double>(s.rows) + s.cols);
  c.bytes = planned.as_classes ? class_bytes(*s.census, value_bytes) : plan.bytes();
  c.most_bytes = plan.bytes();  // too many patterns of neighbouring classes are stored as bands
  c.moved = static_cast<double>(c.bytes) + vectors;
  c.padding = entries > 0 ? (static_cast<double>(plan.slots) + static_cast<double>(plan.remainder())) / entries - 1 : 0;
  if (m.device) {
    c.seconds = m.latency + (planned.as_classes ? class_seconds(c, entries, m) : band_seconds(c, plan, entries, m));
  } else {
    c.seconds = host_product_seconds(s, c, planned, m);
  }
  constexpr double planning = 2e-9;  // for one diagonal of one row piece (EPYC, 2026-11)
  c.setup_seconds = planning * static_cast<double>(s.census->pieces().size()) +
                    (m.device ? device_filling_seconds(c, entries, value, m) : host_filling_seconds(entries, m));
  if (grows_too_far(s, value_bytes, static_cast<double>(c.bytes)))
    c.reason_not = count_text(s.diagonals) + " diagonals, nearly empty: " + bytes_text(static_cast<double>(c.bytes)) +
                   " of padding";
  return c;
}

OSTINATO_DEFINE_ENTRY(dia, Dia)
OSTINATO_DEFINE_ENTRY(brcsd_i, BrcsdI)
OSTINATO_DEFINE_ENTRY(brcsd_ii, BrcsdII)

}  // namespace ostinato::formats
