// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

/// The numbers of points of a grid along x, y and z; 1 along the axes that the grid doesn't have. Points are numbered
/// along x first, then y, then z.
struct Extents {
  Index x = 1, y = 1, z = 1;

  OSTINATO_FUNCTION std::size_t points() const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) * static_cast<std::size_t>(z);
  }
  OSTINATO_FUNCTION std::size_t number(Index at_x, Index at_y, Index at_z) const {
    return (static_cast<std::size_t>(at_z) * static_cast<std::size_t>(y) + static_cast<std::size_t>(at_y)) *
               static_cast<std::size_t>(x) +
           static_cast<std::size_t>(at_x);
  }
  OSTINATO_FUNCTION bool contains(Index at_x, Index at_y, Index at_z) const {
    return at_x >= 0 && at_y >= 0 && at_z >= 0 && at_x < x && at_y < y && at_z < z;
  }
  bool operator==(const Extents&) const = default;
};

}  // namespace ostinato
