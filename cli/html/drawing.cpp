// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr std::string_view unreadable = "\xEF\xBF\xBD";  // U+FFFD

std::string style_text(std::string_view style) {
  return style.empty() ? std::string() : fmt::format(" class=\"{}\"", style);
}

std::string end_text(std::string_view element, std::string_view tip) {
  return tip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escaped(tip), element);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at);
    const std::string_view character = length > 0 ? text.substr(at, length) : unreadable;
    out += character == "&"    ? "&amp;"
           : character == "<"  ? "&lt;"
           : character == ">"  ? "&gt;"
           : character == "\"" ? "&quot;"
           : character == "'"  ? "&#39;"
                               : std::string(character);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

Drawing::Drawing(double width, double height, std::string_view name, std::string_view label)
    : svg_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{0}\" role=\"img\" aria-label=\"{1}\" "
                       "viewBox=\"0 0 {2:g} {3:g}\" width=\"{2:g}\" height=\"{3:g}\">\n",
                       name, escaped(label), width, height)) {}

void Drawing::line(Point from, Point to, std::string_view style) {
  svg_ += fmt::format("<line x1=\"{:.6g}\" y1=\"{:.6g}\" x2=\"{:.6g}\" y2=\"{:.6g}\"{}/>\n", from.x, from.y, to.x, to.y,
                      style_text(style));
}

void Drawing::rectangle(Point corner, double width, double height, std::string_view style, std::string_view tip) {
  svg_ += fmt::format("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\"{}{}", corner.x, corner.y,
                      width, height, style_text(style), end_text("rect", tip));
}

void Drawing::dot(Point centre, std::string_view style, std::string_view tip) {
  svg_ += fmt::format("<circle cx=\"{:.6g}\" cy=\"{:.6g}\" r=\"4\"{}{}", centre.x, centre.y, style_text(style),
                      end_text("circle", tip));
}

void Drawing::curve(const std::vector<Point>& points, std::string_view style) {
  std::string text;
  for (const Point& p : points) text += fmt::format("{}{:.6g},{:.6g}", text.empty() ? "" : " ", p.x, p.y);
  svg_ += fmt::format("<polyline points=\"{}\"{}/>\n", text, style_text(style));
}

void Drawing::path(std::string_view commands, std::string_view style) {
  svg_ += fmt::format("<path d=\"{}\"{}/>\n", commands, style_text(style));
}

void Drawing::text(Point at, Anchor anchor, std::string_view text, std::string_view style) {
  const char* const side = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  svg_ += fmt::format("<text x=\"{:.6g}\" y=\"{:.6g}\" text-anchor=\"{}\"{}>{}</text>\n", at.x, at.y, side,
                      style_text(style), escaped(text));
}

double LogAxis::at(double value) const {
  const double share = (std::log10(value) - std::log10(least)) / (std::log10(most) - std::log10(least));
  return first + (last - first) * std::clamp(share, 0.0, 1.0);
}

std::vector<double> LogAxis::ticks(int at_most) const {
  const int low = static_cast<int>(std::lround(std::log10(least))),
            high = static_cast<int>(std::lround(std::log10(most)));
  const int step = std::max(1, (high - low + at_most - 1) / at_most);
  std::vector<double> found;
  for (int power = high; power >= low; power -= step) found.push_back(std::pow(10.0, power));
  return found;
}

LogAxis log_axis(double least, double most, double first, double last) {
  const double low = std::floor(std::log10(least) + 1e-9), high = std::ceil(std::log10(most) - 1e-9);
  return {std::pow(10.0, low), std::pow(10.0, std::max(high, low + 1)), first, last};
}

std::vector<double> spread(std::vector<double> wanted, double gap, double first, double last) {
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  double free = first;
  for (const std::size_t k : order) {
    wanted[k] = std::max(wanted[k], free);
    free = wanted[k] + gap;
  }
  double limit = last;
  for (auto k = order.rbegin(); k != order.rend(); ++k) {
    wanted[*k] = std::min(wanted[*k], limit);
    limit = wanted[*k] - gap;
  }
  return wanted;
}

std::string power_text(double power_of_ten) { return fmt::format("1e{:.0f}", std::round(std::log10(power_of_ten))); }

}  // namespace ostinato::cli::html
