// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/cuda/baselines.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/formats/format.hpp>
#include <ostinato/spmv/formats/streamed_cost.hpp>
#include <ostinato/spmv/parallel.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y with compressed sparse rows, a warp a row: a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    As in ostinato::Csr. On Host the arrays are the caller's (keep them alive), on Cuda the uploaded ones.
/// Traffic   (sizeof(T) + 4) nonzeros + 8 rows for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      Cuda: the 32 lanes of a warp share a row, however short or long. Host: has no warps, and does what
///           csr-scalar does.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class CsrVector {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "csr-vector";
  static constexpr std::string_view description = "compressed sparse rows, a warp a row; a baseline";

  static Cost cost(const Structure& s, const Machine& m) {
    const double entries = static_cast<double>(s.nonzeros);
    const double efficiency = m.device ? 0.8 * std::clamp(s.mean_row / 32, 0.03, 1.0) : 0.6;
    return streamed_cost<T>(
        s, m,
        {entries * (sizeof(T) + sizeof(Index)) + 8.0 * (s.rows + 1.0), entries, efficiency, s.longest_row / 64.0});
  }

  CsrVector(const Space& space, Resident<Space, T> a, const Structure&) : space_(space), a_(std::move(a)) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    const detail::PlainRow<T> row{detail::arrays_of(a_.view()), {alpha, x.data(), beta, y.data(), y.data()}};
    if constexpr (Space::on_device) {
      csr_vector_apply(space_, row.a, row.p);
    } else {
      for_each(space_, y.size(), row);
    }
  }

  std::size_t bytes() const {
    return a_.view().row_ptr.size_bytes() + a_.view().col.size_bytes() + a_.view().val.size_bytes();
  }

 private:
  Space space_;
  Resident<Space, T> a_;
};

}  // namespace ostinato::formats
