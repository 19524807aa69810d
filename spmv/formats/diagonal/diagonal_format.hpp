// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <ostinato/spmv/formats/diagonal/generated_product.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/formats/diagonal/bands.hpp>
#include <ostinato/spmv/formats/format.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes_host.hpp>

namespace ostinato::formats {

/// Lays the diagonals of a matrix out for values of so many bytes.
using BandPlanner = BandPlan (*)(const DiagonalCensus& census, std::size_t value_bytes);

/// What dia, brcsd-i and brcsd-ii have in common: y := alpha A x + beta y, with A stored by diagonals within row
/// pieces. They differ in how they cut the rows into pieces.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    A matrix with few different rows is kept as RowClasses, any other as Bands.
/// Traffic   bytes() for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      A row's terms are added in the order of their diagonals, so that the storages don't change the result.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Limits    Slots without an entry count as 0 times x: an infinite or NaN x(j) reaches rows that a general format
///           leaves finite. Poor when diagonals are sparsely filled; the selector decides, not this class.
template <class Space, class T>
class DiagonalFormat {
 public:
  using space_type = Space;
  using value_type = T;

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    multiply({alpha, x.data(), beta, y.data(), y.data()});
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const {
    multiply_dot(plain_product(x.data(), y.data()), w.data(), slot);
  }

  /// r = b - A x and *slot = r . r, in one pass.
  void residual(std::span<const T> x, std::span<const T> b, std::span<T> r, double* slot) const {
    multiply_dot({T{-1}, x.data(), T{1}, b.data(), r.data()}, r.data(), slot);
  }

  /// Values of the same pattern. False when they don't fit what the old ones were stored as; then the format has to be
  /// built anew.
  bool update_values(const Resident<Space, T>& a) {
    return std::visit([&](auto& stored) { return stored.update_values(a.view()); }, *stored_);
  }

  /// Asks for kernels of its own for this matrix. Throws DeviceError when it waits and there are none.
  void generate(bool wait) {
    if constexpr (Space::on_device) {
      std::visit([&](const auto& stored) { generated_.request(space_, stored.view()); }, *stored_);
      if (!wait) return;
      generated_.wait();
      generated_.revision(space_);  // loads them
      if (generated_.failed()) throw DeviceError("generated kernels: " + generated_.text());
    }
  }

  int revision() const {
    if constexpr (Space::on_device) return generated_.revision(space_);
    return 0;
  }

  std::string generated() const { return generated_.text(); }

  std::size_t bytes() const {
    return std::visit([](const auto& stored) { return stored.bytes(); }, *stored_);
  }

 protected:
  DiagonalFormat(const Space& space, const Resident<Space, T>& a, const Structure& s, BandPlanner planner)
      : space_(space) {
    if (s.census == nullptr) throw ArgumentError(why_no_census(s));
    BandPlan plan = planner(*s.census, sizeof(T));
    if (classes_are_smaller(*s.census, plan)) {
      if (auto classes = RowClasses<Space, T>::make(space, a.view(), *s.census)) stored_.emplace(std::move(*classes));
    }
    if (!stored_) stored_.emplace(Bands<Space, T>(space, a.view(), *s.census, std::move(plan)));
  }

  static Cost cost(const Structure& s, const Machine& m, BandPlanner planner) {
    Cost c;
    if (s.census == nullptr) {
      c.reason_not = why_no_census(s);
      return c;
    }
    const BandPlan plan = planner(*s.census, sizeof(T));
    const double entries = static_cast<double>(s.nonzeros),
                 vectors = sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    const bool classes = classes_are_smaller(*s.census, plan);
    c.bytes = classes ? class_bytes(*s.census) : plan.bytes();
    c.moved = static_cast<double>(c.bytes) + vectors;
    c.padding =
        entries > 0 ? (static_cast<double>(plan.slots) + static_cast<double>(plan.remainder())) / entries - 1 : 0;
    c.seconds = m.latency + (classes ? class_seconds(c, entries, m) : band_seconds(c, plan, entries, m));
    constexpr double planning = 2e-9;  // for a diagonal of a row piece (EPYC, 2026-11)
    c.setup_seconds = 20 * m.latency + planning * static_cast<double>(s.census->pieces.size()) +
                      (2.0 * static_cast<double>(c.bytes) + 2 * entries * (sizeof(T) + sizeof(Index))) / m.bandwidth;
    if (static_cast<double>(c.bytes) > max_growth * (entries * (sizeof(T) + sizeof(Index)) + 8.0 * s.rows + 65536))
      c.reason_not = std::to_string(s.diagonals) + " diagonals, nearly empty: " +
                     std::to_string(static_cast<Offset>(static_cast<double>(c.bytes) / 1e6)) + " MB of padding";
    return c;
  }

