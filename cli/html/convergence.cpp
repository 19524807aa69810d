// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr double left = 64, right = 700, top = 34, bottom = 300, width = 720, height = 346;  // pixels

bool is_drawn(double residual) { return residual > 0 && std::isfinite(residual); }

/// The numbers of the iterations to draw.
std::vector<std::size_t> drawn(const std::vector<double>& history) {
  constexpr std::size_t each = 400, stretches = 200;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < history.size(); ++k) {
    if (is_drawn(history[k])) all.push_back(k);
  }
  if (all.size() <= each) return all;
  std::vector<std::size_t> some{all.front()};
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(s * all.size() / stretches);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((s + 1) * all.size() / stretches);
    const auto [least, most] =
        std::minmax_element(begin, end, [&](std::size_t a, std::size_t b) { return history[a] < history[b]; });
    some.push_back(std::min(*least, *most));
    if (*least != *most) some.push_back(std::max(*least, *most));
  }
  some.push_back(all.back());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

void draw_axes(Drawing& to, const LogAxis& y, std::size_t last) {
  for (const double tick : y.ticks(8)) {
    to.line({left, y.at(tick)}, {right, y.at(tick)}, "");
    to.text({left - 8, y.at(tick) + 4}, Anchor::end, power_text(tick), "soft");
  }
  const double n = static_cast<double>(last);
  double step = std::pow(10.0, std::floor(std::log10(std::max(1.0, n))));
  if (n / step < 2.5) step /= n / step < 1.5 ? 5 : 2;
  step = std::max(1.0, step);
  for (double tick = 0; tick <= n; tick += step) {
    const double at = left + (right - left) * tick / n;
    to.line({at, bottom}, {at, bottom + 5}, "");
    to.text({at, bottom + 19}, Anchor::middle, count_text(static_cast<std::int64_t>(tick)), "soft");
  }
  to.text({(left + right) / 2, height - 6}, Anchor::middle, "iterations");
  to.text({left, 14}, Anchor::start, "||b - A x|| / ||b||");
}

/// Marks the iterations at which another method or preconditioner went on. Labels keep clear of each other.
void draw_changes(Drawing& to, const SolveResult& result, std::size_t last) {
  constexpr double line_height = 14;
  double free[3] = {left, left, left};
  for (const MethodChange& change : result.changes) {
    const double at = left + (right - left) * std::min(1.0, change.iteration / static_cast<double>(last));
    to.line({at, top}, {at, bottom}, "change");
    const double length = 7.0 * static_cast<double>(change.to.size()) + 10;
    for (int k = 0; k < 3; ++k) {
      const bool fits_right = at + 4 + length <= width;
      const double begin = fits_right ? at + 4 : at - 4 - length;
      if (begin < free[k]) continue;
      to.text({fits_right ? at + 4 : at - 4, top + 12 + k * line_height}, fits_right ? Anchor::start : Anchor::end,
              change.to, "two");
      free[k] = begin + length;
      break;
    }
  }
}

}  // namespace

bool has_convergence(const SolveResult& result) {
  return std::count_if(result.history.begin(), result.history.end(), is_drawn) >= 2;
}

Drawing draw_convergence(const SolveResult& result, double goal) {
  const std::vector<std::size_t> shown = drawn(result.history);
  const std::size_t last = std::max<std::size_t>(1, result.history.size() - 1);
  double least = result.history[shown.front()], most = least;
  for (const std::size_t k : shown) {
    least = std::min(least, result.history[k]);
    most = std::max(most, result.history[k]);
  }
  if (goal > 0) least = std::min(least, goal);
  const LogAxis y = log_axis(least, most, bottom, top);
  Drawing drawing(width, height, "convergence",
                  "residual over " + counted(static_cast<std::int64_t>(last), "iteration"));
  draw_axes(drawing, y, last);
  if (goal > 0) {
    drawing.line({left, y.at(goal)}, {right, y.at(goal)}, "goal");
    drawing.text({left + 6, y.at(goal) - 5}, Anchor::start, fmt::format("goal {:.3g}", goal), "soft");
  }
  std::vector<Point> points;
  for (const std::size_t k : shown)
    points.push_back(
        {left + (right - left) * static_cast<double>(k) / static_cast<double>(last), y.at(result.history[k])});
  drawing.curve(points, "curve");
  draw_changes(drawing, result, last);
  return drawing;
}

}  // namespace ostinato::cli::html
