// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/partitioning.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <ostinato/spmv/analysis/grid_definition.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_facts.hpp>
#include <ostinato/spmv/team/letters.hpp>

namespace ostinato {

namespace {

using detail::append;
using detail::Reader;

/// The pattern of the whole matrix.
struct Pattern {
  std::vector<Offset> row_ptr = {0};
  std::vector<Index> col;
};

/// The pattern, on rank 0; without rows on the others.
template <class T>
Pattern gathered_pattern(const Team& team, const CsrView<T>& mine) {
  std::vector<Team::Letter> letters(1, Team::Letter{0, {}});
  std::vector<Offset> lengths = {mine.rows};
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine.rows); ++i)
    lengths.push_back(mine.row_ptr[i + 1] - mine.row_ptr[i]);
  append(letters[0].bytes, lengths.data(), lengths.size());
  append(letters[0].bytes, mine.col.data(), mine.col.size());
  Pattern whole;
  for (const Team::Letter& letter : team.exchange(letters)) {
    Reader reader(letter.bytes);
    Offset rows = 0;
    reader.read(&rows, 1);
    lengths.resize(static_cast<std::size_t>(rows));
    reader.read(lengths.data(), lengths.size());
    for (const Offset length : lengths) whole.row_ptr.push_back(whole.row_ptr.back() + length);
    const std::size_t before = whole.col.size();
    whole.col.resize(before + reader.left() / sizeof(Index));
    reader.read(whole.col.data() + before, whole.col.size() - before);
  }
  return whole;
}

/// The parts of a vector of numbers that rank 0 has as a whole, with a number more for each rank.
struct Scattered {
  std::vector<Index> numbers;
  Index own = 0;
};

Scattered scattered(const Team& team, const Partition& parts, std::span<const Index> whole,
                    std::span<const Index> owns) {
  std::vector<Team::Letter> letters;
  for (int r = 0; r < (team.rank() == 0 ? team.size() : 0); ++r) {
    letters.push_back({r, {}});
    append(letters.back().bytes, &owns[static_cast<std::size_t>(r)], 1);
    append(letters.back().bytes, whole.data() + parts.offset(r),
           static_cast<std::size_t>(parts.offset(r + 1) - parts.offset(r)));
  }
  const std::vector<Team::Letter> arrived = team.exchange(letters);
  Scattered result;
  Reader reader(arrived.at(0).bytes);
  reader.read(&result.own, 1);
  result.numbers.resize(reader.left() / sizeof(Index));
  reader.read(result.numbers.data(), result.numbers.size());
  return result;
}

template <class T>
void require_square(const Partition& given, const CsrView<T>& mine, const char* what) {
  if (given.rows() != mine.cols) throw ArgumentError(std::string(what) + ": the partition needs a square matrix");
}

/// The numbers of the rows by their places in an order, and the first number of each rank.
struct Places {
  std::vector<Index> of_rows, begins;
};

Places places_of(const Pattern& a, std::span<const Index> order, int ranks) {
  constexpr double of_row = Partition::entries_of_row;
  Places places{std::vector<Index>(order.size()), std::vector<Index>(static_cast<std::size_t>(ranks), 0)};
  const double total = static_cast<double>(a.row_ptr.back()) + of_row * static_cast<double>(order.size());
  double work = 0;
  std::size_t rank = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    while (rank < places.begins.size() && work >= total / ranks * static_cast<double>(rank))
      places.begins[rank++] = static_cast<Index>(k);
    const std::size_t row = static_cast<std::size_t>(order[k]);
    places.of_rows[row] = static_cast<Index>(k);
    work += static_cast<double>(a.row_ptr[row + 1] - a.row_ptr[row]) + of_row;
  }
  while (rank < places.begins.size()) places.begins[rank++] = static_cast<Index>(order.size());
  return places;
}

const char* after_blanks(const char* p, const char* end) {
  return std::find_if(p, end, [](char c) { return c != ' ' && c != '\t' && c != '\r'; });
}

