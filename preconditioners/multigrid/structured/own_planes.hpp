// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/index.hpp>

namespace ostinato::multigrid {

/// The planes of a grid that a rank has, lines in two dimensions: from `begin` to before `end`, even numbers but for
/// the end of the grid. A pass gives what belongs to them, and reads planes beside them, the source from other places.
/// Pointers are where point 0 would be.
template <class T>
struct OwnPlanes {
  Index begin, end;
  const T *below, *above;  ///< the source of one plane before them, and of two behind; on the way up of one
  /// On the way up over a plain grid, the sums of r . z over each tile of so many coarse planes, a multiple of which
  /// lie before `begin`. They have the same bits, and the same order by planes, whatever planes a rank has.
  Index deep = 1;
  double* sums = nullptr;  ///< unless null
};

}  // namespace ostinato::multigrid
