// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kernels with a thread a row are launched with. Generated sources contain this text, so it needs no other header.

namespace ostinato::cuda {

/// Rows of a tile, and threads of a block: one a row.
inline constexpr int tile_rows = 256;

/// Where a kernel leaves its sums.
struct Reduction {
  double* slots;      ///< may be null
  double* partial;    ///< K for each block
  unsigned* arrived;  ///< 0 before and after
};

}  // namespace ostinato::cuda
