// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/entry.hpp>

#include <clocale>
#include <cstdlib>
#include <string>

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

}  // namespace ostinato::io
