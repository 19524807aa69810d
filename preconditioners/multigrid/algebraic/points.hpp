// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato::algebraic {

/// How the rows of a matrix belong to points, each with the same number of unknowns.
struct Points {
  Index count;
  int unknowns = 1;
  bool by_field = false;  ///< row = unknown * count + point; otherwise row = point * unknowns + unknown

  OSTINATO_FUNCTION Index rows() const { return count * unknowns; }
  OSTINATO_FUNCTION Index row(Index point, int unknown) const {
    return by_field ? unknown * count + point : point * unknowns + unknown;
  }
  OSTINATO_FUNCTION Index point_of(Index row) const { return by_field ? row % count : row / unknowns; }
  OSTINATO_FUNCTION int unknown_of(Index row) const {
    return static_cast<int>(by_field ? row / count : row % unknowns);
  }
};

}  // namespace ostinato::algebraic
