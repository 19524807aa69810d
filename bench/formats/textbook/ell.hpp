// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include <ostinato/bench/formats/textbook/ell_view.hpp>
#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with every row padded to the length of the longest (ELLPACK): a baseline.
///
/// Shapes    A: rows x cols, W entries in the longest row.  x: cols.  y: rows.
/// Layout    See EllView. Slots lie column by column, so that neighbouring threads read neighbouring words. There are
///           no row pointers.
/// Traffic   (sizeof(T) + 4) W rows bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      One thread per row. Padding isn't multiplied.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Refuses a matrix with more than twice as much padding as entries.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class Ell {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "ell";
  static constexpr std::string_view description = "rows padded to the longest; a baseline for rows of even length";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    const double slots = static_cast<double>(s.longest_row) * s.rows;
    Cost c =
        streamed_cost<T>(s, m,
                         {.bytes = slots * (sizeof(T) + sizeof(Index)),
                          .slots = slots,
                          .efficiency = 0.85,
                          .waits = s.longest_row / 4.0,
                          .host = {.slot = 1.3, .row = 1.6, .uneven = 8, .chain = 0.6, .gather = 4, .stream = 0.2}});
    if (m.device) c.seconds *= 1.1;  // 16 entries a row: 127 us, 116 us with sliced-ell (H200, 2026-11)
    c.reason_not = why_not(s);
    return c;
  }

  Ell(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), rows_(in.structure.rows), width_(in.structure.longest_row) {
    if (const std::string reason = why_not(in.structure); !reason.empty()) throw ArgumentError("ell: " + reason);
    const std::size_t slots = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_);
    col_ = Vector<Space, Index>(space, slots);
    val_ = Vector<Space, T>(space, slots);
    for_each(space, static_cast<std::size_t>(rows_),
             detail::FillEll<T>{detail::arrays_of(a.view()), width_, col_.data(), val_.data()});
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for_each(space_, y.size(),
             detail::EllRow<T>{{rows_, width_, col_.data(), val_.data()}, {alpha, x.data(), beta, y.data(), y.data()}});
  }

  std::size_t bytes() const { return col_.bytes() + val_.bytes(); }

 private:
  static std::string why_not(const Structure& s) {
    if (static_cast<double>(s.longest_row) * s.rows <= 3 * static_cast<double>(s.nonzeros) + 1024) return "";
    char mean[32];
    std::snprintf(mean, sizeof mean, "%.3g", s.mean_row);
    return "the longest row has " + count_text(s.longest_row) + " entries, the mean one " + mean;
  }

  Space space_;
  Index rows_, width_;
  Vector<Space, Index> col_;
  Vector<Space, T> val_;
};

}  // namespace ostinato::formats
