// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/to_host.hpp>

namespace ostinato::detail {

/// A copy, in host memory, of a matrix in the memory of a space. Waits.
template <class T>
struct OnHost {
  Index rows, cols;
  std::vector<Offset> row_ptr;
  std::vector<Index> col;
  std::vector<T> val;

  template <class Space>
  OnHost(const Space& space, const CsrView<T>& a)
      : rows(a.rows),
        cols(a.cols),
        row_ptr(to_host<Offset>(space, a.row_ptr)),
        col(to_host<Index>(space, a.col)),
        val(to_host<T>(space, a.val)) {}

  CsrView<T> view() const { return {rows, cols, row_ptr, col, val}; }
};

}  // namespace ostinato::detail
