// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ostinato::cli {

/// A subcommand: its options, and what it does once they are parsed. run() returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

Command solve_command(CLI::App& program);
Command inspect_command(CLI::App& program);
Command tune_command(CLI::App& program);
Command bench_command(CLI::App& program);
Command generate_command(CLI::App& program);

/// Help texts in 80 columns, with each option's default at the end of its description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

/// "  name   description" for each, under a title: the footers of help texts.
template <class Infos>
std::string listing(const std::string& title, const Infos& infos);
std::string listing_line(std::string_view name, std::string_view description);

/// Takes the words of a comma-separated list only, and says so.
CLI::Validator one_of(const std::string& known);
/// Takes finite numbers that aren't smaller.
CLI::Validator at_least(double least);
/// Takes whole numbers in least .. most only.
CLI::Validator whole(std::int64_t least, std::int64_t most = std::numeric_limits<int>::max());

template <class Infos>
std::string listing(const std::string& title, const Infos& infos) {
  std::string text = title + ":\n";
  for (const auto& info : infos) text += listing_line(info.name, info.description);
  return text;
}

}  // namespace ostinato::cli
