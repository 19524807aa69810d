// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/search_engine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

constexpr Index hdi_rows = 256;

Offset nonzeros(const DiagonalCensus& census) {
  Offset total = 0;
  for (const Diagonal& d : census.diagonals) total += d.entries;
  return total;
}

/// The rows in which a diagonal lies inside the matrix.
struct Extent {
  Offset begin, end;
};

Extent extent(const DiagonalCensus& census, Index offset) {
  return {std::max<Offset>(0, -offset), std::min<Offset>(census.rows, static_cast<Offset>(census.cols) - offset)};
}

bool is_scatter_point(const DiagonalCensus& census, const Diagonal& d) {
  const Extent inside = extent(census, d.offset);
  return d.entries == 1 && inside.end - inside.begin > 1;
}

Offset longest_zero_section(const DiagonalCensus& census, const Diagonal& d) {
  const Extent inside = extent(census, d.offset);
  return std::max({static_cast<Offset>(d.longest_gap), d.first_row - inside.begin, inside.end - 1 - d.last_row});
}

/// Number of slots when each group of `pieces` row pieces stores only diagonals that have entries in the group.
Offset slots_by_group(const DiagonalCensus& census, std::size_t pieces) {
  const std::size_t diagonals = census.diagonals.size(), stride = pieces * diagonals;
  const Offset group_rows = static_cast<Offset>(pieces) * census.rows_in_piece;
  Offset slots = 0, begin = 0;
  for (std::size_t group = 0; group < census.pieces().size(); group += stride, begin += group_rows) {
    const std::size_t end = std::min(group + stride, census.pieces().size());
    const Offset rows = std::min(group_rows, census.rows - begin);
    for (std::size_t d = 0; d < diagonals; ++d) {
      bool some = false;
      for (std::size_t at = group + d; at < end; at += diagonals) some = some || census.pieces()[at].entries > 0;
      if (some) slots += rows;
    }
  }
  return slots;
}

void measure(const DiagonalCensus& census, SearchResult& v) {
  v.delta = static_cast<Index>((static_cast<Offset>(census.rows) + 99) / 100);
  v.n_diag = static_cast<Offset>(census.diagonals.size());
  v.n_elem = v.n_diag * census.rows;
  v.n_zero = v.n_elem - nonzeros(census);
  const Index longest = std::max(v.delta, census.rows_in_piece);
  for (const Diagonal& d : census.diagonals) {
    v.n_offset += std::abs(d.offset) > v.delta ? 1 : 0;
    if (is_scatter_point(census, d)) {
      v.label_s = true;
    } else if (longest_zero_section(census, d) > longest) {
      v.label_lz = true;
    }
  }
  const auto diagonals = static_cast<double>(v.n_diag);
  v.p_offset = static_cast<double>(v.n_offset) / diagonals;
  v.p_zero = static_cast<double>(v.n_zero) / static_cast<double>(v.n_elem);
  v.alpha = (diagonals - 1) / (100 * diagonals);
}

std::string why_broken(const SearchResult& v) {
  if (v.n_offset == 0) return "no diagonal is far from the main one, but DIA would pad too much";
  if (v.label_lz && v.label_s) return "diagonals have long zero sections, and there are scatter points";
  return v.label_lz ? "a diagonal has a long zero section" : "there are scatter points";
}

}  // namespace

SearchResult search(const DiagonalCensus& census) {
  SearchResult v;
  if (census.diagonals.empty() || census.rows == 0) throw ArgumentError("search: a matrix without entries");
  measure(census, v);
  if (v.n_offset == 0 && v.p_zero < v.alpha) {
    v.type = DiagonalType::one;
    v.format = "dia";
    v.reason = "all diagonals are near the main one, and DIA pads little";
  } else if (v.n_offset > 0 && !v.label_lz && !v.label_s) {
    v.type = DiagonalType::two;
    v.format = "brcsd-i";
    v.reason = "diagonals are far from the main one, none is broken";
  } else {
    v.type = DiagonalType::three;
    v.format = "brcsd-ii";
    v.reason = why_broken(v);
  }
  return v;
}

Offset padded_zeros(const DiagonalCensus& census, std::string_view format) {
  const Offset entries = nonzeros(census);
  if (format == "dia") return static_cast<Offset>(census.diagonals.size()) * census.rows - entries;
  if (format == "brcsd-ii") return slots_by_group(census, 1) - entries;
  if (format != "hdi")
    throw ArgumentError("padded_zeros: " + unknown_name("format", format, {"dia", "hdi", "brcsd-ii"}));
  if (hdi_rows % census.rows_in_piece != 0) {
    throw ArgumentError("padded_zeros: groups of " + std::to_string(hdi_rows) + " rows aren't made of pieces of " +
                        std::to_string(census.rows_in_piece));
  }
  return slots_by_group(census, static_cast<std::size_t>(hdi_rows / census.rows_in_piece)) - entries;
}

}  // namespace ostinato
