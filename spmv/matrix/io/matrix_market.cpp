// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/matrix_market.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>
#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/matrix/io/vector_file.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {
namespace io {
namespace {

/// A part of the text with the entries. A part begins at the start of a line.
struct Piece {
  const char* begin = nullptr;
  const char* end = nullptr;
  Offset first = 0;  ///< number of its first entry
  Offset entries = 0;
  Offset vanished = 0;  ///< values other than 0 that were read as 0
  bool bad = false;
  bool lower = false, upper = false;  ///< it has entries below, or above, the diagonal
};

/// Cuts the text at line ends. The positions of the cuts depend on the text alone.
std::vector<Piece> cut(std::string_view text) {
  constexpr std::size_t shortest = std::size_t{1} << 18;
  constexpr std::size_t most = 1024;
  const std::size_t count = std::clamp<std::size_t>(text.size() / shortest, 1, most);
  const char* const end = text.data() + text.size();
  std::vector<Piece> pieces(count);
  const char* begin = text.data();
  for (std::size_t k = 0; k < count; ++k) {
    pieces[k].begin = begin;
    const char* aim = k + 1 < count ? text.data() + text.size() / count * (k + 1) : end;
    // The search begins one character before the aim, so that an aim just after a line end stays there.
    if (aim > begin) begin = next_line(aim - 1, end);
    pieces[k].end = begin;
  }
  return pieces;
}

/// Calls one(p) for each data line of the piece. one() returns the start of the next line, or nullptr for a bad line,
/// which ends the loop.
template <class F>
void each_line(Piece& piece, F one) {
  Offset entries = 0;
  const char* p = find_data(piece.begin, piece.end);
  while (p != piece.end) {
    p = one(p);
    if (p == nullptr) {
      piece.bad = true;
      return;
    }
    ++entries;
    p = find_data(p, piece.end);
  }
  piece.entries = entries;
}

/// Numbers the entries. Returns false when a line is bad or the file doesn't hold the announced number of entries.
bool number(std::vector<Piece>& pieces, Offset announced) {
  Offset total = 0;
  for (Piece& piece : pieces) {
    if (piece.bad) return false;
    piece.first = total;
    total += piece.entries;
  }
  return total == announced;
}

bool any(const std::vector<Piece>& pieces, bool Piece::*member) {
  return std::any_of(pieces.begin(), pieces.end(), [member](const Piece& piece) { return piece.*member; });
}

Offset vanished(const std::vector<Piece>& pieces) {
  Offset total = 0;
  for (const Piece& piece : pieces) total += piece.vanished;
  return total;
}

/// What is read of a file: a matrix, and how many of its values vanished.
template <class T>
struct Reading {
  Csr<T> a;
  Offset vanished;
};

/// The first pass, which only counts the entries per row. The values, and the columns of a general matrix, are parsed
/// only in the second pass.
template <class T>
void count_entries(const Header& h, Piece& piece, typename detail::Assembly<T>::Count count) {
  const char* const end = piece.end;
  bool lower = false, upper = false;
  each_line(piece, [&](const char* p) -> const char* {
    Index row = 0;
    p = parse_index(p, end, h.rows, row);
    if (p == nullptr) return nullptr;
    count.add(row);
    if (h.symmetry != Symmetry::general) {
      Index col = 0;
      p = parse_index(parse_gap(p, end), end, h.cols, col);
      if (p == nullptr) return nullptr;
      if (col != row) count.add(col);
      lower |= col < row;
      upper |= col > row;
    }
    return next_line(p, end);
  });
  piece.lower = lower;
  piece.upper = upper;
}

template <class T>
void put_entries(const Header& h, Piece& piece, typename detail::Assembly<T>::Put put) {
  const char* const end = piece.end;
  const T mirrored = h.symmetry == Symmetry::skew ? T{-1} : T{1};
  each_line(piece, [&](const char* p) -> const char* {
    Triplet<T> e;
    const char* const line = p;
    p = parse_entry(h, p, end, e);
    if (p == nullptr || !put.add(e.row, e.col, e.val)) return nullptr;
    if (e.val == 0 && has_vanished(line, p)) ++piece.vanished;
    const bool mirror = h.symmetry != Symmetry::general && e.row != e.col;
    return mirror && !put.add(e.col, e.row, mirrored * e.val) ? nullptr : p;
  });
}

template <class T>
Reading<T> read_coordinate(const Host& host, const std::string& path, const Header& h, Progress& progress) {
  std::vector<Piece> pieces = cut(h.body);
  progress.steps = 2 * static_cast<int>(pieces.size());
  detail::Assembly<T> assembly(host, h.rows, h.cols, pieces.size());
  parallel_for(host, pieces.size(), [&](std::size_t k) {
    count_entries<T>(h, pieces[k], assembly.count(k));
    ++progress.done;
  });
  if (!number(pieces, h.entries)) report<T>(path, h);
  assembly.allocate();
  parallel_for(host, pieces.size(), [&](std::size_t k) {
    put_entries<T>(h, pieces[k], assembly.put(k));
    ++progress.done;
  });
  if (any(pieces, &Piece::bad)) report<T>(path, h);
  if (any(pieces, &Piece::lower) && any(pieces, &Piece::upper)) require_no_mirror_images(path, h);
  return {assembly.finish(), vanished(pieces)};
}

/// Walks through a dense array in the order of the file: down the stored part of each column.
struct Walker {
  const Header& h;
  Index row = 0;
  Index col = 0;

