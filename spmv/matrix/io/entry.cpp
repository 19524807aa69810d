// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/entry.hpp>

#include <clocale>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ostinato::io {

namespace {

/// The C locale, whose decimal separator is a point whatever the locale of the program is.
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

}  // namespace

double rounded_double(const char* text, const char* end) {
  return strtod_l(std::string(text, end).c_str(), nullptr, c_locale());
}

float rounded_float(const char* text, const char* end) {
  return strtof_l(std::string(text, end).c_str(), nullptr, c_locale());
}

bool has_vanished(const char* line, const char* end) {
  std::string_view text(line, static_cast<std::size_t>(end - line));
  text.remove_suffix(text.size() - (text.find_last_not_of(" \t\r\n") + 1));
  const std::string_view word = text.substr(text.find_last_of(" \t") + 1);
  return word.substr(0, word.find_first_of("eEdD")).find_first_of("123456789") != std::string_view::npos;
}

}  // namespace ostinato::io
