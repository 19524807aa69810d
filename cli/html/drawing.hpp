// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ostinato::cli::html {

/// A text as HTML and XML may hold it: markup and quotes escaped; what isn't UTF-8, and control characters, as U+FFFD.
std::string escaped(std::string_view text);

struct Point {
  double x = 0, y = 0;
};

enum class Anchor { start, middle, end };

/// A drawing in SVG, inline in a page. Coordinates are pixels, y grows downwards. Classes are those of the page's
/// style.
class Drawing {
 public:
  /// `name` becomes the id, `label` what a screen reader says.
  Drawing(double width, double height, std::string_view name, std::string_view label);

  void line(Point from, Point to, std::string_view style);
  void rectangle(Point corner, double width, double height, std::string_view style, std::string_view tip = {});
  void dot(Point centre, std::string_view style, std::string_view tip = {});
  void curve(const std::vector<Point>& points, std::string_view style);
  void path(std::string_view commands, std::string_view style);
  void text(Point at, Anchor anchor, std::string_view text, std::string_view style = {});

  std::string svg() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

/// A range of positive numbers on a logarithmic axis, drawn from pixel `first` to pixel `last`.
struct LogAxis {
  double least = 1, most = 10;
  double first = 0, last = 1;

  double at(double value) const;
  std::vector<double> ticks(int at_most) const;  ///< powers of ten, every k-th so that there are few enough
};

/// The least range between powers of ten that holds all values; they are positive.
LogAxis log_axis(double least, double most, double first, double last);

/// Positions at least `gap` apart, in the order of the wanted ones and near them, within first .. last.
std::vector<double> spread(std::vector<double> wanted, double gap, double first, double last);

std::string power_text(double power_of_ten);  ///< "1e-8"; "1", "10" and "100" as such

}  // namespace ostinato::cli::html
