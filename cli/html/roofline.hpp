// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "drawing.hpp"

namespace ostinato::cli::html {

/// A format in a roofline: what a product moves, and how long it takes.
struct RoofPoint {
  std::string name;
  double moved = 0;  ///< bytes: matrix, x and y once
  double seconds = 0;
};

/// The operations a second of each format over the operations for a byte, with the byte floor: the most that the
/// memory's bandwidth allows. A format above the line has its bytes from a cache.
/// Requires  At least one point; all numbers positive.
/// Source    Williams, Waterman & Patterson, Roofline, Comm. ACM 52 (2009).
Drawing draw_roofline(const std::vector<RoofPoint>& points, double operations, double bandwidth);

}  // namespace ostinato::cli::html
