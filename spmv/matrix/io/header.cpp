// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/header.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>

namespace ostinato::io {
namespace {

using Words = std::vector<std::string_view>;
using Names = std::span<const std::string_view>;

/// The position of `word` among the names. When `word` is missing, throws FormatError at line 1 that lists the names.
std::size_t choose(const std::string& path, const std::string& word, const char* what, Names names) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  throw FormatError(path, 1, std::string("the banner's ") + what + " is " + quote(word) + "; known are " + list);
}

/// The object in the banner has to be one matrix.
void require_matrix(const std::string& path, std::string_view object) {
  if (lower(object) == "batched") {
    throw FormatError(
        path, 1,
        "the banner's object is 'batched': several matrices with one pattern; write each to a file of its "
        "own, as '%%MatrixMarket matrix coordinate real general'");
  }
  if (lower(object) == "vector") {
    throw FormatError(path, 1,
                      "the banner's object is 'vector'; write '%%MatrixMarket matrix array real general' there, and "
                      "'rows 1' as the size line");
  }
  constexpr std::string_view known[] = {"matrix"};
  choose(path, lower(object), "object", known);
}

constexpr std::string_view fields[] = {"real", "integer", "pattern"};
constexpr std::string_view symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

/// Words behind the banner are remarks, but not those of which one may be meant instead.
void check_remark(const std::string& path, const Words& words) {
  for (std::size_t k = 5; k < words.size(); ++k) {
    const std::string word = lower(words[k]);
    const auto is_in = [&word](Names names) { return std::find(names.begin(), names.end(), word) != names.end(); };
    if (is_in(fields) || is_in(symmetries))
      throw FormatError(path, 1,
                        quote(words[k]) + " follows the symmetry " + quote(words[4]) + "; leave one of them out");
  }
}

void read_banner(const std::string& path, std::string_view line, Header& h, Contents contents) {
  const Words words = split(line);
  if (words.empty() || lower(words[0]) != "%%matrixmarket") {
    throw FormatError(
        path, 1,
        "isn't a Matrix Market file: the first line has to begin with %%MatrixMarket but reads " + quote(line));
  }
  if (words.size() > 1) require_matrix(path, words[1]);
  if (words.size() < 5) {
    throw FormatError(
        path, 1,
        "the banner has to read '%%MatrixMarket matrix FORMAT FIELD SYMMETRY' but reads " + quote(line, line.size()));
  }
  check_remark(path, words);
  h.info.format = lower(words[2]);
  h.info.field = lower(words[3]);
  h.info.symmetry = lower(words[4]);
  constexpr std::string_view formats[] = {"coordinate", "array"};
  h.array = choose(path, h.info.format, "format", formats) == 1;
  if (h.info.field == "complex") throw FormatError(path, 1, complex_advice(contents));
  h.field = static_cast<Field>(choose(path, h.info.field, "field", fields));
  const std::size_t kind = choose(path, h.info.symmetry, "symmetry", symmetries);
  h.symmetry = kind == 0 ? Symmetry::general : kind == 2 ? Symmetry::skew : Symmetry::symmetric;
  if (h.field == Field::pattern && h.array) throw FormatError(path, 1, "an array can't be a pattern: it has no values");
  if (h.field == Field::pattern && h.symmetry == Symmetry::skew) {
    throw FormatError(path, 1, "a pattern can't be skew-symmetric: it has no signs");
  }
}

/// A line of AMGX says what follows the size line beside entries. Only "1 1", blocks of one value, and "sorted" change
/// nothing.
void check_amgx(const std::string& path, std::int64_t number, std::string_view line) {
  const Words words = split(line);
  if (const std::string first = lower(words[0]); first != "%%amgx" && first != "%%nvamg") return;
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k] == "1" || lower(words[k]) == "sorted") continue;
    throw FormatError(path, number,
                      quote(words[k]) + " in " + quote(line) +
                          " is an extension of AMGX; write each value as an entry, " +
                          "the right-hand side and the solution to files of their own, and leave this line out");
  }
}

/// Reads a count from the size line; `most` is the largest allowed value.
std::int64_t read_count(const std::string& path, std::int64_t line, const char* what, std::string_view word,
                        std::int64_t most) {
  std::int64_t n = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  const bool whole = word.find_first_not_of("0123456789") == std::string_view::npos;
  if (!whole) throw FormatError(path, line, std::string("the number of ") + what + " reads " + quote(word));
  if (error != std::errc() || n > most) {
    throw FormatError(
        path, line,
        std::string("the number of ") + what + ", " + quote(word) + ", is more than " + std::to_string(most));
  }
  return n;
}

