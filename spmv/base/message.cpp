// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/message.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace {

/// The least number of letters to insert, remove, replace or swap with the next that makes b of a (optimal string
/// alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && lower(a) == lower(b); }

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string given = lower(word);
  const std::string* nearest = nullptr;
  std::size_t least = 1 + given.size() / 4;
  if (given.size() < 3) return {};
  for (const std::string& name : known) {
    const bool begins = name.starts_with(given) || (name.size() > 3 && given.starts_with(name));
    const std::size_t d = begins ? 1 : distance(given, name);
    if (d > least || (d == least && nearest != nullptr)) continue;
    least = d;
    nearest = &name;
  }
  return nearest == nullptr ? "" : "did you mean " + *nearest + "? ";
}

std::string unknown_name(std::string_view what, std::string_view given, const std::vector<std::string>& known) {
  std::string text = "unknown " + std::string(what) + " '" + std::string(given) + "'; " + did_you_mean(given, known);
  for (const std::string& name : known) text += (&name == known.data() ? "known: " : ", ") + name;
  return text;
}

std::string row_text(std::size_t row) { return "row " + std::to_string(row) + " (counted from 0)"; }

std::string row_text(std::size_t first, std::size_t last) {
  if (first == last) return row_text(first);
  return "rows " + std::to_string(first) + " to " + std::to_string(last) + " (counted from 0)";
}

void require_between(std::string_view owner, std::string_view option, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw ArgumentError(std::string(owner) + ": " + std::string(option) + " is " + number_text(value) +
                      "; it has to be " + (std::isinf(most) ? "at least " : "") + number_text(least) +
                      (std::isinf(most) ? "" : " to " + number_text(most)));
}

}  // namespace ostinato
