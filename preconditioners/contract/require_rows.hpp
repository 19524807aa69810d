// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

/// Throws DimensionError when new values are those of a matrix of another size.
inline void require_rows(std::string_view preconditioner, const Structure& s, std::size_t rows) {
  if (static_cast<std::size_t>(s.rows) == rows) return;
  throw DimensionError(std::string(preconditioner) + ": new values of " + std::to_string(s.rows) +
                       " rows for a preconditioner of " + std::to_string(rows) + "; build a new preconditioner");
}

/// Says that rows have no diagonal entry, for preconditioners that divide by it; empty where all have one.
inline std::string why_no_diagonal(const Structure& s) {
  if (s.missing_diagonal == 0) return {};
  return std::to_string(s.missing_diagonal) + (s.missing_diagonal == 1 ? " row has no diagonal entry, or 0 there"
                                                                       : " rows have no diagonal entry, or 0 there");
}

}  // namespace ostinato
