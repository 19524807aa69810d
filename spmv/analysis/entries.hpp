// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// A number, and the first row or column (from 0) that has it; -1: none has.
struct Place {
  double value = 0;
  Index at = -1;
};

/// How many rows or columns have a property, and the first of them (from 0); -1: none.
struct Occurrence {
  Index count = 0;
  Index first = -1;
};

/// What the entries of a matrix say about its rows and columns, one by one. Rows and columns without entries that
/// differ from 0 count as empty, and take no part in the norms.
struct EntryFacts {
  Occurrence empty_rows, empty_cols;
  /// Rows or columns that hold so many entries that factors and orderings suffer: more than 16 and 10 sqrt(n).
  Occurrence dense_rows, dense_cols;
  Offset longest_row = 0, longest_col = 0;  ///< entries of the longest
  Occurrence missing_diagonal;              ///< rows without an entry on the main diagonal; of square matrices only
  Occurrence zero_diagonal;                 ///< rows with a stored 0 there
  Offset zeros = 0;                         ///< stored entries that are 0
  Place smallest_row, largest_row;          ///< the largest absolute value in a row
  Place smallest_col, largest_col;          ///< the largest absolute value in a column
  Place smallest_entry, largest_entry;      ///< in size, other than 0, with their rows
  Index dominant_rows = 0;                  ///< |a(i, i)| is at least the sum of the others' sizes
  Index strictly_dominant_rows = 0;         ///< |a(i, i)| exceeds that sum by more than rounding
  Place least_dominant;                     ///< the least |a(i, i)| over that sum, of the rows with entries
  Occurrence wrong_signs;                   ///< rows that an M-matrix can't have: a diagonal <= 0, another entry > 0
  Occurrence positive_diagonal, negative_diagonal;
  bool constant_in_null_space = false;       ///< A * ones = 0 but for rounding, and A isn't 0
  bool constant_in_left_null_space = false;  ///< the same of the transpose
  Index bandwidth = 0;                       ///< max |column - row|
};

/// Looks at every entry of a matrix.
///
/// Exec      On the calling thread, in one pass over the entries, with 32 bytes a column beside.
/// Requires  Canonical rows, finite values.
/// Source    Dense rows: Amestoy, Davis & Duff, ACM Trans. Math. Softw. 30 (2004) 381, section 2.
EntryFacts look_at_entries(const CsrView<double>& a);

}  // namespace ostinato
