// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "bars.hpp"

#include <algorithm>

#include "../text.hpp"

namespace ostinato::cli::html {

namespace {

constexpr double length = 190, values = 80, gap = 30, row = 22, top = 28;  // pixels
constexpr double longest = 20;                                             ///< times the shortest bar

/// One column of bars from pixel `from` on.
class Column {
 public:
  explicit Column(double from) : from_(from) {}

  void take(double value) {
    if (value > 0) values_.push_back(value);
  }

  /// The value of a bar of full length.
  double limit() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 1 : std::min(sorted.back(), longest * sorted[sorted.size() / 2]);
  }

  void draw(Drawing& to, double y, double value, const std::string& text, const char* style,
            const std::string& tip) const {
    if (value <= 0) return;
    const double most = limit();
    const double size = std::max(1.0, length * std::min(value, most) / most);
    to.rectangle({from_, y}, size, row - 8, style, tip);
    if (value > most) to.text({from_ + size - 6, y + 11}, Anchor::end, "...", "cut");
    to.text({from_ + size + 6, y + 11}, Anchor::start, text);
  }

 private:
  double from_;
  std::vector<double> values_;
};

}  // namespace

Drawing draw_bars(const std::vector<FormatBar>& bars, const BarTitles& titles) {
  const double names = titles.name_width, second = names + length + values + gap;
  Drawing drawing(
      second + length + values, top + row * static_cast<double>(bars.size()) + 6, titles.what + "s",
      titles.seconds + ", " + titles.bytes + "; " + counted(static_cast<std::int64_t>(bars.size()), titles.what));
  Column time(names), memory(second);
  for (const FormatBar& bar : bars) {
    time.take(bar.seconds);
    memory.take(bar.bytes);
  }
  drawing.text({names, 14}, Anchor::start, titles.seconds, "soft");
  drawing.text({second, 14}, Anchor::start, titles.bytes, "soft");
  double y = top;
  for (const FormatBar& bar : bars) {
    const std::string seconds = (bar.measured ? "" : "~") + seconds_text(bar.seconds);
    drawing.text({names - 8, y + 11}, Anchor::end, bar.name);
    time.draw(drawing, y, bar.seconds, seconds, bar.measured ? "one" : "faint", bar.name + ": " + seconds);
    memory.draw(drawing, y, bar.bytes, bytes_text(bar.bytes), "two", bar.name + ": " + bytes_text(bar.bytes));
    y += row;
  }
  return drawing;
}

}  // namespace ostinato::cli::html
