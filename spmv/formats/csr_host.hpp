// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The portable kernel of formats/csr.hpp.

#include <algorithm>
#include <cstdint>
#include <limits>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/parallel.hpp>
#include <ostinato/spmv/structure.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::formats {

/// What a CSR product needs beside the matrix: narrow row pointers and the cut into pieces of about equal work.
template <class Space>
struct CsrPlan;

template <>
struct CsrPlan<Host> {
  static constexpr Offset block_work = 16384;  ///< entries, a row counting as two more; some 200 KiB of matrix
  static constexpr double long_mean = 12;      ///< from this mean length on, a row is summed in vector lanes

  Vector<Host, std::int32_t> row_ptr;  ///< empty when the entries need 64 bits
  Vector<Host, Index> block_start;
  bool long_rows;

  template <class T>
  CsrPlan(const Host& host, const CsrView<T>& a, const Structure& s) : long_rows(s.mean_row >= long_mean) {
    const std::size_t rows = static_cast<std::size_t>(a.rows);
    if (a.nonzeros() <= std::numeric_limits<std::int32_t>::max()) {
      row_ptr = Vector<Host, std::int32_t>(host, rows + 1);
      for_each(host, rows + 1, [to = row_ptr.data(), from = a.row_ptr.data()](std::size_t i) {
        to[i] = static_cast<std::int32_t>(from[i]);
      });
    }
    const std::size_t blocks = static_cast<std::size_t>((a.nonzeros() + 2 * Offset{a.rows}) / block_work + 1);
    block_start = Vector<Host, Index>(host, blocks + 1);
    for_each(host, blocks + 1, [this, &a, blocks](std::size_t b) {
      block_start.data()[b] = b == blocks ? a.rows : row_at(a, static_cast<Offset>(b) * block_work);
    });
  }

  std::size_t bytes() const { return row_ptr.bytes() + block_start.bytes(); }

 private:
  /// The first row before which at least `work` has been passed.
  template <class T>
  static Index row_at(const CsrView<T>& a, Offset work) {
    Index low = 0, high = a.rows;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (a.row_ptr[static_cast<std::size_t>(middle)] + 2 * Offset{middle} < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

template <bool Long, class T>
T csr_row(const Index* col, const T* val, const T* x, Offset begin, Offset end) {
  T a = 0;
  if constexpr (Long) {
#pragma omp simd reduction(+ : a)
    for (Offset k = begin; k < end; ++k) a += val[k] * x[col[k]];
  } else {
    for (Offset k = begin; k < end; ++k) a += val[k] * x[col[k]];
  }
  return a;
}

template <bool Long, class Pointer, class T>
void csr_rows(const Host& host, const CsrPlan<Host>& plan, const Pointer* row_ptr, const CsrView<T>& a, T alpha,
              const T* x, T beta, T* y) {
  parallel_for(host, plan.block_start.size() - 1,
               [=, col = a.col.data(), val = a.val.data(), start = plan.block_start.data()](std::size_t block) {
                 for (Index i = start[block]; i < start[block + 1]; ++i) {
                   const T row = alpha * csr_row<Long>(col, val, x, row_ptr[i], row_ptr[i + 1]);
                   y[i] = beta == T{0} ? row : row + beta * y[i];
                 }
               });
}

template <class T>
void csr_apply(const Host& host, const CsrPlan<Host>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
  const auto run = [&](auto* row_ptr) {
    if (plan.long_rows) {
      csr_rows<true>(host, plan, row_ptr, a, alpha, x, beta, y);
    } else {
      csr_rows<false>(host, plan, row_ptr, a, alpha, x, beta, y);
    }
  };
  if (plan.row_ptr.size() > 0) {
    run(plan.row_ptr.data());
  } else {
    run(a.row_ptr.data());
  }
}

}  // namespace ostinato::formats