 private:
  /// Diagonals may cost at most this many times the bytes of CSR, even when forced: past it the memory isn't there.
  static constexpr double max_growth = 32;

  /// Classes need neither values nor masks, and generated kernels share x between rows (H200 and EPYC, 2026-11).
  static double class_seconds(const Cost& c, double entries, const Machine& m) {
    constexpr double efficiency = 0.85;
    const double term = m.term_seconds * (m.device ? 0.25 : 0.7);
    return std::max({c.moved / (m.bandwidth * efficiency), term * entries, 2 * m.load_latency});
  }

  /// Bytes bound large matrices, terms those that take few bytes or have many diagonals (H200, 2026-11: 27 take 1.5
  /// ps a term, 300 take 2.6), and small ones the loads that wait for each other: a row
  /// piece's place, its bands, some at a time, for each its code and then its value, and the remainder.
  static double band_seconds(const Cost& c, const BandPlan& plan, double entries, const Machine& m) {
    constexpr Index in_flight = 8;
    const double efficiency = plan.pieces.size() > 1 ? 0.88 : 0.95;  // H200, 2026-11: 4.1 and 4.3 of 4.26 TB/s
    Index most = 0;
    for (const RowPiece& piece : plan.pieces) most = std::max(most, piece.bands);
    const Index rounds = (most + in_flight - 1) / in_flight;
    const Index waits =
        rounds * (plan.codes.empty() ? 1 : 2) + (plan.pieces.size() > 1 ? 2 : 0) + (plan.remainder() > 0 ? 2 : 0);
    double terms = plan.is_whole ? 0 : m.term_seconds * static_cast<double>(plan.slots);
    if (m.device && most > 12) terms = std::max(terms, m.term_seconds * (most > 64 ? 1.4 : 0.85) * entries);
    return std::max({c.moved / (m.bandwidth * efficiency), terms, m.load_latency * waits});
  }

  static std::string why_no_census(const Structure& s) {
    const std::string many = std::to_string(s.diagonals) + " diagonals, ";
    if (s.diagonals > static_cast<Offset>(DiagonalCensus::max_diagonals))
      return many + "more than " + std::to_string(DiagonalCensus::max_diagonals);
    return many + "too many for its " + std::to_string(s.nonzeros) + " entries";
  }

  /// What RowClasses would take, give or take its patterns.
  static std::size_t class_bytes(const DiagonalCensus& census) {
    const std::size_t rows = static_cast<std::size_t>(census.rows), classes = census.class_rows.size();
    return rows / 16 + classes * (census.diagonals.size() * sizeof(T) + 8) + std::min(rows / 32 + 1, 2 * classes) * 256;
  }

  static bool classes_are_smaller(const DiagonalCensus& census, const BandPlan& plan) {
    return !census.class_rows.empty() && census.diagonals.size() <= ClassTable<T>::max_diagonals &&
           class_bytes(census) < plan.bytes();
  }

  void multiply(const Product<T>& p) const {
    std::visit(
        [&](const auto& stored) {
          if constexpr (Space::on_device) {
            if (generated_.product(space_, stored.view(), p)) return;
          }
          stored.apply(p);
        },
        *stored_);
  }

  void multiply_dot(const Product<T>& p, const T* w, double* slot) const {
    std::visit(
        [&](const auto& stored) {
          if constexpr (Space::on_device) {
            if (generated_.product_dot(space_, stored.view(), p, w, slot)) return;
          }
          stored.apply_dot(p, w, slot);
        },
        *stored_);
  }

  Space space_;
  GeneratedProduct generated_;

  std::optional<std::variant<RowClasses<Space, T>, Bands<Space, T>>> stored_;
};

}  // namespace ostinato::formats
