// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "drawing.hpp"

namespace ostinato::cli::html {

/// What a chart of bars is about.
struct BarTitles {
  std::string what = "format", seconds = "time of a product", bytes = "bytes of the matrix";
  double name_width = 120;  ///< pixels
};

/// A line of a chart of bars, of a format: the time of a product and the bytes of the matrix.
struct FormatBar {
  std::string name;
  double seconds = 0;
  double bytes = 0;
  bool measured = true;  ///< a predicted time is drawn paler
};

/// The times and the bytes side by side, in the order given. A bar of more than four times the
/// median of its kind is cut.
/// Requires  At least one bar.
Drawing draw_bars(const std::vector<FormatBar>& bars, const BarTitles& titles = {});

}  // namespace ostinato::cli::html