  Walker(const Header& header, Offset entry) : h(header) {
    if (h.symmetry == Symmetry::general) {
      col = static_cast<Index>(entry / h.rows);
      row = static_cast<Index>(entry % h.rows);
      return;
    }
    for (; entry >= h.rows - top(); ++col) entry -= h.rows - top();
    row = static_cast<Index>(top() + entry);
  }

  Index top() const { return h.symmetry == Symmetry::general ? 0 : h.symmetry == Symmetry::skew ? col + 1 : col; }
  void next() {
    if (++row < h.rows) return;
    ++col;
    row = top();
  }
};

/// A CSR matrix for a dense array, with unset values. All rows are full, except for the diagonal of a skew-symmetric
/// matrix.
template <class T>
Csr<T> full_rows(const Host& host, const Header& h) {
  const Offset width = h.symmetry == Symmetry::skew && h.cols > 0 ? h.cols - 1 : h.cols;
  const auto entries = static_cast<std::size_t>(h.rows * width);
  Csr<T> a{h.rows, h.cols, Array<Offset>(static_cast<std::size_t>(h.rows) + 1), Array<Index>(entries),
           Array<T>(entries)};
  a.row_ptr[0] = 0;
  const std::vector<detail::RowRun> runs = detail::cut_rows(h.rows);
  parallel_for(host, runs.size(), [&](std::size_t k) {
    for (Index r = runs[k].first; r < runs[k].last; ++r) {
      const Offset begin = r * width;
      a.row_ptr[static_cast<std::size_t>(r) + 1] = begin + width;
      std::iota(a.col.begin() + begin, a.col.begin() + begin + width, 0);
      if (width < h.cols)
        std::for_each(a.col.begin() + begin + r, a.col.begin() + begin + width, [](Index& c) { ++c; });
    }
  });
  return a;
}

template <class T>
void put_elements(const Header& h, Piece& piece, Csr<T>& a) {
  if (piece.entries == 0) return;  // a Walker has to start inside of the array
  const bool skew = h.symmetry == Symmetry::skew;
  const auto place = [&](Index row, Index col) -> T& {
    const Offset begin = a.row_ptr[static_cast<std::size_t>(row)];
    return a.val[static_cast<std::size_t>(begin + col - (skew && col > row ? 1 : 0))];
  };
  Walker at(h, piece.first);
  Offset left = piece.entries;
  each_line(piece, [&](const char* p) -> const char* {
    T value;
    const char* const line = p;
    p = parse_value_line(h, p, piece.end, value);
    if (p == nullptr || left-- == 0) return nullptr;
    if (value == 0 && has_vanished(line, p)) ++piece.vanished;
    place(at.row, at.col) = value;
    if (h.symmetry != Symmetry::general && at.row != at.col) place(at.col, at.row) = skew ? -value : value;
    at.next();
    return p;
  });
}

template <class T>
Reading<T> read_array(const Host& host, const std::string& path, const Header& h, Progress& progress) {
  std::vector<Piece> pieces = cut(h.body);
  progress.steps = static_cast<int>(pieces.size());
  parallel_for(host, pieces.size(), [&](std::size_t k) {
    each_line(pieces[k], [&](const char* p) { return next_line(p, pieces[k].end); });
  });
  if (!number(pieces, h.entries)) report<T>(path, h);
  Csr<T> a = full_rows<T>(host, h);
  parallel_for(host, pieces.size(), [&](std::size_t k) {
    put_elements(h, pieces[k], a);
    ++progress.done;
  });
  if (any(pieces, &Piece::bad)) report<T>(path, h);
  return {std::move(a), vanished(pieces)};
}

template <class T>
Reading<T> read(const std::string& path, const Header& h, Progress& progress) {
  require_memory(path, h, sizeof(T), host_memory());
  const Host host;
  return h.array ? read_array<T>(host, path, h, progress) : read_coordinate<T>(host, path, h, progress);
}

}  // namespace
}  // namespace io

