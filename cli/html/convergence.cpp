// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr double left = 64, right = 700, top = 34, bottom = 300, width = 740, height = 350;  // pixels

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

/// When the iterations were done, in seconds, or in iterations where no time was taken.
class Clock {
 public:
  Clock(const std::vector<Stage>& stages, std::size_t last) {
    double now = 0;
    int done = 0;
    for (const Stage& s : stages) {
      parts_.push_back({now, now + s.setup_seconds, done, done + s.iterations});
      now += s.setup_seconds + s.seconds;
      done += s.iterations;
    }
    end_ = now;
    is_timed_ = end_ > 0 && static_cast<std::size_t>(done) == last;
    if (!is_timed_) parts_ = {{0, 0, 0, static_cast<int>(last)}}, end_ = static_cast<double>(last);
  }

  bool is_timed() const { return is_timed_; }
  double end() const { return end_; }
  double begin_of(std::size_t stage) const { return parts_[stage].making; }
  double running(std::size_t stage) const { return parts_[stage].running; }  ///< from when on it iterates
  double end_of(std::size_t stage) const { return stage + 1 < parts_.size() ? parts_[stage + 1].making : end_; }

  /// When an iteration was over.
  double at(std::size_t iteration) const {
    std::size_t k = 0;
    while (k + 1 < parts_.size() && static_cast<int>(iteration) > parts_[k].last) ++k;
    const Part& p = parts_[k];
    const double share = p.last > p.first ? (static_cast<double>(iteration) - p.first) / (p.last - p.first) : 1;
    return p.running + share * (end_of(k) - p.running);
  }

 private:
  struct Part {
    double making, running;
    int first, last;  ///< iterations before it, and with it
  };
  std::vector<Part> parts_;
  double end_ = 0;
  bool is_timed_ = false;
};

double x_of(const Clock& clock, double now) { return left + (right - left) * now / std::max(clock.end(), 1e-300); }

void draw_axes(Drawing& to, const LogAxis& y, const Clock& clock) {
  for (const double tick : y.ticks(8)) {
    to.line({left, y.at(tick)}, {right, y.at(tick)}, "");
    to.text({left - 8, y.at(tick) + 4}, Anchor::end, power_text(tick), "soft");
  }
  const double n = clock.end();
  double step = std::pow(10.0, std::floor(std::log10(n)));
  if (n / step < 2.5) step /= n / step < 1.5 ? 5 : 2;
  if (!clock.is_timed()) step = std::max(1.0, step);
  for (int k = 0; k * step <= n; ++k) {
    const double tick = k * step, at = x_of(clock, tick);
    to.line({at, bottom}, {at, bottom + 5}, "");
    to.text({at, bottom + 19}, Anchor::middle,
            clock.is_timed() ? k == 0 ? "0" : seconds_text(tick) : count_text(std::llround(tick)), "soft");
  }
  if (!clock.is_timed()) to.text({(left + right) / 2, bottom + 40}, Anchor::middle, "iterations");
  to.text({left, 14}, Anchor::start, "||b - A x|| / ||b||");
}

/// Marks where another method or preconditioner went on. Labels keep clear of each other.
void draw_changes(Drawing& to, const std::vector<Stage>& stages, const Clock& clock) {
  constexpr double line_height = 14;
  double free[3] = {left, left, left};
  for (std::size_t stage = 1; stage < stages.size(); ++stage) {
    const std::string label = stages[stage].text_beside(stages[stage - 1]);
    const double at = x_of(clock, clock.is_timed() ? clock.begin_of(stage) : clock.end());
    to.line({at, top}, {at, bottom}, "change");
    const double length = 7.0 * static_cast<double>(label.size()) + 10;
    for (int k = 0; k < 3; ++k) {
      const bool fits_right = at + 4 + length <= width;
      const double begin = fits_right ? at + 4 : at - 4 - length;
      if (begin < free[k]) continue;
      to.text({fits_right ? at + 4 : at - 4, top + 12 + k * line_height}, fits_right ? Anchor::start : Anchor::end,
              label, "two");
      free[k] = begin + length;
      break;
    }
  }
}

/// A bar of the stages: paler, while a preconditioner was made.
void draw_stages(Drawing& to, const std::vector<Stage>& stages, const Clock& clock) {
  constexpr double from = bottom + 30, thick = 14;
  const auto draw = [&](double begin, double end, const char* style, const std::string& tip) {
    if (end > begin) to.rectangle({x_of(clock, begin), from}, x_of(clock, end) - x_of(clock, begin), thick, style, tip);
  };
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const Stage& s = stages[k];
    draw(clock.begin_of(k), clock.running(k), "faint",
         fmt::format("{} made in {}", s.preconditioner, seconds_text(s.setup_seconds)));
    draw(clock.running(k), clock.end_of(k), k % 2 == 0 ? "one" : "two",
         fmt::format("{}: {} in {}", s.text(), counted(s.iterations, "iteration"), seconds_text(s.seconds)));
  }
}

/// The recomputed residuals: of the guess, and at the end of each stage.
void draw_recomputed(Drawing& to, const std::vector<Stage>& stages, const Clock& clock, const LogAxis& y) {
  const auto dot = [&](double now, double residual) {
    if (is_drawn(residual))
      to.dot({x_of(clock, now), y.at(residual)}, "one", fmt::format("recomputed: {:.2e}", residual));
  };
  if (!stages.empty()) dot(clock.running(0), stages.front().before);
  for (std::size_t k = 0; k < stages.size(); ++k) dot(clock.end_of(k), stages[k].after);
}

/// The residuals that the picture is to hold.
LogAxis axis_of(const SolveResult& result, const std::vector<std::size_t>& shown, double goal) {
  double least = HUGE_VAL, most = 0;
  const auto take = [&](double residual) {
    if (!is_drawn(residual)) return;
    least = std::min(least, residual);
    most = std::max(most, residual);
  };
  for (const std::size_t k : shown) take(result.history[k]);
  for (const Stage& s : result.stages) take(s.after);
  if (goal > 0) least = std::min(least, goal);
  return log_axis(least, most, bottom, top);
}

}  // namespace

bool has_convergence(const SolveResult& result) {
  return std::count_if(result.history.begin(), result.history.end(), is_drawn) >= 2;
}

Drawing draw_convergence(const SolveResult& result, double goal) {
  const std::vector<std::size_t> shown = drawn(result.history);
  const std::size_t last = std::max<std::size_t>(1, result.history.size() - 1);
  const Clock clock(result.stages, last);
  const LogAxis y = axis_of(result, shown, goal);
  Drawing drawing(width, height, "convergence",
                  "residual over the time of " + counted(static_cast<std::int64_t>(last), "iteration"));
  draw_axes(drawing, y, clock);
  if (goal > 0) {
    drawing.line({left, y.at(goal)}, {right, y.at(goal)}, "goal");
    drawing.text({left + 6, y.at(goal) - 5}, Anchor::start, fmt::format("goal {:.3g}", goal), "soft");
  }
  std::vector<Point> points;
  for (const std::size_t k : shown) points.push_back({x_of(clock, clock.at(k)), y.at(result.history[k])});
  drawing.curve(points, "curve");
  draw_changes(drawing, result.stages, clock);
  if (!clock.is_timed()) return drawing;
  draw_recomputed(drawing, result.stages, clock, y);
  draw_stages(drawing, result.stages, clock);
  return drawing;
}

}  // namespace ostinato::cli::html
