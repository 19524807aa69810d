// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr double left = 64, right = 520, top = 28, names = 560, width = 720, line_height = 16;  // pixels

struct Axes {
  LogAxis x, y;
};

/// Axes that hold all points, and the byte floor at both ends of the x axis.
Axes axes_of(const std::vector<RoofPoint>& points, double operations, double bandwidth, double bottom) {
  double least_x = operations / points.front().moved, most_x = least_x;
  double least_y = operations / points.front().seconds, most_y = least_y;
  for (const RoofPoint& p : points) {
    least_x = std::min(least_x, operations / p.moved);
    most_x = std::max(most_x, operations / p.moved);
    least_y = std::min(least_y, operations / p.seconds);
    most_y = std::max(most_y, operations / p.seconds);
  }
  const LogAxis x = log_axis(least_x, most_x, left, right);
  return {x, log_axis(std::min(least_y, bandwidth * x.least) / 1e9, std::max(most_y, bandwidth * x.most) / 1e9, bottom,
                      top)};
}

void draw_axes(Drawing& to, const Axes& axes, double bottom) {
  for (const double tick : axes.y.ticks(6)) {
    to.line({left, axes.y.at(tick)}, {right, axes.y.at(tick)}, "");
    to.text({left - 8, axes.y.at(tick) + 4}, Anchor::end, power_text(tick), "soft");
  }
  for (const double tick : axes.x.ticks(6)) {
    to.line({axes.x.at(tick), top}, {axes.x.at(tick), bottom}, "");
    to.text({axes.x.at(tick), bottom + 17}, Anchor::middle, power_text(tick), "soft");
  }
  to.text({(left + right) / 2, bottom + 36}, Anchor::middle, "operations for a byte");
  to.text({left, 14}, Anchor::start, "10^9 operations a second");
}

}  // namespace

Drawing draw_roofline(const std::vector<RoofPoint>& points, double operations, double bandwidth) {
  const double bottom = std::max(300.0, top + line_height * static_cast<double>(points.size()));
  const Axes axes = axes_of(points, operations, bandwidth, bottom);
  Drawing drawing(width, bottom + 46, "roofline",
                  "operations a second of " + counted(static_cast<std::int64_t>(points.size()), "format") +
                      " under the byte floor of " + rate_text(bandwidth));
  draw_axes(drawing, axes, bottom);
  const auto roof = [&](double x) { return Point{axes.x.at(x), axes.y.at(bandwidth * x / 1e9)}; };
  drawing.curve({roof(axes.x.least), roof(axes.x.most)}, "roof");
  // The lines to the names go to the right; the left end is free.
  drawing.text({left + 6, roof(axes.x.least).y - 12}, Anchor::start, "byte floor, " + rate_text(bandwidth), "two");
  std::vector<double> heights;
  for (const RoofPoint& p : points) heights.push_back(axes.y.at(operations / p.seconds / 1e9));
  const std::vector<double> beside = spread(heights, line_height, top + 4, bottom);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const RoofPoint& p = points[k];
    const Point at = {axes.x.at(operations / p.moved), heights[k]};
    drawing.line(at, {names - 6, beside[k]}, "");
    drawing.text({names, beside[k] + 4}, Anchor::start, p.name);
    drawing.dot(at, "one", fmt::format("{}: {} moved in {}", p.name, bytes_text(p.moved), seconds_text(p.seconds)));
  }
  return drawing;
}

}  // namespace ostinato::cli::html
