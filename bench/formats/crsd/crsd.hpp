// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <ostinato/bench/formats/crsd/crsd_build.hpp>
#include <ostinato/bench/formats/crsd/crsd_view.hpp>
#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/matrix/on_host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A in compressed row segments with diagonal patterns (CRSD): a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    See CrsdView. A segment of 32 rows stores the diagonals that have an entry there, diagonal by diagonal.
///           Segments with the same diagonals share a pattern, which is a list of groups of adjacent diagonals. A row
///           that has the only entry of a diagonal in its segment is a scattered row: all of its entries are in ELL.
/// Traffic   sizeof(T) slots + 16 rows / 32 bytes for the diagonals, (sizeof(T) + 4) width + 4 bytes for a scattered
///           row, and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      Host: a thread takes segments, whose rows are SIMD lanes. Cuda: a warp takes a segment. For adjacent
///           diagonals it copies the part of x that they share to shared memory. Thread blocks of the same launch take
///           the scattered rows, a thread a row. The terms of a row are added by ascending column. The conversion runs
///           on one thread of the host.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Slots without an entry are multiplied as 0 times x: an infinite or NaN x(j) reaches rows that a general
///           format leaves finite. Refuses a matrix whose scattered rows might take over 3 slots for an entry of A.
/// Source    Sun, Zhang, Wang, Zhang, Yuan & Rao, Optimizing SpMV for diagonal sparse matrices on GPU, ICPP 2011,
///           doi:10.1109/ICPP.2011.53. What differs: the paper generates a kernel with a branch for each pattern; here
///           one kernel reads a table of patterns. DIA-Adaptive, section 4.3, names segments of 2, 4 or 8 rows, but
///           its 3,920 padded zeros of wang3 are those of 32 rows (3,904).
template <class Space, class T>
class Crsd {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "crsd";
  static constexpr std::string_view description =
      "diagonals within 32 rows by pattern, and odd rows in ELL; a baseline";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    Cost c;
    if (s.census == nullptr) {
      c.reason_not = why_no_census(s);
      return c;
    }
    const CrsdEstimate e = estimate_crsd(s);
    c = streamed_cost<T>(s, in.machine,
                         {.bytes = bytes(s, e.slots, e.scattered * e.width, e.scattered),
                          .slots = e.slots + e.scattered * e.width,
                          .efficiency = 0.8,
                          .waits = s.longest_row / 2.0,
                          .host = {.slot = 1.1, .row = 2, .gather = 0, .stream = 0.2}});
    const double most = e.most_scattered * s.longest_row;
    c.most_bytes = static_cast<std::size_t>(bytes(s, e.slots + 32 * e.scattered * e.width, most, e.most_scattered));
    // EPYC, 2026-11: 30 ns an entry, most of them for sorting.
    c.setup_seconds += static_cast<double>(s.nonzeros) * 30e-9;
    if (grows_too_far(s, sizeof(T), static_cast<double>(c.bytes))) {
      c.reason_not = count_text(s.diagonals) + " diagonals, nearly empty within 32 rows";
    } else if (most > 3 * static_cast<double>(s.nonzeros) + 4096) {
      c.reason_not = "scattered rows might be padded to " + count_text(s.longest_row) + " entries";
    }
    return c;
  }

  Crsd(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), rows_(in.structure.rows), cols_(in.structure.cols) {
    if (const std::string why = cost(in).reason_not; !why.empty()) throw ArgumentError("crsd: " + why);
    const CrsdArrays<T> from = to_crsd(ostinato::detail::OnHost<T>(space, a.view()).view());
    width_ = from.width;
    take(pattern_, from.pattern);
    take(start_, from.start);
    take(taken_, from.taken);
    take(group_ptr_, from.group_ptr);
    take(group_, from.group);
    take(val_, from.val);
    take(scatter_row_, from.scatter_row);
    take(scatter_col_, from.scatter_col);
    take(scatter_val_, from.scatter_val);
    space.wait();  // before the host's arrays go
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    crsd_apply(space_, view(), Product<T>{alpha, x.data(), beta, y.data(), y.data()});
  }

  std::size_t bytes() const {
    return pattern_.bytes() + start_.bytes() + taken_.bytes() + group_ptr_.bytes() + group_.bytes() + val_.bytes() +
           scatter_row_.bytes() + scatter_col_.bytes() + scatter_val_.bytes();
  }

  std::size_t slots() const { return val_.size(); }
  std::size_t patterns() const { return group_ptr_.size() - 1; }
  std::size_t scattered() const { return scatter_row_.size(); }

 private:
  /// Without the table of patterns, which is small for the matrices that the format is for.
  static double bytes(const Structure& s, double slots, double scatter_slots, double scattered) {
    return slots * sizeof(T) + 16 * std::ceil(s.rows / 32.0) + scatter_slots * (sizeof(T) + 4) + 4 * scattered;
  }

  template <class V>
  void take(Vector<Space, V>& to, const std::vector<V>& from) const {
    to = Vector<Space, V>(space_, std::span<const V>(from));
  }

  detail::CrsdView<T> view() const {
    return {rows_,
            cols_,
            pattern_.data(),
            start_.data(),
            taken_.data(),
            group_ptr_.data(),
            group_.data(),
            val_.data(),
            static_cast<Index>(scatter_row_.size()),
            width_,
            scatter_row_.data(),
            scatter_col_.data(),
            scatter_val_.data()};
  }

  Space space_;
  Index rows_, cols_, width_ = 0;
  Vector<Space, Index> pattern_;
  Vector<Space, Offset> start_;
  Vector<Space, std::uint32_t> taken_;
  Vector<Space, Index> group_ptr_;
  Vector<Space, detail::CrsdGroup> group_;
  Vector<Space, T> val_;
  Vector<Space, Index> scatter_row_, scatter_col_;
  Vector<Space, T> scatter_val_;
};

}  // namespace ostinato::formats
