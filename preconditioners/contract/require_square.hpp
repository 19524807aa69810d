// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

/// Throws ArgumentError when a matrix isn't square.
inline void require_square(std::string_view preconditioner, const Structure& s) {
  if (s.rows == s.cols) return;
  throw ArgumentError(std::string(preconditioner) + ": the matrix has " + std::to_string(s.rows) + " rows and " +
                      std::to_string(s.cols) + " columns; use preconditioner none");
}

}  // namespace ostinato
