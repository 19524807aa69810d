// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/header.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>

#include "fuzz/input.hpp"

// Any bytes give a valid matrix or a FormatError, and a matrix that is written reads back with the same bits.

namespace ostinato::fuzz {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20;
constexpr double largest = 1 << 20;  ///< rows, and elements of an array or a vector

/// Leaves out what only takes memory: texts that inflate far, and rows that are announced by the million.
bool is_small(const std::string& path) {
  const io::Text text(path, longest_text);
  const io::Header h = io::read_header(path, text.view());
  const bool dense = h.array || h.rows == 1;  // one row may be a vector
  return h.rows <= largest && (!dense || static_cast<double>(h.rows) * h.cols <= largest);
}

template <class X>
bool same_bits(const X& a, const X& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

template <class T>
bool all_finite(const Array<T>& x) {
  return std::all_of(x.begin(), x.end(), [](T v) { return std::isfinite(v); });
}

template <class T>
void check_matrix(const std::string& path) {
  MatrixMarketInfo info;
  const Csr<T> a = read_matrix_market<T>(path, &info);
  check(a.view());
  require(is_canonical(a.view()), "rows ascend and have no duplicates");
  require(info.rows == a.rows && info.cols == a.cols, "the matrix is as large as announced");
  if (!all_finite(a.val)) return;  // sums of duplicates may overflow, and infinity isn't read back
  const File copy;
  write_matrix_market(copy.path(), a, "a\ncomment");
  const Csr<T> again = read_matrix_market<T>(copy.path());
  require(same_bits(a.row_ptr, again.row_ptr) && same_bits(a.col, again.col) && same_bits(a.val, again.val),
          "a matrix reads back with the same bits");
}

template <class T>
void check_vector(const std::string& path) {
  const Array<T> x = read_vector<T>(path);
  if (!all_finite(x)) return;
  const File copy;
  write_vector<T>(copy.path(), std::span<const T>(x));
  require(same_bits(x, read_vector<T>(copy.path())), "a vector reads back with the same bits");
}

template <class F>
void accept_format_errors(const std::string& path, F read) {
  try {
    read();
  } catch (const FormatError& e) {
    require(e.path() == path && e.line() >= 0, "an error names the file");
    require(std::strlen(e.what()) > path.size() + 2, "an error has a reason");
  }
}

}  // namespace
}  // namespace ostinato::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ostinato::fuzz;
  const File file(text_of(data, size));
  const std::string path = file.path();
  bool small = false;
  accept_format_errors(path, [&] { small = is_small(path); });
  if (!small) return 0;
  accept_format_errors(path, [&] { check_matrix<double>(path); });
  accept_format_errors(path, [&] { check_matrix<float>(path); });
  accept_format_errors(path, [&] { check_vector<double>(path); });
  return 0;
}
