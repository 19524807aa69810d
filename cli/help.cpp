// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr std::size_t column = 26;

std::string entry(const std::string& name, const std::string& description) {
  std::string text = fmt::format("  {:<{}}", name, column - 2);
  if (name.size() + 4 > column) text = fmt::format("  {}\n{:{}}", name, "", column);
  const char* indent = "";
  for (const std::string& line : wrap(description, line_width - column)) {
    text += fmt::format("{}{}", indent, line);
    indent = "\n                          ";
  }
  return text + "\n";
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = option->get_name(is_positional, !is_positional);
  if (const std::size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  const bool takes_value = option->get_type_size() != 0;
  if (!is_positional && takes_value) name += " " + option->get_type_name();
  std::string description = option->get_description();
  if (takes_value && !option->get_default_str().empty()) description += " [" + option->get_default_str() + "]";
  return entry(name, description);
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const {
  return CLI::detail::find_and_replace(CLI::Formatter::make_help(command, name, mode), "\n\n\n", "\n\n");
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string listing_line(std::string_view name, std::string_view description) {
  return entry(std::string(name), std::string(description));
}

CLI::Validator one_of(const std::string& known) {
  return CLI::Validator(
      [known](std::string& value) {
        if ((", " + known + ", ").find(", " + value + ", ") != std::string::npos) return std::string();
        return "'" + value + "' is unknown; known: " + known;
      },
      "");
}

CLI::Validator at_least(double least) {
  return CLI::Validator(
      [least](std::string& text) {
        double value = std::nan("");
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= least) return std::string();
        return fmt::format("'{}' isn't a number of at least {}", text, least);
      },
      "");
}

CLI::Validator whole(std::int64_t least, std::int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::int64_t value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
        return fmt::format("'{}' isn't a whole number in {} .. {}", text, least, most);
      },
      "");
}

}  // namespace ostinato::cli
