// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/option_text.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/message.hpp>

namespace ostinato {

namespace {

[[noreturn]] void refuse_key(std::string_view preconditioner, std::string_view key,
                             std::span<const PreconditionerOption> options) {
  std::vector<std::string> keys;
  std::string known;
  for (const PreconditionerOption& o : options) {
    keys.emplace_back(o.key);
    known += (known.empty() ? "" : ", ") + keys.back() + "=" + std::string(o.values);
  }
  throw ArgumentError(std::string(preconditioner) + ": unknown option '" + std::string(key) + "'; " +
                      did_you_mean(key, keys) + "known: " + known);
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

void read_one(std::string_view preconditioner, std::string_view item, std::span<const PreconditionerOption> options) {
  const std::size_t equals = std::min(item.find('='), item.size());
  const std::string_view key = item.substr(0, equals);
  const auto option = std::find_if(options.begin(), options.end(), [key](const auto& o) { return o.key == key; });
  if (option == options.end()) refuse_key(preconditioner, key, options);
  const std::string_view value = item.substr(std::min(equals + 1, item.size()));
  if (equals < item.size() && option->take(value)) return;
  throw ArgumentError(std::string(preconditioner) + ": " + std::string(key) + " is '" + std::string(value) +
                      "'; it has to be " + in_words(option->values));
}

}  // namespace

void read_options(std::string_view preconditioner, std::string_view text,
                  std::span<const PreconditionerOption> options) {
  std::vector<std::string_view> seen;
  for (bool more = !text.empty(); more;) {
    const std::size_t end = text.find(',');
    const std::string_view item = text.substr(0, end), key = item.substr(0, item.find('='));
    read_one(preconditioner, item, options);
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      throw ArgumentError(std::string(preconditioner) + ": the option '" + std::string(key) + "' is given twice");
    seen.push_back(key);
    more = end < text.size();
    if (more) text.remove_prefix(end + 1);
  }
}

bool read_number(std::string_view value, int least, int most, int& to) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most) return false;
  to = number;
  return true;
}

bool read_real(std::string_view value, double least, double most, double& to) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number >= least && number <= most)) return false;
  to = number;
  return true;
}

}  // namespace ostinato
