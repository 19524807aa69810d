// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato::algebraic {

/// Counts the terms of A B, unless a level of `entries` entries can't afford the product: a row that joins many rows
/// with many others takes the square of the memory of that row.
///
/// Exec      Waits.
/// Throws    ArgumentError for more than 100 terms an entry of the level: on meshes there are some 10.
template <class Space, class T>
ProductTerms bounded_terms(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                           Offset entries) {
  constexpr Offset most = 100;
  const ProductTerms terms = count_terms(space, a, b);
  if (terms.all > most * entries)
    throw ArgumentError(
        "multigrid: a row with many entries joins too many others on the next level; use preconditioner jacobi");
  return terms;
}

/// A B as a plan, unless a level of `entries` entries can't afford the product (bounded_terms()).
/// Throws    Stopped; as bounded_terms().
template <class Space, class T>
MatrixProduct<Space, T> bounded_product(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                                        Offset entries, const StopRequest& stop) {
  const ProductTerms terms = bounded_terms(space, a, b, entries);
  return MatrixProduct<Space, T>(space, a, b, stop, terms);
}

}  // namespace ostinato::algebraic
