// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launch arguments of kernels with one thread per row. Kernels generated at run time contain the text of this file, so
// the file needs no other header.

namespace ostinato::cuda {

/// Rows of a tile. A thread block has as many threads: one per row.
inline constexpr int tile_rows = 256;

/// Where a kernel stores its K sums.
struct Reduction {
  double* slots;      ///< the K totals; may be null
  double* partial;    ///< K sums for each thread block
  unsigned* arrived;  ///< number of blocks that have stored their sums; 0 before and after the kernel
  double* of_warps;  ///< instead of all that: a sum for each warp_rows rows, where a kernel goes by for_rows(); or null
};

}  // namespace ostinato::cuda
