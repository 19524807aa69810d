// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/cost/cost.hpp>

#include <algorithm>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/count_text.hpp>

namespace ostinato::formats {

bool grows_too_far(const Structure& s, std::size_t value_bytes, double bytes) {
  constexpr double most = 32;
  const double entry = static_cast<double>(value_bytes) + sizeof(Index);
  return bytes > most * (static_cast<double>(s.nonzeros) * entry + 8.0 * s.rows + 65536);
}

bool pads_too_much(Offset slots, Offset nonzeros) {
  constexpr Offset most = 8, always = 65536;  // slots for an entry; slots that any matrix may have
  return slots > always && slots / most > nonzeros;
}

std::string why_not_sliced(const Structure& s) {
  const Offset slots = s.profile->sliced_slots;
  if (!pads_too_much(slots, s.nonzeros)) return "";
  return "the longest row has " + count_text(s.longest_row) +
         " entries and pads 31 others: " + count_text(slots / std::max<Offset>(s.nonzeros, 1)) + " slots for an entry";
}

std::string why_no_census(const Structure& s) {
  const std::string many = count_text(s.diagonals) + " diagonals, ";
  if (s.diagonals > static_cast<Offset>(DiagonalCensus::max_diagonals))
    return many + "more than " + count_text(DiagonalCensus::max_diagonals);
  if (takes_census(s, AnalysisDepth::quick)) return "not planned: for the format asked for, no diagonals were counted";
  const std::string too_many = many + "too many for its " + count_text(s.nonzeros) + " entries";
  return takes_census(s, AnalysisDepth::full) ? "not considered: " + too_many + "; taken only when asked for by name"
                                              : too_many;
}

}  // namespace ostinato::formats
