// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato {

/// The three types of the DIA-Adaptive paper.
enum class DiagonalType : std::uint8_t {
  one,    ///< unbroken diagonals near the main one: DIA
  two,    ///< unbroken diagonals, some of them far from the main one: BRCSD-I
  three,  ///< all else: BRCSD-II
};

/// What the search engine sees, in the paper's symbols (its Table 1), and what it concludes.
struct SearchVerdict {
  Offset n_diag = 0;      ///< diagonals that hold an entry
  Offset n_offset = 0;    ///< of these, how many are more than delta from the main one
  double p_offset = 0;    ///< n_offset / n_diag
  Offset n_elem = 0;      ///< slots of DIA: n_diag rows
  Offset n_zero = 0;      ///< of these, how many hold no entry
  double p_zero = 0;      ///< n_zero / n_elem
  bool label_lz = false;  ///< a diagonal has a long zero section
  bool label_s = false;   ///< a diagonal has one entry and room for more: a scatter point
  Index delta = 0;        ///< rows / 100, rounded up
  double alpha = 0;       ///< (n_diag - 1) / (100 n_diag)
  DiagonalType type = DiagonalType::one;
  std::string format;  ///< "dia", "brcsd-i" or "brcsd-ii"
  std::string reason;
};

/// The DIA-Adaptive search engine: which of its three formats is for this matrix.
///
///   p_offset = 0 and p_zero < alpha               type one, DIA
///   p_offset > 0, neither label_lz nor label_s    type two, BRCSD-I
///   all else                                      type three, BRCSD-II
///
/// The paper doesn't say how many zeros make a long zero section. Here they are more than delta and more than the rows
/// of a piece, be it between two entries of a diagonal or before its first or after its last one, within the matrix;
/// diagonals with a scatter point have their own label and don't count. So wang3, whose diagonals begin and end in the
/// middle of the matrix, is labelled, and the KGS matrices, with one grid line or plane missing where their two grids
/// meet, are not: the verdicts are those of the paper's Table 4 for the matrices of it that we have.
///
/// Limits    Counts no bytes: whether the matrix is worth any of the three is for the cost model to say.
/// Throws    ArgumentError for a matrix without entries.
/// Source    DIA-Adaptive, sections 3 and 3.4.
SearchVerdict search(const DiagonalCensus& census);

/// Slots without an entry in "dia", "hdi" (DIA of groups of 256 rows) or "brcsd-ii" (pieces of census.rows_in_piece);
/// the last group or piece ends with the matrix. Those of "brcsd-i" follow from its plan.
/// Throws    ArgumentError for any other format; for "hdi" when rows_in_piece doesn't divide 256.
Offset padded_zeros(const DiagonalCensus& census, std::string_view format);

}  // namespace ostinato