/// The number in a line.
int owner_in(std::string_view line, const std::string& path, Offset number, int ranks) {
  const char *const end = line.data() + line.size(), *const begin = after_blanks(line.data(), end);
  int owner = 0;
  const auto [last, error] = std::from_chars(begin, end, owner);
  if (error != std::errc() || after_blanks(last, end) != end)
    throw FormatError(path, number, "'" + std::string(line) + "' isn't the number of a rank");
  if (owner < 0 || owner >= ranks)
    throw FormatError(path, number,
                      "rank " + std::to_string(owner) + "; there are ranks 0 to " + std::to_string(ranks - 1));
  return owner;
}

std::vector<int> owners_in(std::string_view text, const std::string& path, const Partition& rows, const Team& team) {
  std::vector<int> owners;
  Offset number = 0, row = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (after_blanks(line.data(), line.data() + line.size()) == line.data() + line.size()) continue;
    const int owner = owner_in(line, path, number, team.size());
    if (row >= rows.rows())
      throw FormatError(path, number, "an owner more than the " + std::to_string(rows.rows()) + " rows of the matrix");
    if (row >= rows.begin(team) && row < rows.end(team)) owners.push_back(owner);
    ++row;
  }
  if (row < rows.rows())
    throw FormatError(
        path, number,
        "ends after " + std::to_string(row) + " owners; the matrix has " + std::to_string(rows.rows()) + " rows");
  return owners;
}

}  // namespace

template <class T>
Partition grid_partition(const Team& team, const Partition& given, const CsrView<T>& mine) {
  constexpr std::size_t most = 243;  // 27 points of 9 unknowns
  require_square(given, mine, "grid");
  Structure s;
  s.rows = s.cols = given.rows();
  if (auto offsets = distributed_diagonals(team, given, mine, most)) s.offsets = std::move(*offsets);
  Partition parts;
  bool found = false;
  const auto take = [&](const detail::GridRows& rows) {
    if (rows.by_field) return false;
    parts = Partition::grid(team, rows.grid, static_cast<Index>(rows.unknowns));
    return found = true;
  };
  if (grid_definition::reason_against(s).empty()) grid_definition::try_candidates(s, take);
  if (!found) throw ArgumentError("grid: the diagonals of the matrix show no grid whose points come plane by plane");
  return parts;
}

template <class T>
Numbering rcm_partition(const Team& team, const Partition& given, const CsrView<T>& mine) {
  require_square(given, mine, "rcm");
  const Pattern whole = gathered_pattern(team, mine);
  const Places places = team.agreed([&] {
    if (team.rank() > 0) return Places{};
    return places_of(whole, reverse_cuthill_mckee(symmetric_graph(whole.row_ptr, whole.col)), team.size());
  });
  Scattered own = scattered(team, given, places.of_rows, places.begins);
  std::vector<Index> offsets = team.all_gather(own.own);
  offsets.push_back(given.rows());
  return Numbering(team, given, Partition(std::move(offsets)).aligned(), std::move(own.numbers));
}

template <class T>
Numbering metis_partition(const Team& team, const Partition& given, const CsrView<T>& mine, const StopRequest& stop) {
  require_square(given, mine, "metis");
  if (!has_graph_parts) throw ArgumentError("metis: this build has no METIS; take the partition rcm");
  const Pattern whole = gathered_pattern(team, mine);
  const std::vector<Index> parts = team.agreed([&] {
    if (team.rank() > 0) return std::vector<Index>();
    return graph_parts(symmetric_graph(whole.row_ptr, whole.col), team.size(), stop);
  });
  const std::vector<Index> none(static_cast<std::size_t>(team.size()), 0);
  const Scattered own = scattered(team, given, parts, none);
  return Numbering::of_owners(team, given, std::vector<int>(own.numbers.begin(), own.numbers.end()));
}

std::vector<int> read_owners(const Team& team, const Partition& given, const std::string& path) {
  return team.agreed([&] {
    const io::Text text(path);
    return owners_in(text.view(), path, given, team);
  });
}

#define OSTINATO_INSTANTIATE(T)                                                        \
  template Partition grid_partition(const Team&, const Partition&, const CsrView<T>&); \
  template Numbering rcm_partition(const Team&, const Partition&, const CsrView<T>&);  \
  template Numbering metis_partition(const Team&, const Partition&, const CsrView<T>&, const StopRequest&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
