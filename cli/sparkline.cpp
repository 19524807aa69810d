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
  const auto [least, most] = std::minmax_element(logarithms.begin(), logarithms.end());
  const std::size_t count = std::min(cells, logarithms.size());
  std::string line;
  for (std::size_t k = 0; k < count; ++k) {
    const double value = logarithms[(k + 1) * logarithms.size() / count - 1];
    const double share = *most > *least ? (value - *least) / (*most - *least) : 0;
    line += blocks[std::lround(highest * share)];
  }
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
