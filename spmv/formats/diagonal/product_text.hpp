// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of CUDA source that don't depend on how a matrix is stored; the writers behind product_source() share them.

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/formats/diagonal/product_source.hpp>

namespace ostinato::formats::product_text {

/// Shortest stride between the rows of a thread. With a shorter stride neighbouring threads share too little of x.
inline constexpr Index least_stride = 32;
/// Most rows for kernels with several rows per thread, which count rows in 32 bits.
inline constexpr Index max_tiled_rows = Index{1} << 30;
/// Most diagonals for kernels with several rows per thread, whose values have to fit the registers.
inline constexpr std::size_t max_tiled = 12;
/// Threads that keep a GPU busy. Kernels with several rows per thread need at least so many (H200, 2026-11: 5-point
/// 1024^2 takes 6.5 us with one row per thread, 7.2 us with eight; 2048^2 takes 25.3 and 23.2 us).
inline constexpr Index enough_threads = 400000;

template <class... Words>
std::string join(const Words&... words) {
  std::string text;
  const auto add = [&](const auto& word) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(word)>>) {
      text += std::to_string(word);
    } else {
      text += word;
    }
  };
  (add(words), ...);
  return text;
}

/// The text before the kernels; `type` is "float" or "double".
std::string head(const std::string& type);

/// The kernel product_dot. It calls `template <bool Dotted> void rows(args, p, w, dot)`, which goes through all rows of
/// a thread block.
std::string dot_kernel(const std::string& args);

/// Elements of x that the rows of a thread need, relative to the first row.
std::set<Offset> reach(const std::vector<Index>& offsets, const ProductSource::Tiling& t);

/// The name of an array's element p, without a minus sign.
std::string name(const char* array, Offset p);

/// The operator before a pointer to x. Another kernel may write x while this kernel starts, so x is read by plain loads
/// (overlap.cuh), and the arrays of a matrix by __ldg.
inline constexpr char plainly[] = "*";

/// Loads elements of an array, two at a time where two of them form an aligned pair. `read` stands before the pointer.
std::string fetch(const char* array, const char* read, const std::set<Offset>& places, int pair);

/// The condition that all rows of a thread exist and all elements of x that they need lie inside x.
std::string all_inside(const std::vector<Index>& offsets, const ProductSource::Tiling& t, Index rows, Index cols);

/// How the rows of a thread are added up.
struct Rows {
  std::string when;     ///< condition of `inside`: all elements of x exist
  std::string inside;   ///< loads and sums
  std::string at_edge;  ///< loads and sums for existing rows with some elements of x outside; may be empty
  std::string one_row;  ///< in all other cases: an expression for the sum of `row`
};

/// The text of a kernel with several rows per thread.
std::string tiled_kernel(const char* kernel, const char* args, const ProductSource::Tiling& t, Index rows,
                         const Rows& sums);

/// The kernels of a product: one, or two when threads take rows in pairs. `write` returns the text of a kernel.
template <class F>
std::string product_kernels(ProductSource::Tiling tiling, F write) {
  std::string text;
  if (tiling.pair > 1) text += write(ProductSource::product_pairs, tiling);
  tiling.pair = 1;
  return text + write(ProductSource::product, tiling);
}

}  // namespace ostinato::formats::product_text
