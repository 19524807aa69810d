// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/units.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace ostinato {

namespace {

struct Unit {
  double size;
  const char* name;
};

/// Formats a number with three digits: 1.23, 12.3, 123.
std::string three_digits(double x) {
  const double size = std::abs(x);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, x);
  return text.data();
}

template <std::size_t N>
std::string with_unit(double x, const std::array<Unit, N>& descending) {
  for (const Unit& unit : descending) {
    if (std::abs(x) >= 0.9995 * unit.size) return three_digits(x / unit.size) + " " + unit.name;
  }
  return three_digits(x / descending.back().size) + " " + descending.back().name;
}

std::string whole(double x, const char* unit) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.0f %s", x, unit);
  return text.data();
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<Unit, 4> units = {{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  return bytes < 999.5 ? whole(bytes, "B") : with_unit(bytes, units);
}

std::string seconds_text(double seconds) {
  constexpr std::array<Unit, 4> units = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  if (!std::isfinite(seconds)) return "-";
  return seconds == 0 ? "0 s" : seconds >= 999.5 ? whole(seconds, "s") : with_unit(seconds, units);
}

std::string rate_text(double per_second) {
  constexpr std::array<Unit, 3> units = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};
  return std::isfinite(per_second) ? with_unit(per_second, units) : "-";
}

}  // namespace ostinato
