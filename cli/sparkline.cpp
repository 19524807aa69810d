// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "sparkline.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace ostinato::cli {

std::string sparkline(const std::vector<double>& values, std::size_t cells) {
  constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double highest = 7;
  std::vector<double> logarithms;
  for (const double v : values) {
    if (v > 0 && std::isfinite(v)) logarithms.push_back(std::log(v));
  }
  if (logarithms.size() < 2) return {};
  const std::size_t count = std::min(cells, logarithms.size());
  std::vector<double> shown;
  for (std::size_t k = 0; k < count; ++k) shown.push_back(logarithms[k * (logarithms.size() - 1) / (count - 1)]);
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  std::string line;
  for (const double value : shown)
    line += blocks[std::lround(*most > *least ? highest * (value - *least) / (*most - *least) : 0)];
  return line;
}

bool shows_blocks(std::FILE* stream) {
  if (isatty(fileno(stream)) != 1) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const given = std::getenv(name);
    if (given == nullptr || *given == '\0') continue;
    std::string locale = given;
    std::transform(locale.begin(), locale.end(), locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace ostinato::cli
