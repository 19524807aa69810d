// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/spmv/ordering/rcm.hpp>

namespace ostinato {

/// Whether the build has SuiteSparse, whose AMD minimum_degree() calls.
extern const bool has_minimum_degree;

/// The approximate minimum degree order: each node in turn is one with few neighbours among those that are left, so
/// that factors get little fill. More fill than with nested_dissection() on large grids, and a fraction of the time.
/// Returns the node at each place of the order.
///
/// Exec      On the calling thread, some tenths of a microsecond an edge.
/// Throws    ArgumentError when the build has no SuiteSparse, or when the graph is too large for its integers;
///           std::bad_alloc.
/// Source    Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
std::vector<Index> minimum_degree(const Graph& g);

/// An order of the rows of a square matrix, for factors whose columns change places, and what these factors take at
/// most, whatever the places of the columns.
struct RowOrder {
  std::vector<Index> row;  ///< at each place
  double entries = 0;      ///< of both factors, the ones on the diagonal of L left out
  double multiplications = 0;
};

/// The approximate minimum degree order of the rows by the columns that they share: that of A A^T, which isn't made.
///
/// Exec      On the calling thread, some 0.1 us an entry.
/// Throws    As minimum_degree().
/// Source    Davis, Gilbert, Larimore & Ng, ACM Trans. Math. Softw. 30 (2004) 353-376: COLAMD. George & Ng, SIAM J.
///           Sci. Stat. Comput. 8 (1987) 877-898: the factors lie within those of A A^T.
RowOrder minimum_degree_of_rows(std::span<const Offset> row_ptr, std::span<const Index> col);

}  // namespace ostinato