template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info, Progress* progress) {
  const io::Text text(path);
  const io::Header h = io::read_header(path, text.view());
  io::require_product_memory(path, h, sizeof(T), host_memory());
  Progress unseen;
  io::Reading<T> read = io::read<T>(path, h, progress != nullptr ? *progress : unseen);
  if (info != nullptr) {
    *info = h.info;
    info->vanished = read.vanished;
  }
  return std::move(read.a);
}

template <class T>
Array<T> read_vector(const std::string& path, Offset* vanished) {
  Offset uncounted = 0;
  Offset& count = vanished != nullptr ? *vanished : uncounted;
  const io::Text text(path);
  const io::VectorFile kind = io::kind_of_contents(path, text.view());
  if (kind == io::VectorFile::numpy) return io::read_numpy<T>(path, text.view(), count);
  if (kind == io::VectorFile::text) return io::read_numbers<T>(path, text.view(), count);
  const io::Header h = io::read_header(path, text.view(), io::Contents::vector);
  if (h.rows != 1 && h.cols != 1) {
    throw FormatError(
        path, h.line,
        "holds a " + std::to_string(h.rows) + " x " + std::to_string(h.cols) + " matrix where a vector is wanted");
  }
  io::require_vector_memory(path, h, sizeof(T), host_memory());
  Progress unseen;
  io::Reading<T> read = io::read<T>(path, h, unseen);
  Csr<T>& a = read.a;
  count = read.vanished;
  const auto n = static_cast<std::size_t>(Offset{h.rows} * h.cols);
  if (a.val.size() == n) return std::move(a.val);
  Array<T> x(n, T{0});
  for (std::size_t r = 0; r < static_cast<std::size_t>(a.rows); ++r) {
    for (Offset k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      x[r + static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])] = a.val[static_cast<std::size_t>(k)];
    }
  }
  return x;
}

Table read_table(const std::string& path) {
  const io::Text text(path);
  if (io::kind_of_contents(path, text.view()) == io::VectorFile::numpy) return io::read_numpy_table(path, text.view());
  const io::Header h = io::read_header(path, text.view(), io::Contents::vector);
  io::require_vector_memory(path, h, sizeof(double), host_memory());
  Progress unseen;
  const Csr<double> a = io::read<double>(path, h, unseen).a;
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  Table table{a.rows, a.cols, std::vector<double>(rows * cols)};
  for (std::size_t r = 0; r < rows; ++r) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[r]); k < static_cast<std::size_t>(a.row_ptr[r + 1]); ++k)
      table.values[r * cols + static_cast<std::size_t>(a.col[k])] += a.val[k];
  }
  return table;
}

#define OSTINATO_INSTANTIATE(T)                                                            \
  template Csr<T> read_matrix_market<T>(const std::string&, MatrixMarketInfo*, Progress*); \
  template Array<T> read_vector<T>(const std::string&, Offset*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
