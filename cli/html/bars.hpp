// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "drawing.hpp"

namespace ostinato::cli::html {

/// A format in a chart of bars: the time of a product and the bytes of the matrix.
struct FormatBar {
  std::string name;
  double seconds = 0;
  double bytes = 0;
  bool measured = true;  ///< a predicted time is drawn paler
};

/// The times and the bytes of the formats side by side, in the order given. A bar of more than four times the
/// median of its kind is cut.
/// Requires  At least one bar.
Drawing draw_bars(const std::vector<FormatBar>& bars);

}  // namespace ostinato::cli::html
