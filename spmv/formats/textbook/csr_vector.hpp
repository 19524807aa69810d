// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/spmv/formats/textbook/textbook_kernels.hpp>
#include <ostinato/spmv/formats/textbook/csr_baseline.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y with compressed sparse rows, a warp a row: a baseline.
///
/// Exec      Cuda: the 32 lanes of a warp share a row, however short or long. Host: has no warps, and does what
///           csr-scalar does.
template <class Space, class T>
class CsrVector : public CsrBaseline<Space, T> {
 public:
  static constexpr std::string_view name = "csr-vector";
  static constexpr std::string_view description = "compressed sparse rows, a warp a row; a baseline";

  static Cost cost(const Structure& s, const Machine& m) {
    return CsrVector::baseline_cost(s, m, std::clamp(s.mean_row / 32, 0.03, 1.0), 32);
  }

  using CsrBaseline<Space, T>::CsrBaseline;

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    const detail::PlainRow<T> row = this->product(alpha, x, beta, y);
    if constexpr (Space::on_device) {
      csr_vector_apply(this->space_, row.a, row.p);
    } else {
      for_each(this->space_, y.size(), row);
    }
  }
};

}  // namespace ostinato::formats
