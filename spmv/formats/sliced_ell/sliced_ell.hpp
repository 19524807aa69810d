// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with slices of 32 rows padded to their longest row (sliced ELL).
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    See SlicedView. Columns are stored in 2 bytes, as distances from the row, when no distance exceeds 32767,
///           and otherwise in 4 bytes.
/// Traffic   (sizeof(T) + 2 or 4) slots bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      Host: one slice after the other, its rows in SIMD lanes. Cuda: one thread per row; the first loads from
///           the matrix overlap the end of the preceding kernel. Each row is added up from its first entry to its last.
///           Padding adds 0 whatever x is.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    A long row pads the other 31 rows of its slice. Refuses a matrix with more than 8 slots for an entry.
/// Source    Monakov, Lokhmotov & Avetisyan, HiPEAC 2010, doi:10.1007/978-3-642-11515-8_10.
template <class Space, class T>
class SlicedEll {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "sliced-ell";
  static constexpr std::string_view description = "rows padded to the longest of 32, columns in 16 bits where they fit";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    const double slots = static_cast<double>(s.profile->sliced_slots);
    const double column = is_near(s) ? 2 : 4;
    // The slot of the CPU lies between 1.1 with AVX-512 and 1.6 with AVX2, whose gathers are slow (EPYC, 2026-11).
    Cost c = streamed_cost<T>(s, m,
                              {.bytes = slots * (sizeof(T) + column) + s.rows / 4.0 + 8,
                               .slots = slots,
                               .efficiency = 0.88,
                               .waits = s.longest_row / 4.0,
                               .host = {.slot = 1.25, .row = 1.5, .gather = 3.2, .stream = 0.17}});
    if (m.device) c.seconds += 0.5e-6;  // each thread loads its slice's start first (H200, 2026-11)
    c.reason_not = why_not_sliced(s);
    return c;
  }

  SlicedEll(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), rows_(in.structure.rows) {
    const Structure& s = in.structure;
    if (const std::string reason = why_not_sliced(s); !reason.empty()) throw ArgumentError("sliced-ell: " + reason);
    const std::size_t slices = (static_cast<std::size_t>(rows_) + detail::slice_rows - 1) / detail::slice_rows;
    start_ = Vector<Space, Offset>(space, slices + 1);
    for_each(space, slices, detail::CountSlots{detail::pattern_of(a.view()), start_.data()});
    exclusive_scan(space, start_.span());
    val_ = Vector<Space, T>(space, static_cast<std::size_t>(s.profile->sliced_slots));
    if (is_near(s)) {
      col_ = Vector<Space, std::int16_t>(space, val_.size());
    } else {
      col_ = Vector<Space, Index>(space, val_.size());
    }
    update_values(a);
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    with_view([&](const auto& view) {
      sliced_apply(space_, view, Product<T>{alpha, x.data(), beta, y.data(), y.data()});
    });
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, Slot<T> slot) const {
    with_view(
        [&](const auto& view) { sliced_apply_dot(space_, view, plain_product(x.data(), y.data()), w.data(), slot); });
  }

  /// r = b - A x and *slot = r . r, in one pass.
  void residual(std::span<const T> x, std::span<const T> b, std::span<T> r, Slot<T> slot) const {
    with_view([&](const auto& view) {
      sliced_apply_dot(space_, view, Product<T>{T{-1}, x.data(), T{1}, b.data(), r.data()}, r.data(), slot);
    });
  }

  /// Takes new values. Waits, because a product's kernel may read the matrix before the preceding kernels end.
  void update_values(const SpaceCsr<Space, T>& a) {
    std::visit(
        [&]<class C>(Vector<Space, C>& col) {
          for_each(space_, (start_.size() - 1) * detail::slice_rows,
                   detail::FillSlots<C, T>{detail::arrays_of(a.view()), start_.data(), col.data(), val_.data()});
        },
        col_);
    settle(space_);
  }

  std::size_t bytes() const { return start_.bytes() + val_.size() * (sizeof(T) + column_bytes()); }
  std::size_t slots() const { return val_.size(); }
  std::size_t column_bytes() const { return col_.index() == 0 ? sizeof(std::int16_t) : sizeof(Index); }

 private:
  static bool is_near(const Structure& s) { return s.farthest <= detail::farthest_narrow; }

  template <class F>
  void with_view(const F& f) const {
    std::visit(
        [&]<class C>(const Vector<Space, C>& col) {
          f(detail::SlicedView<C, T>{rows_, start_.data(), col.data(), val_.data()});
        },
        col_);
  }

  Space space_;
  Index rows_;
  Vector<Space, Offset> start_;
  std::variant<Vector<Space, std::int16_t>, Vector<Space, Index>> col_;
  Vector<Space, T> val_;
};

}  // namespace ostinato::formats
