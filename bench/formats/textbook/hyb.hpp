// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <ostinato/bench/formats/textbook/coo_view.hpp>
#include <ostinato/bench/formats/textbook/ell_view.hpp>
#include <ostinato/bench/formats/textbook/hyb_view.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/scratch.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with the first entries of each row in ELL and the others in COO (HYB): a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    See EllView and CooView. The width of the ELL part is the largest that at least a third of the rows reach:
///           ELL is three times as fast as COO (Bell & Garland), so a column that a third of the rows fill pays.
/// Traffic   (sizeof(T) + 4) slots + (sizeof(T) + 8) rest bytes for A and sizeof(T) (rows + cols) bytes for x and y, if
///           x and y are read once; slots is the size of the ELL part, rest of the COO part.
/// Exec      A first kernel computes the ELL part; the COO part then adds to y. The order of additions is fixed by the
///           matrix.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class Hyb {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "hyb";
  static constexpr std::string_view description =
      "ELL as wide as a third of the rows are long, COO for the rest; a baseline";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    const double entries = static_cast<double>(s.nonzeros), rows = s.rows, width = expected_width(s),
                 slots = rows * width;
    // An estimate of the entries past the ELL width if row lengths are normally distributed. At least a third of the
    // ELL slots hold an entry.
    const double rest =
        std::clamp(0.22 * s.row_deviation * rows, std::max(entries - slots, 0.0), std::max(entries - slots / 3, 0.0));
    const double bytes = slots * (sizeof(T) + sizeof(Index)) + rest * (sizeof(T) + 2 * sizeof(Index));
    Cost c =
        streamed_cost<T>(s, m,
                         {.bytes = bytes,
                          .slots = slots + rest,
                          .efficiency = 0.7,
                          .waits = 64 + width / 4,
                          .host = {.slot = 1.5, .row = 1.4, .uneven = 3, .chain = 0.6, .gather = 3, .stream = 0.2}});
    if (rest > 0) c.most_bytes = 2 * c.bytes;
    if (m.device && rest > 0) c.seconds += 2 * m.latency;
    if (m.device) c.seconds *= 1.1;  // as for ell
    return c;
  }

  Hyb(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), rows_(in.structure.rows), width_(third_width(space, a.view())) {
    const detail::CsrArrays<T> from = detail::arrays_of(a.view());
    const std::size_t rows = static_cast<std::size_t>(rows_), slots = rows * static_cast<std::size_t>(width_);
    ell_col_ = Vector<Space, Index>(space, slots);
    ell_val_ = Vector<Space, T>(space, slots);
    for_each(space, rows, detail::FillEll<T>{from, width_, ell_col_.data(), ell_val_.data()});

    Vector<Space, Offset> begin(space, rows + 1);
    for_each(space, rows, detail::CountRest{from, width_, begin.data()});
    exclusive_scan(space, begin.span());
    Offset rest = 0;
    space.download(&rest, begin.data() + rows, sizeof rest);
    row_ = Vector<Space, Index>(space, static_cast<std::size_t>(rest));
    col_ = Vector<Space, Index>(space, static_cast<std::size_t>(rest));
    val_ = Vector<Space, T>(space, static_cast<std::size_t>(rest));
    const auto runs = detail::EntryRuns::on<Space>(in.structure.nonzeros);
    for_each(space, runs.count(),
             detail::FillRest<T>{from, runs, width_, begin.data(), row_.data(), col_.data(), val_.data()});
    carry_ = Scratch<Space, T>(space, static_cast<std::size_t>(view().chunks()));
    space.wait();  // later products may read these arrays before the preceding kernel ends
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for_each(space_, y.size(),
             detail::EllRow<T>{{rows_, width_, ell_col_.data(), ell_val_.data()},
                               {alpha, x.data(), beta, y.data(), y.data()}});
    if (row_.size() == 0) return;
    auto carry = carry_.borrow();
    coo_add(space_, view(), alpha, x.data(), y.data(), carry.data());
  }

  std::size_t bytes() const {
    return ell_col_.bytes() + ell_val_.bytes() + row_.bytes() + col_.bytes() + val_.bytes() + carry_.bytes();
  }

  Index width() const { return width_; }

 private:
  /// The width if the lengths of rows are normally distributed; the mean length where some rows are far longer.
  static double expected_width(const Structure& s) {
    const double deviation = s.deviation_without_longest_row();
    return std::round(s.mean_row + (deviation < s.mean_row ? 0.43 * deviation : 0));
  }

  /// The largest width that at least a third of the rows reach.
  static Index third_width(const Space& space, const CsrView<T>& a) {
    const std::vector<Offset> row_ptr = ostinato::detail::to_host<Offset>(space, a.row_ptr);
    std::vector<Index> lengths;
    for (std::size_t i = 1; i < row_ptr.size(); ++i) lengths.push_back(static_cast<Index>(row_ptr[i] - row_ptr[i - 1]));
    if (lengths.empty()) return 0;
    const auto at = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() + 2) / 3 - 1);
    std::nth_element(lengths.begin(), at, lengths.end(), std::greater<>());
    return *at;
  }

  detail::CooView<T> view() const { return {static_cast<Offset>(row_.size()), row_.data(), col_.data(), val_.data()}; }

  Space space_;
  Index rows_, width_;
  Vector<Space, Index> ell_col_;
  Vector<Space, T> ell_val_;
  Vector<Space, Index> row_, col_;
  Vector<Space, T> val_;
  Scratch<Space, T> carry_;
};

}  // namespace ostinato::formats
