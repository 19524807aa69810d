// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of scale.hpp, for both spaces.

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// Writes the values of diag(left) A diag(right); a null pointer stands for the identity.
template <class T>
struct ScaleEntries {
  EntryRuns runs;
  CsrPattern a;
  const T *from, *left, *right;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [this](Index i, Offset k) {
      T value = from[k];
      if (left != nullptr) value *= left[i];
      if (right != nullptr) value *= right[a.col[k]];
      to[k] = value;
    });
  }
};

template <class T>
struct ReadDiagonal {
  CsrPattern a;
  const T* val;
  T* d;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    const Offset k = a.first_from(row, row);
    d[i] = k < a.row_ptr[i + 1] && a.col[k] == row ? val[k] : T{0};
  }
};

}  // namespace ostinato::detail
