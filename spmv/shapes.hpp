// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_shapes(const char* what, std::size_t rows, std::size_t cols,
                                                                 std::size_t x, std::size_t y) {
  throw DimensionError(std::string(what) + ": the matrix is " + std::to_string(rows) + " x " + std::to_string(cols) +
                       ", but x has " + std::to_string(x) + " and y " + std::to_string(y) + " elements");
}

}  // namespace detail

/// Throws DimensionError, which names the shapes, unless y = A x is defined for a matrix of rows x cols and vectors of
/// so many elements.
inline void require_shapes(const char* what, std::size_t rows, std::size_t cols, std::size_t x, std::size_t y) {
  if (x != cols || y != rows) detail::refuse_shapes(what, rows, cols, x, y);
}

}  // namespace ostinato
