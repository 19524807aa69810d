// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ostinato {

/// The rate, on a random error, above which auto takes something simpler. CG makes more of a cycle than its rate tells
/// (strong directions across a grid have good ones of 0.72 and 0.84), but not where several unknowns of a point depend
/// on each other.
constexpr double poor_rate(int unknowns) { return unknowns > 1 ? 0.7 : 0.85; }

/// A level of a multigrid hierarchy, for reports.
struct PreconditionerLevel {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t bytes = 0;  ///< operator, interpolation and vectors
  std::string grid;       ///< "128 x 128 x 128, 27-point"
  std::string storage;    ///< "classes" for constant coefficients, "diagonals" otherwise
};

}  // namespace ostinato
