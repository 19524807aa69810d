// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/contract/option_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

[[noreturn]] void refuse_key(std::string_view preconditioner, std::string_view key,
                             std::span<const OptionInText> options) {
  std::vector<std::string> keys;
  for (const OptionInText& o : options) keys.push_back(o.key);
  throw ArgumentError(std::string(preconditioner) + ": unknown option '" + std::string(key) + "'; " +
                      did_you_mean(key, keys) + "known: " + text_of(options));
}

/// "0 to 8" of "0..8", and "yes or no" of "yes|no".
std::string in_words(std::string_view values) {
  std::string words(values);
  const auto put = [&words](std::string_view sign, std::string_view word) {
    const std::size_t at = words.rfind(sign);
    if (at != std::string::npos) words.replace(at, sign.size(), word);
    return at != std::string::npos;
  };
  put("..", " to ");
  put("|", " or ");
  while (put("|", ", ")) {
  }
  return words;
}

/// The place of the option that an item "KEY=VALUE" names.
std::size_t place_of(std::string_view preconditioner, std::string_view key, std::span<const OptionInText> options) {
  const auto option = std::find_if(options.begin(), options.end(), [key](const auto& o) { return o.key == key; });
  if (option == options.end()) refuse_key(preconditioner, key, options);
  return static_cast<std::size_t>(option - options.begin());
}

template <class Number>
bool read(std::string_view value, double least, double most, Number& to) {
  Number number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number >= least && number <= most)) return false;
  to = number;
  return true;
}

}  // namespace

void read_options(std::string_view preconditioner, std::string_view text, std::span<const OptionInText> options,
                  const std::function<bool(std::size_t, std::string_view)>& take) {
  std::vector<std::size_t> seen;
  for (bool more = !text.empty(); more;) {
    const std::size_t end = text.find(',');
    const std::string_view item = text.substr(0, end);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals), value = item.substr(std::min(equals + 1, item.size()));
    const std::size_t place = place_of(preconditioner, key, options);
    if (equals == item.size() || !take(place, value))
      throw ArgumentError(std::string(preconditioner) + ": " + std::string(key) + " is '" + std::string(value) +
                          "'; it has to be " + in_words(options[place].values));
    if (std::find(seen.begin(), seen.end(), place) != seen.end())
      throw ArgumentError(std::string(preconditioner) + ": the option '" + std::string(key) + "' is given twice");
    seen.push_back(place);
    more = end < text.size();
    if (more) text.remove_prefix(end + 1);
  }
}

std::string text_of(std::span<const OptionInText> options) {
  std::string text;
  for (const OptionInText& o : options) text += (text.empty() ? "" : ", ") + o.key + "=" + o.values;
  return text;
}

std::string range_text(double least, double most) {
  char text[64];
  std::snprintf(text, sizeof text, "%.10g..%.10g", least, most);
  return text;
}

bool read_number(std::string_view value, double least, double most, int& to) { return read(value, least, most, to); }
bool read_number(std::string_view value, double least, double most, double& to) { return read(value, least, most, to); }

}  // namespace ostinato
