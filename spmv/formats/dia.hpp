// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/cuda/dia.hpp>
#include <ostinato/spmv/formats/dia_host.hpp>
#include <ostinato/spmv/formats/format.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A stored by diagonals (DIA).
///
/// Shapes    A: rows x cols, D stored diagonals.  x: cols.  y: rows.
/// Layout    value(d * rows + i) holds A(i, i + offset(d)), where offset = column - row, ascending.
///           Slots that fall outside A hold 0. Threads of a warp read neighbouring words.
/// Traffic   sizeof(T) D rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      Host: over blocks of rows, diagonal by diagonal, in vector lanes. Cuda: a thread a row, diagonals
///           unrolled. A row's terms are added in the order of its offsets.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Limits    Slots without an entry count as 0 times x: an infinite or NaN x(j) reaches rows that a general format
///           leaves finite. Poor when diagonals are sparsely filled; the selector decides, not this call.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class Dia {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "dia";
  static constexpr std::string_view description = "whole diagonals; for stencils and narrow bands";

  /// Diagonals may cost at most this many times the bytes of CSR, even when forced: past it the memory isn't there.
  static constexpr double max_growth = 32;

  static Cost cost(const Structure& s, const Machine& m) {
    Cost c;
    const double slots = static_cast<double>(s.diagonals) * s.rows, entries = static_cast<double>(s.nonzeros);
    c.bytes = static_cast<std::size_t>(slots * sizeof(T));
    c.moved = slots * sizeof(T) + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    c.padding = entries > 0 ? slots / entries - 1 : 0;
    // A thread goes through its row's diagonals in groups, which is what counts when there are few rows.
    const double walk = m.load_latency * std::ceil(static_cast<double>(s.diagonals) / diagonals_in_flight);
    c.seconds = m.latency + std::max(c.moved / (m.bandwidth * efficiency), walk);
    c.setup_seconds = 3 * m.latency + (2 * slots * sizeof(T) + entries * (sizeof(T) + sizeof(Index))) / m.bandwidth;
    if (s.diagonals > static_cast<Offset>(s.offsets.size())) {
      c.reason_not =
          std::to_string(s.diagonals) + " diagonals, more than " + std::to_string(Structure::max_listed_diagonals);
    } else if (slots * sizeof(T) > max_growth * (entries * (sizeof(T) + sizeof(Index)) + 8.0 * s.rows + 65536)) {
      c.reason_not = std::to_string(s.diagonals) +
                     " diagonals, nearly empty: " + std::to_string(static_cast<Offset>(slots * sizeof(T) / 1e6)) +
                     " MB of padding";
    }
    return c;
  }

  Dia(const Space& space, Resident<Space, T> a, const Structure& s)
      : space_(space), rows_(s.rows), cols_(s.cols), offsets_(s.offsets), values_(space, s.offsets.size() * s.rows) {
    fill(a);
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    dia_apply(space_, view(), alpha, x.data(), beta, y.data());
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const {
    dia_apply_dot(space_, view(), x.data(), y.data(), w.data(), slot);
  }

  void update_values(Resident<Space, T> a) { fill(a); }

  std::size_t bytes() const { return values_.bytes(); }

 private:
  /// Share of the copy bandwidth; H200 2026-11: 4.3 of 4.26 TB/s, EPYC: 0.9 of the triad.
  static constexpr double efficiency = 0.95;
  static constexpr double diagonals_in_flight = 8;

  void fill(const Resident<Space, T>& a) {
    if (dia_fill(space_, a.view(), std::span<const Index>(offsets_), values_.data())) return;
    throw ArgumentError(
        "dia: an entry lies on a diagonal that the matrix didn't have when it was analysed; build a new Operator");
  }

  DiaView<T> view() const { return {rows_, cols_, offsets_, values_.data()}; }

  Space space_;
  Index rows_, cols_;
  std::vector<Index> offsets_;
  Vector<Space, T> values_;
};

}  // namespace ostinato::formats
