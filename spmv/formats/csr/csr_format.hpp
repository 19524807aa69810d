// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/formats/csr/csr_host.hpp>
#include <ostinato/spmv/formats/format.hpp>
#include <ostinato/spmv/formats/traffic.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A in compressed sparse row form.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    As in ostinato::Csr, but row pointers take 4 bytes while the entries fit. On Host, columns and values are
///           the caller's arrays (keep them alive); on Cuda they are the uploaded ones.
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      Host: blocks of rows with about the same number of entries, spread statically; runs of short rows of equal
///           length are found once and have no inner loop. Cuda: a power of two of threads, chosen from the row
///           lengths, shares a row, and rows far longer than that are cut into pieces for whole blocks. The order of
///           additions is fixed by the matrix.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Source    Threads per row: Mukunoki & Takahashi, IPSJ SIG Technical Report 2013-HPC-138 No. 5.
template <class Space, class T>
class Csr {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "csr";
  static constexpr std::string_view description = "compressed sparse rows; threads per row chosen from the row lengths";

  static Cost cost(const Structure& s, const Machine& m) {
    Cost c;
    const double entries = static_cast<double>(s.nonzeros);
    const double pointer = s.nonzeros <= std::numeric_limits<std::int32_t>::max() ? 4 : 8;
    c.bytes = static_cast<std::size_t>(entries * (sizeof(T) + sizeof(Index)) + pointer * (s.rows + 1.0));
    c.moved = static_cast<double>(c.bytes) + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    constexpr double gathered =
        1.15;  // threads of a row read x less side by side than threads of 32 rows (H200, 2026-11)
    c.seconds = m.latency + traffic_seconds(s, m, c.moved, efficiency(s, m), gathered);
    c.setup_seconds = m.latency + pointer * s.rows / m.bandwidth;
    return c;
  }

  Csr(const Space& space, Resident<Space, T> a, const Structure& s)
      : space_(space), a_(std::move(a)), plan_(space, a_.view(), s) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    csr_apply(space_, plan_, a_.view(), alpha, x.data(), beta, y.data());
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const {
    if constexpr (Space::on_device) {
      csr_apply_dot(space_, plan_, a_.view(), x.data(), y.data(), w.data(), slot);
    } else {
      apply(T{1}, x, T{0}, y);
      sum(space_, y.size(), Dot<T>{w.data(), y.data()}, slot);
    }
  }

  void update_values(Resident<Space, T> a) { a_ = std::move(a); }

  std::size_t bytes() const { return a_.view().val.size() * (sizeof(T) + sizeof(Index)) + plan_.bytes(); }

 private:
  /// Share of the copy bandwidth that the kernel reaches: short rows waste lanes, uneven ones wait for the longest.
  static double efficiency(const Structure& s, const Machine& m) {
    if (!m.device) return 0.93;
    const double even = s.mean_row < 16 ? 0.7 : 0.85;
    return rest_deviation(s) > 2 * s.mean_row ? 0.6 * even : even;
  }

  /// The spread of the row lengths but for the longest row, which whole blocks take if it stands out.
  static double rest_deviation(const Structure& s) {
    if (s.rows == 0) return 0;
    const double beyond = s.longest_row - s.mean_row;
    return std::sqrt(std::max(0.0, s.row_deviation * s.row_deviation - beyond * beyond / s.rows));
  }

  Space space_;
  Resident<Space, T> a_;
  CsrPlan<Space> plan_;
};

}  // namespace ostinato::formats
