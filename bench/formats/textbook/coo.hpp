// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/bench/formats/textbook/coo_view.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scratch.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with the row and the column of every entry stored (COO): a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    Entries by row. Columns and values are the arrays of the CSR matrix: the caller's arrays on Host (keep
///           them alive), the uploaded arrays on Cuda.
/// Traffic   (sizeof(T) + 8) nonzeros bytes for A and sizeof(T) (3 rows + cols) bytes for x and y; y is scaled first.
/// Exec      A segmented sum over chunks of entries. A thread (Host) or a warp (Cuda) takes a chunk, whatever the
///           lengths of the rows. The order of additions is fixed by the matrix.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class Coo {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "coo";
  static constexpr std::string_view description = "row and column of every entry; a baseline for rows of any length";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    const double entries = static_cast<double>(s.nonzeros);
    Cost c = streamed_cost<T>(s, m,
                              {.bytes = entries * (sizeof(T) + 2 * sizeof(Index)),
                               .slots = entries,
                               .efficiency = 0.55,
                               .waits = 64,
                               .host = {.slot = 1.5, .row = 2.7, .uneven = 3, .gather = 2, .stream = 0.42}});
    const double scaling = 2.0 * sizeof(T) * s.rows;
    c.moved += scaling;
    if (m.device) c.seconds += 2 * m.latency + scaling / m.bandwidth;
    return c;
  }

  Coo(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), a_(a.kept(space)), row_(space, static_cast<std::size_t>(in.structure.nonzeros)) {
    const auto runs = detail::EntryRuns::on<Space>(in.structure.nonzeros);
    for_each(space, runs.count(), detail::FillRowOf{detail::pattern_of(a_.view()), runs, row_.data()});
    carry_ = Scratch<Space, T>(space, static_cast<std::size_t>(view().chunks()));
    space.wait();  // later products may read these arrays before the preceding kernel ends
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for_each(space_, y.size(), detail::ScaleRow<T>{{alpha, x.data(), beta, y.data(), y.data()}});
    auto carry = carry_.borrow();
    coo_add(space_, view(), alpha, x.data(), y.data(), carry.data());
  }

  std::size_t bytes() const {
    return row_.bytes() + carry_.bytes() + a_.view().col.size_bytes() + a_.view().val.size_bytes();
  }

 private:
  detail::CooView<T> view() const {
    return {a_.view().nonzeros(), row_.data(), a_.view().col.data(), a_.view().val.data()};
  }

  Space space_;
  SpaceCsr<Space, T> a_;
  Vector<Space, Index> row_;
  Scratch<Space, T> carry_;
};

}  // namespace ostinato::formats
