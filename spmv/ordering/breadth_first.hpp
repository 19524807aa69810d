// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The order in which a breadth-first search along the entries meets the rows of a square matrix. The search begins far
/// out, at the row that another search meets last. Rows that share columns come near each other, so that a product
/// finds their elements of x in a cache. Cheaper than reverse_cuthill_mckee(), which makes a smaller bandwidth for
/// factors. Returns the row at each place of the order.
///
/// Exec      On the calling thread; reads each entry twice.
/// Throws    As check_pattern() for a square matrix.
std::vector<Index> breadth_first_order(std::span<const Offset> row_ptr, std::span<const Index> col);
std::vector<Index> breadth_first_order(std::span<const Offset> row_ptr, std::span<const Index> col, Checked);

/// How many levels a breadth-first search from row 0 has: the rows that are met at the same distance are a level. Half
/// of the diameter of the graph or more, for a connected one.
///
/// Exec      On the calling thread; reads each entry once.
/// Requires  A pattern that check_pattern() accepts for a square matrix.
Index breadth_first_depth(std::span<const Offset> row_ptr, std::span<const Index> col, Checked);

}  // namespace ostinato
