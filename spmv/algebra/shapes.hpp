// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::detail {

inline std::string shape_of(Index rows, Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

template <class T>
std::string shape_of(const CsrView<T>& a) {
  return shape_of(a.rows, a.cols);
}

/// Throws DimensionError unless `a` has the shape and the number of entries that a plan was made for.
template <class T>
void require_pattern(const char* what, const CsrView<T>& a, Index rows, Index cols, Offset nonzeros) {
  if (a.rows == rows && a.cols == cols && a.nonzeros() == nonzeros) return;
  throw DimensionError(std::string(what) + ": the plan was made for a matrix that is " + shape_of(rows, cols) +
                       " with " + std::to_string(nonzeros) + " entries, but this one is " + shape_of(a) + " with " +
                       std::to_string(a.nonzeros()) + " entries; make a new plan");
}

}  // namespace ostinato::detail