void read_size(const std::string& path, std::string_view line, Header& h) {
  const Words words = split(line);
  if (words.size() != (h.array ? 2 : 3)) {
    throw FormatError(path, h.line,
                      std::string("the size line has to read ") +
                          (h.array ? "'rows columns'" : "'rows columns entries'") + " but reads " +
                          quote(line, line.size()));
  }
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  h.rows = static_cast<Index>(read_count(path, h.line, "rows", words[0], most));
  h.cols = static_cast<Index>(read_count(path, h.line, "columns", words[1], most));
  if (h.symmetry != Symmetry::general && h.rows != h.cols) {
    throw FormatError(path, h.line,
                      "a " + h.info.symmetry + " matrix has to be square, but this one is " + std::to_string(h.rows) +
                          " x " + std::to_string(h.cols));
  }
  const Offset n = h.rows;
  if (!h.array) {
    h.entries = read_count(path, h.line, "entries", words[2], std::numeric_limits<Offset>::max());
  } else if (h.symmetry == Symmetry::general) {
    h.entries = n * h.cols;
  } else {
    h.entries = h.symmetry == Symmetry::skew ? n * (n - 1) / 2 : n * (n + 1) / 2;
  }
}

/// Limits how much memory a wrong size line can make the reader allocate: an entry takes at least the 6 bytes of
/// "1 1 1\n", or fewer in patterns and arrays.
void check_length(const std::string& path, const Header& h) {
  const std::size_t shortest = h.array ? 2 : h.field == Field::pattern ? 4 : 6;
  const std::size_t room = (h.body.size() + 1) / shortest;
  if (static_cast<std::size_t>(h.entries) > room) {
    throw FormatError(path, h.line,
                      "announces " + std::to_string(h.entries) + " entries, but the " + std::to_string(h.body.size()) +
                          " bytes that follow hold at most " + std::to_string(room));
  }
}

void require_bytes(const std::string& path, const Header& h, const std::string& what, double need, std::size_t memory,
                   const std::string& purpose = "to read") {
  if (need <= static_cast<double>(memory)) return;
  throw FormatError(path, h.line,
                    what + " takes at least " + bytes_text(need) + " of memory " + purpose + ", and there are " +
                        bytes_text(static_cast<double>(memory)));
}

double entries_of(const Header& h) {
  return h.array ? static_cast<double>(h.rows) * h.cols : static_cast<double>(h.entries);
}

std::string description_of(const Header& h) {
  return "a matrix of " + std::to_string(h.rows) + " rows and " + std::to_string(h.entries) +
         (h.entries == 1 ? " entry" : " entries");
}

}  // namespace

void require_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory) {
  const double entry = static_cast<double>(value_bytes + sizeof(Index));
  const double assembled = h.array ? 0 : static_cast<double>(value_bytes + 2 * sizeof(Index));
  const double need = sizeof(Offset) * static_cast<double>(h.rows) + (entry + assembled) * entries_of(h);
  require_bytes(path, h, description_of(h), need, memory);
}

void require_product_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory) {
  const double entry = static_cast<double>(value_bytes + sizeof(Index)), rows = h.rows, cols = h.cols;
  const double need = sizeof(Offset) * rows + entry * entries_of(h) + static_cast<double>(value_bytes) * (rows + cols);
  require_bytes(path, h, description_of(h), need, memory, "to multiply with");
}

void require_vector_memory(const std::string& path, const Header& h, std::size_t value_bytes, std::size_t memory) {
  const double elements = static_cast<double>(h.rows) * h.cols;
  const std::string what = "a vector of " + std::to_string(Offset{h.rows} * h.cols) + " elements";
  require_bytes(path, h, what, elements * static_cast<double>(value_bytes), memory);
}

std::string complex_advice(Contents contents) {
  return std::string("complex values aren't supported yet; ") +
         (contents == Contents::matrix ? "write A = B + iC as the real matrix [B -C; C B]"
                                       : "for the real matrix [B -C; C B] write the vector b + ic as [b; c]");
}

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  Words words;
  std::size_t at = line.find_first_not_of(blanks);
  while (at != std::string_view::npos) {
    const std::size_t stop = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, stop - at));
    at = line.find_first_not_of(blanks, stop);
  }
  return words;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t length = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Header read_header(const std::string& path, std::string_view text, Contents contents) {
  if (text.empty()) throw FormatError(path, 0, "the file is empty");
  Header h;
  read_banner(path, take_line(text), h, contents);
  h.line = 1;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++h.line;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (line[first] == '%') {
      check_amgx(path, h.line, line);
      continue;
    }
    read_size(path, line, h);
    h.body = text;
    check_length(path, h);
    h.info.rows = h.rows;
    h.info.cols = h.cols;
    h.info.stored_entries = h.entries;
    return h;
  }
  throw FormatError(path, h.line, "the file ends before the size line");
}

}  // namespace ostinato::io
