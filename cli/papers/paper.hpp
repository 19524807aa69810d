// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

// The tables of the four papers as data: their matrices, what they measured, and on what GPU.

namespace ostinato::cli {

/// How a matrix of a paper is made where its file isn't there. Rows and nonzeros are those of the paper.
struct StandIn {
  enum class Kind {
    family,     ///< the family of generate() that is the paper's matrix
    diagonals,  ///< diagonals in groups, each with long zero sections and short gaps
    blocks,     ///< dense blocks near the main diagonal, as of finite elements
    web,        ///< row lengths with a heavy tail, half of the entries in popular columns
  };
  Kind kind = Kind::blocks;
  std::string_view family = {};  ///< family: its name
  Index n = 0;                   ///< family: grid points a side
  Index diagonals = 0;           ///< diagonals: how many
  Offset padded = 0;             ///< diagonals: zeros that row pieces of 256 rows store beside the nonzeros
  int groups = 1;                ///< diagonals: groups of neighbouring diagonals
  Index stride = 0;              ///< diagonals: between the middles of two groups
  int block = 1;                 ///< blocks: rows and columns of a block
  double spread = 0.05;          ///< blocks: columns that a row may reach, as a share of all
  Index longest = 0;             ///< web: entries drawn for the longest row; those in one column merge
};

constexpr StandIn family(std::string_view name, Index n) {
  return {.kind = StandIn::Kind::family, .family = name, .n = n};
}
constexpr StandIn lines(Index diagonals, Offset padded, int groups, Index stride) {
  return {StandIn::Kind::diagonals, {}, 0, diagonals, padded, groups, stride};
}
constexpr StandIn blocks(int block, double spread) { return {.block = block, .spread = spread}; }
constexpr StandIn web(Index longest) { return {.kind = StandIn::Kind::web, .longest = longest}; }

inline constexpr std::size_t most_baselines = 6;

/// A matrix of a paper. A figure of 0 isn't given there.
struct PaperMatrix {
  std::string_view name;
  Index rows = 0;
  Offset nonzeros = 0;
  StandIn stand_in = {};
  std::array<double, most_baselines> ratios = {};  ///< of the format over each baseline; above 1 the format is better
  double milliseconds = 0;                         ///< of a product in the format
  std::string_view file = {};                      ///< its name in the SuiteSparse collection; empty: `name`
  Index cols = 0;                                  ///< 0: as many as rows

  double gflops() const { return milliseconds > 0 ? 2e-6 * static_cast<double>(nonzeros) / milliseconds : 0; }
  std::string_view file_name() const { return file.empty() ? name : file; }
};

/// What a paper compares its format with.
struct PaperBaseline {
  std::string_view name;     ///< the paper's
  std::string_view formats;  ///< ours, parted by blanks; the fastest counts
  double mean = 0;           ///< the paper's ratio over its matrices, where it gives none of single ones; 0: not given
  bool by_bytes = false;     ///< the ratio is of the bytes stored, not of the time
};

struct Paper {
  std::string_view name;  ///< that --paper takes
  std::string_view source;
  std::string_view device;
  std::string_view precision;
  std::string_view formats;  ///< ours for the paper's, parted by blanks; "" for the one that its search engine names
  std::vector<PaperBaseline> baselines;
  std::span<const PaperMatrix> matrices;  ///< lives as long as the program
  std::vector<std::string_view> remarks;  ///< what the tables leave out, and what the text adds
  bool tunes = false;                     ///< the fastest parameters of its format count, as in the paper
  bool compresses = false;                ///< its format has narrow columns, as in the paper
};

/// The papers, in the order of the help. Each has a file beside this one.
std::span<const Paper> papers();

/// The matrix with about `scale` times the rows and the same entries a row, but about 1,000 rows at least.
/// Requires  0 < scale <= 1.
PaperMatrix scaled(PaperMatrix matrix, double scale);

/// Makes the stand-in of a matrix: its rows and columns, and within a few percent its nonzeros. Values are random, in
/// -1 .. 1.
/// Exec      In parallel on the host; the same for any number of threads.
/// Throws    MemoryLimitError as generate().
template <class T>
Csr<T> make_stand_in(const PaperMatrix& matrix);

Paper dia_adaptive();
Paper cmrs();
Paper yaspmv();
Paper crs_kepler();

}  // namespace ostinato::cli
