// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

/// The cost of a matrix with all rows padded to the longest row: bytes, padding and predicted times, or the reason why
/// the format doesn't apply.
inline ostinato::Cost padded_cost(const ostinato::PlanInput& in, std::size_t value_bytes) {
  const ostinato::Structure& s = in.structure;
  const double slots = static_cast<double>(s.longest_row) * s.rows, entries = static_cast<double>(s.nonzeros);
  ostinato::Cost c;
  c.bytes = static_cast<std::size_t>(slots) * (value_bytes + sizeof(ostinato::Index));
  c.moved = static_cast<double>(c.bytes) + static_cast<double>(value_bytes) * (static_cast<double>(s.rows) + s.cols);
  c.padding = entries > 0 ? slots / entries - 1 : 0;
  c.seconds = in.machine.latency + c.moved / in.machine.bandwidth;
  c.setup_seconds = 2 * static_cast<double>(c.bytes) / in.machine.bandwidth;
  if (c.padding > 3) c.reason_not = "the longest row has " + std::to_string(s.longest_row) + " entries";
  return c;
}

/// y := alpha A x + beta y on the CPU, with every row padded to the length of the longest (ELLPACK).
///
/// Shapes    A: rows x cols, W entries in the longest row.  x: cols.  y: rows.
/// Layout    Slot i * W + k holds entry k of row i; unused slots hold 0 in the row's last column. No row pointers.
/// Traffic   (sizeof(T) + 4) W rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Limits    An infinite or NaN x(0) reaches empty rows.
template <class T>
class PaddedRows {
 public:
  using space_type = ostinato::Host;
  using value_type = T;
  static constexpr std::string_view name = "padded-rows";
  static constexpr std::string_view description = "rows padded to the longest; for rows of even length";

  static ostinato::Cost cost(const ostinato::PlanInput& in) { return padded_cost(in, sizeof(T)); }

  PaddedRows(const ostinato::Host& space, const ostinato::SpaceCsr<ostinato::Host, T>& a, const ostinato::PlanInput& in)
      : space_(space),
        rows_(static_cast<std::size_t>(in.structure.rows)),
        width_(static_cast<std::size_t>(in.structure.longest_row)),
        col_(space, rows_ * width_),
        val_(space, rows_ * width_) {
    parallel_for(space, rows_, [width = width_, col = col_.data(), val = val_.data(), from = a.view()](std::size_t i) {
      const auto begin = static_cast<std::size_t>(from.row_ptr[i]), end = static_cast<std::size_t>(from.row_ptr[i + 1]);
      for (std::size_t k = 0; k < width; ++k) {
        const bool used = begin + k < end;
        col[i * width + k] = used ? from.col[begin + k] : begin < end ? from.col[end - 1] : 0;
        val[i * width + k] = used ? from.val[begin + k] : T{0};
      }
    });
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    parallel_for(space_, rows_, [=, width = width_, col = col_.data(), val = val_.data()](std::size_t i) {
      T sum = 0;
      for (std::size_t k = i * width; k < (i + 1) * width; ++k) sum += val[k] * x[static_cast<std::size_t>(col[k])];
      y[i] = beta == T{0} ? alpha * sum : alpha * sum + beta * y[i];
    });
  }

  std::size_t bytes() const { return col_.bytes() + val_.bytes(); }

 private:
  ostinato::Host space_;
  std::size_t rows_, width_;
  ostinato::Vector<ostinato::Host, ostinato::Index> col_;
  ostinato::Vector<ostinato::Host, T> val_;
};
