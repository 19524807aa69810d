// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The graph of a square matrix and its transpose, without the diagonal.
struct Graph {
  std::vector<Offset> row_ptr;  ///< nodes + 1
  std::vector<Index> col;       ///< neighbours of each node, ascending

  std::size_t nodes() const { return row_ptr.size() - 1; }
  Index degree(std::size_t node) const { return static_cast<Index>(row_ptr[node + 1] - row_ptr[node]); }
};

/// The graph of the pattern of A + A^T. `row_ptr` and `col` are those of A in CSR form.
/// Requires  A pattern that check_pattern() doesn't refuse; it isn't asked.
Graph symmetric_graph(std::span<const Offset> row_ptr, std::span<const Index> col);

/// The reverse Cuthill-McKee order: neighbours get numbers near each other, which keeps incomplete factors accurate.
/// Returns the node at each place of the order.
///
/// Exec      On the calling thread, in a time that grows with the edges.
/// Source    George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4.
std::vector<Index> reverse_cuthill_mckee(const Graph& g);

}  // namespace ostinato
