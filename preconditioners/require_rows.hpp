// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

/// Throws DimensionError when new values are those of a matrix of another size.
inline void require_rows(std::string_view preconditioner, const Structure& s, std::size_t rows) {
  if (static_cast<std::size_t>(s.rows) == rows) return;
  throw DimensionError(std::string(preconditioner) + ": new values of " + std::to_string(s.rows) +
                       " rows for a preconditioner of " + std::to_string(rows) + "; build a new preconditioner");
}

}  // namespace ostinato
