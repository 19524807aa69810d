// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/algebra/product.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/stop.hpp>

namespace ostinato::algebraic {

/// A B as a plan, unless a level of `entries` entries can't afford the product: a row that joins many rows with many
/// others takes the square of the memory of that row.
///
/// Exec      Waits.
/// Throws    ArgumentError for more than 100 terms an entry of the level: on meshes there are some 10; Stopped.
template <class Space, class T>
MatrixProduct<Space, T> bounded_product(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                                        Offset entries, const StopRequest& stop) {
  constexpr Offset most = 100;
  if (terms_of_product(space, a, b) > most * entries)
    throw ArgumentError(
        "multigrid: a row with many entries joins too many others on the next level; use --precond jacobi");
  return MatrixProduct<Space, T>(space, a, b, stop);
}

}  // namespace ostinato::algebraic
