// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <ostinato/spmv/formats/format.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

/// y := alpha A x + beta y, with every row padded to the length of the longest (ELLPACK).
///
/// Shapes    A: rows x cols, W entries in the longest row.  x: cols.  y: rows.
/// Layout    Slot i * W + k holds entry k of row i; unused slots hold 0 in a column of the matrix. No row pointers.
/// Traffic   (sizeof(T) + 4) W rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Limits    Host only. A NaN or infinity in the x that a padded slot points to reaches y.
template <class Space, class T>
class PaddedRows {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "padded-rows";
  static constexpr std::string_view description = "rows padded to the longest; for rows of even length";

  static ostinato::Cost cost(const ostinato::Structure& s, const ostinato::Machine& m) {
    ostinato::Cost c;
    const double slots = static_cast<double>(s.longest_row) * s.rows, entries = static_cast<double>(s.nonzeros);
    c.bytes = static_cast<std::size_t>(slots * (sizeof(T) + sizeof(ostinato::Index)));
    c.moved = static_cast<double>(c.bytes) + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    c.padding = entries > 0 ? slots / entries - 1 : 0;
    c.seconds = m.latency + c.moved / m.bandwidth;
    c.setup_seconds = 2 * static_cast<double>(c.bytes) / m.bandwidth;
    if (c.padding > 3) c.reason_not = "the longest row has " + std::to_string(s.longest_row) + " entries";
    return c;
  }

  PaddedRows(const Space& space, const ostinato::Resident<Space, T>& a, const ostinato::Structure& s)
      : space_(space),
        rows_(static_cast<std::size_t>(s.rows)),
        width_(static_cast<std::size_t>(s.longest_row)),
        col_(space, rows_ * width_),
        val_(space, rows_ * width_) {
    ostinato::for_each(space, rows_, [width = width_, col = col_.data(), val = val_.data(), from = a.view()](auto i) {
      const auto begin = static_cast<std::size_t>(from.row_ptr[i]), end = static_cast<std::size_t>(from.row_ptr[i + 1]);
      for (std::size_t k = 0; k < width; ++k) {
        const bool used = begin + k < end;
        col[i * width + k] = used ? from.col[begin + k] : begin < end ? from.col[end - 1] : 0;
        val[i * width + k] = used ? from.val[begin + k] : T{0};
      }
    });
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    ostinato::for_each(space_, rows_, [=, width = width_, col = col_.data(), val = val_.data()](std::size_t i) {
      T sum = 0;
      for (std::size_t k = i * width; k < (i + 1) * width; ++k) sum += val[k] * x[static_cast<std::size_t>(col[k])];
      y[i] = beta == T{0} ? alpha * sum : alpha * sum + beta * y[i];
    });
  }

  std::size_t bytes() const { return col_.bytes() + val_.bytes(); }

 private:
  Space space_;
  std::size_t rows_, width_;
  ostinato::Vector<Space, ostinato::Index> col_;
  ostinato::Vector<Space, T> val_;
};
