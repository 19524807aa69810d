// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ostinato {

/// A level of a multigrid hierarchy, for reports.
struct PreconditionerLevel {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t bytes = 0;  ///< operator, interpolation and vectors
  std::string grid;       ///< "128 x 128 x 128, 27-point"
  std::string storage;    ///< "classes" for constant coefficients, "diagonals" otherwise
};

}  // namespace ostinato
