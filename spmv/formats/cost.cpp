// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cost.hpp>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato::formats {

bool grows_too_far(const Structure& s, std::size_t value_bytes, double bytes) {
  constexpr double most = 32;
  const double entry = static_cast<double>(value_bytes) + sizeof(Index);
  return bytes > most * (static_cast<double>(s.nonzeros) * entry + 8.0 * s.rows + 65536);
}

std::string why_no_census(const Structure& s) {
  const std::string many = std::to_string(s.diagonals) + " diagonals, ";
  if (s.diagonals > static_cast<Offset>(DiagonalCensus::max_diagonals))
    return many + "more than " + std::to_string(DiagonalCensus::max_diagonals);
  if (takes_census(s, AnalysisDepth::quick)) return "not planned: for the format asked for, no diagonals were counted";
  return many + "too many for its " + std::to_string(s.nonzeros) + " entries";
}

}  // namespace ostinato::formats
