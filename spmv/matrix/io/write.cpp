// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/matrix/io/vector_file.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {
namespace {

constexpr Offset block_entries = 8192;
constexpr std::size_t longest_value = 32;  // more than "-2.2250738585072014e-308" and a line end
constexpr std::size_t longest_line = longest_value + 2 * 11;

/// Writes a number and the character `after`. Returns the position after both.
template <class T>
char* append(char* to, T value, char after) {
  const auto written = std::to_chars(to, to + longest_value, value);
  *written.ptr = after;
  return written.ptr + 1;
}

/// Writes entries as text. format(begin, end, buffer) turns a block of entries into text and returns the end of the
/// text. Blocks are formatted in parallel and written in order.
template <class F>
void write_blocks(io::Output& out, const Host& host, Offset entries, F format) {
  const Offset blocks = (entries + block_entries - 1) / block_entries;
  const Offset batch = std::min<Offset>(blocks, 4 * host.threads());
  std::vector<Array<char>> buffers(static_cast<std::size_t>(batch));
  for (auto& buffer : buffers) buffer.resize(static_cast<std::size_t>(block_entries) * longest_line);
  std::vector<std::size_t> sizes(buffers.size());
  for (Offset first = 0; first < blocks; first += batch) {
    const auto count = static_cast<std::size_t>(std::min(batch, blocks - first));
    parallel_for(host, count, [&](std::size_t k) {
      const Offset begin = (first + static_cast<Offset>(k)) * block_entries;
      char* const buffer = buffers[k].data();
      sizes[k] = static_cast<std::size_t>(format(begin, std::min(begin + block_entries, entries), buffer) - buffer);
    });
    for (std::size_t k = 0; k < count; ++k) out.write({buffers[k].data(), sizes[k]});
  }
}

void write_header(io::Output& out, const char* format, std::string_view comment, const std::string& size) {
  std::string text = std::string("%%MatrixMarket matrix ") + format + " real general\n";
  while (!comment.empty()) {
    const std::size_t length = std::min(comment.find('\n'), comment.size());
    text.append("% ").append(comment.substr(0, length)).append("\n");
    comment.remove_prefix(std::min(length + 1, comment.size()));
  }
  out.write(text + size + "\n");
}

}  // namespace

template <class T>
void write_matrix_market(const std::string& path, const CsrView<T>& a, std::string_view comment) {
  check(a);
  const Host host;
  io::Output out(path);
  write_header(out, "coordinate", comment,
               std::to_string(a.rows) + " " + std::to_string(a.cols) + " " + std::to_string(a.nonzeros()));
  write_blocks(out, host, a.nonzeros(), [&](Offset begin, Offset end, char* to) {
    // Blocks hold entries, not rows, so that several threads share a long row.
    auto row_end = std::upper_bound(a.row_ptr.begin(), a.row_ptr.end(), begin);
    for (Offset k = begin; k < end; ++k) {
      while (*row_end <= k) ++row_end;
      to = append(to, row_end - a.row_ptr.begin(), ' ');
      to = append(to, Offset{a.col[static_cast<std::size_t>(k)]} + 1, ' ');
      to = append(to, a.val[static_cast<std::size_t>(k)], '\n');
    }
    return to;
  });
  out.close();
}

template <class T>
void write_vector(const std::string& path, std::span<const T> x, std::string_view comment) {
  const Host host;
  const io::VectorFile kind = io::kind_of_name(path);
  io::Output out(path);
  if (kind == io::VectorFile::numpy) {
    out.write(io::numpy_header<T>("(" + std::to_string(x.size()) + ",)"));
    out.write({reinterpret_cast<const char*>(x.data()), x.size_bytes()});
    return out.close();
  }
  if (kind == io::VectorFile::matrix_market) write_header(out, "array", comment, std::to_string(x.size()) + " 1");
  write_blocks(out, host, static_cast<Offset>(x.size()), [&](Offset begin, Offset end, char* to) {
    for (Offset k = begin; k < end; ++k) to = append(to, x[static_cast<std::size_t>(k)], '\n');
    return to;
  });
  out.close();
}

void write_table(const std::string& path, const Table& table, std::string_view comment) {
  const auto rows = static_cast<Offset>(table.rows), cols = static_cast<Offset>(table.cols);
  const io::VectorFile kind = io::kind_of_name(path);
  if (kind == io::VectorFile::text) throw FormatError(path, 0, "a table is written as .mtx or .npy");
  io::Output out(path);
  if (kind == io::VectorFile::numpy) {
    out.write(io::numpy_header<double>("(" + std::to_string(rows) + ", " + std::to_string(cols) + ")"));
    out.write({reinterpret_cast<const char*>(table.values.data()), table.values.size() * sizeof(double)});
    return out.close();
  }
  write_header(out, "array", comment, std::to_string(rows) + " " + std::to_string(cols));
  write_blocks(out, Host(), rows * cols, [&](Offset begin, Offset end, char* to) {
    // An array is stored by column.
    for (Offset k = begin; k < end; ++k)
      to = append(to, table.values[static_cast<std::size_t>(k % rows * cols + k / rows)], '\n');
    return to;
  });
  out.close();
}

void check_vector_name(const std::string& path) { (void)io::kind_of_name(path); }

#define OSTINATO_INSTANTIATE(T)                                                                  \
  template void write_matrix_market<T>(const std::string&, const CsrView<T>&, std::string_view); \
  template void write_vector<T>(const std::string&, std::span<const T>, std::string_view)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
