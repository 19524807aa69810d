// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the writers of product_source() share: pieces of CUDA source that don't depend on how a matrix is stored.

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/formats/diagonal/product_source.hpp>

namespace ostinato::formats::product_text {

/// Shorter strides leave neighbouring threads too little in common.
inline constexpr Index least_stride = 32;
/// Rows up to which kernels with several a thread can count in 32 bits.
inline constexpr Index max_tiled_rows = Index{1} << 30;
/// Diagonals of which a thread can hold several rows' values.
inline constexpr std::size_t max_tiled = 12;
/// Threads that a GPU needs to be busy: with fewer, rows aren't taken together (H200, 2026-11: 5-point 1024^2 takes
/// 6.5 us with a row a thread, 7.2 with eight; 2048^2 25.3 and 23.2).
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

/// What comes before the kernels; `type` is "float" or "double".
std::string head(const std::string& type);

/// The kernels around `template <bool Dotted> void rows(args, p, w, dot)`, which goes through all rows of a block.
std::string dot_kernel(const std::string& args);

/// Elements of x that the rows of a thread reach, relative to the first row.
std::set<Offset> reach(const std::vector<Index>& offsets, const ProductSource::Tiling& t);

/// Place p of an array, in a name: no minus sign.
std::string name(const char* array, Offset p);

/// What stands before a pointer to x, which another kernel may be writing while this one starts (overlap.cuh); before
/// one to the arrays of a matrix, __ldg.
inline constexpr char plainly[] = "*";

/// Fetches places of an array, two at a time where they begin at a pair. `read` stands before a pointer.
std::string fetch(const char* array, const char* read, const std::set<Offset>& places, int pair);

/// Whether all that the rows of a thread reach is in x, and all of them are rows.
std::string all_inside(const std::vector<Index>& offsets, const ProductSource::Tiling& t, Index rows, Index cols);

/// How the rows of a thread are added up.
struct Rows {
  std::string when;     ///< all of x that they reach is there: then
  std::string inside;   ///< fetches and adds up
  std::string at_edge;  ///< the same where some of x isn't there, but all are rows; may be empty
  std::string one_row;  ///< otherwise, the sum of `row`
};

/// A kernel with several rows a thread.
std::string tiled_kernel(const char* kernel, const char* args, const ProductSource::Tiling& t, Index rows,
                         const Rows& sums);

/// The kernels for a product: one, or two when rows are taken in pairs. `write` gives a kernel's text.
template <class F>
std::string product_kernels(ProductSource::Tiling tiling, F write) {
  std::string text;
  if (tiling.pair > 1) text += write(ProductSource::product_pairs, tiling);
  tiling.pair = 1;
  return text + write(ProductSource::product, tiling);
}

}  // namespace ostinato::formats::product_text
