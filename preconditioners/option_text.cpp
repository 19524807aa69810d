// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/option_text.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

namespace {

void read_one(std::string_view preconditioner, std::string_view item, std::span<const PreconditionerOption> options) {
  const std::size_t equals = std::min(item.find('='), item.size());
  const std::string_view key = item.substr(0, equals);
  const auto option = std::find_if(options.begin(), options.end(), [key](const auto& o) { return o.key == key; });
  if (option != options.end() && equals < item.size() && option->take(item.substr(equals + 1))) return;
  std::string known;
  for (const PreconditionerOption& o : options) {
    known += known.empty() ? "" : ", ";
    known += std::string(o.key) + "=" + std::string(o.values);
  }
  throw ArgumentError(std::string(preconditioner) + ": '" + std::string(item) + "' isn't an option; known: " + known);
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

}  // namespace ostinato
