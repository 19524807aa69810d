// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// The rows of a square matrix cluster by cluster: some 2,048 rows that entries join, and within those some 128 rows
/// each, in the order that they had. So a product with the matrix in this order (permute()) finds most elements of x
/// near each other. For a GPU, where the steps of breadth_first_order() would come one after the other. Returns the row
/// at each place of the order. (Clusters of 32 in the place of 128 bring the elements nearer, but solves took up to 1.4
/// times as long, and with a third size between up to 1.3 times; H200, 2026-11.)
///
/// Clusters grow from one row each of every 2,048 or 128, which a hash chooses, along the entries, all of them by a
/// step at a time; a row that several of them reach takes that of the highest number. Rows of more than 1,024 entries
/// are reached, but lead nowhere. Clusters end when all but 1 of 256 rows are reached, after 255 steps (fewer for more
/// than 2^30 rows), or when steps reach no other row. Rows that no large cluster has reached are the last ones.
///
/// Exec      Waits on Cuda, once every 8 steps. The same order on every run and in both spaces.
/// Traffic   Twice: reads row_ptr and col once, and a mark of 4 bytes an entry in scattered order; 4 bytes a row for
///           each step; up to three passes of a radix sort of 8 bytes a row.
/// Requires  Arrays in the memory of the space that check_pattern() doesn't refuse; it isn't asked. Along an entry a
///           cluster grows from the row to the column only.
template <class Space>
Vector<Space, Index> cluster_order(const Space& space, std::span<const Offset> row_ptr, std::span<const Index> col);

#define OSTINATO_EXTERN(Space) \
  extern template Vector<Space, Index> cluster_order(const Space&, std::span<const Offset>, std::span<const Index>)
OSTINATO_DECLARED_SPACES(OSTINATO_EXTERN);
#undef OSTINATO_EXTERN

}  // namespace ostinato
