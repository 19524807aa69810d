// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato {

/// The three matrix types of the DIA-Adaptive paper.
enum class DiagonalType : std::uint8_t {
  one,    ///< unbroken diagonals near the main diagonal: DIA
  two,    ///< unbroken diagonals, some of them far from the main diagonal: BRCSD-I
  three,  ///< all other matrices: BRCSD-II
};

/// The measures and the result of the search engine. The measures have the symbols of the paper's Table 1.
struct SearchResult {
  Offset n_diag = 0;      ///< diagonals that hold an entry
  Offset n_offset = 0;    ///< number of these diagonals with |offset| > delta
  double p_offset = 0;    ///< n_offset / n_diag
  Offset n_elem = 0;      ///< slots of DIA: n_diag * rows
  Offset n_zero = 0;      ///< number of these slots without an entry
  double p_zero = 0;      ///< n_zero / n_elem
  bool label_lz = false;  ///< a diagonal has a long zero section
  bool label_s = false;   ///< a diagonal has one entry and room for more: a scatter point
  Index delta = 0;        ///< rows / 100, rounded up
  double alpha = 0;       ///< (n_diag - 1) / (100 n_diag)
  DiagonalType type = DiagonalType::one;
  std::string format;  ///< "dia", "brcsd-i" or "brcsd-ii"
  std::string reason;
};

/// The DIA-Adaptive search engine: chooses one of the paper's three formats for a matrix.
///
///   p_offset = 0 and p_zero < alpha               type one, DIA
///   p_offset > 0, neither label_lz nor label_s    type two, BRCSD-I
///   all other matrices                            type three, BRCSD-II
///
/// The paper doesn't define how many zeros make a long zero section. Here a section is long when its zeros exceed both
/// delta and the rows of a row piece. A section lies between two entries of a diagonal, or before the first or after
/// the last entry within the matrix. Diagonals that are scatter points get label_s only. With this definition wang3,
/// whose diagonals begin and end in the middle of the matrix, gets label_lz. The KGS matrices don't, although one grid
/// line or plane is missing where their two grids meet. The types equal Table 4 of the paper for all its matrices that
/// we have.
///
/// Limits    The engine counts no bytes. The cost model decides whether any of the three formats pays for a matrix.
/// Throws    ArgumentError for a matrix without entries.
/// Source    DIA-Adaptive, sections 3 and 3.4.
SearchResult search(const DiagonalCensus& census);

/// Number of slots without an entry in the format "dia", "hdi" (DIA in groups of 256 rows) or "brcsd-ii" (row pieces of
/// census.rows_in_piece rows). The last group or piece ends with the matrix. The padding of "brcsd-i" follows from its
/// plan instead.
/// Throws    ArgumentError for any other format; for "hdi" when rows_in_piece doesn't divide 256.
Offset padded_zeros(const DiagonalCensus& census, std::string_view format);

}  // namespace ostinato
