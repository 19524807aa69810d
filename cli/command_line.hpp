// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The command line, without the library that parses it: CLI11 is known to command_line.cpp alone, because every file
// that includes it takes ten seconds to compile.

namespace ostinato::cli {

/// What a value has to be: says what is wrong with a value, or returns an empty text.
using Check = std::function<std::string(const std::string& value)>;

/// Only the words of a comma-separated list.
Check one_of(const std::string& known);
/// Only finite numbers that aren't smaller.
Check at_least(double least);
/// Only whole numbers in least .. most.
Check whole(std::int64_t least, std::int64_t most = std::numeric_limits<int>::max());

/// An option, or an argument that is known by its place, as the help shows it.
struct Option {
  std::string names;              ///< "-f,--rhs"; without dashes for an argument
  std::string description;
  std::string value = {};         ///< what the help calls the value of an option: FILE, NAME, N, X
  Check check = {};               ///< none: every value is right
  std::string default_text = {};  ///< shown in the help; empty: the value that the variable has at first
  bool required = false;
  std::string group = {};         ///< the heading in the help; empty for the usual one
};

/// What several commands take.
inline const Option matrix_argument = {
    .names = "matrix", .description = "Matrix Market file, .mtx or .mtx.gz; - is the standard input", .required = true};
inline const Option json_option = {
    .names = "--json", .description = "write the report; - is the standard output", .value = "FILE"};

/// An option that stands on the command line.
struct GivenOption {
  std::string name;   ///< without dashes
  std::string value;  ///< empty for a flag
};

/// A subcommand: what it takes on its command line. The variables have to outlive the parsing.
class Command {
 public:
  class Parser;
  explicit Command(Parser& parser) : parser_(parser) {}

  void add(const Option& option, std::string& to);
  void add(const Option& option, int& to);
  void add(const Option& option, std::uint64_t& to);
  void add(const Option& option, double& to);
  void add(const Option& option, std::optional<double>& to);
  void add_flag(const Option& option, bool& to);

  /// Text after the options in the help, in front of what the program ends every help with.
  void footer(const std::string& text);

  /// The options of a group that the command line gives, in the order in which they were added.
  std::vector<GivenOption> given(std::string_view group) const;

  /// Gives the options that the command line leaves out the values of a JSON object, whose keys are their long names.
  /// Does nothing when `path` is empty.
  /// Throws    FormatError when the file isn't JSON; UsageError for a key that no option has, listing those there are.
  void take_options_from(const std::string& path);

 private:
  template <class T>
  void add_any(const Option& option, T& to);

  Parser& parser_;
};

/// A line of the list of commands. `define` adds the command's options and returns what the command does once they are
/// parsed; that returns the exit code.
struct CommandInfo {
  const char* name;
  const char* description;
  std::function<int()> (*define)(Command& command);
};

/// What the help of the program says beside its commands.
struct ProgramInfo {
  std::string name, description, version, footer;
};

/// Parses the command line and runs the command, or prints the help or the version. Returns the exit code.
/// Throws UsageError for a command line that doesn't parse, and what the command throws.
int run_command_line(const ProgramInfo& program, std::span<const CommandInfo> commands, int argc, char** argv);

/// "  name   description" in the columns of the help.
std::string listing_line(std::string_view name, std::string_view description);

/// The same for each of a list, under a title: for footers.
template <class Infos>
std::string listing(const std::string& title, const Infos& infos) {
  std::string text = title + ":\n";
  for (const auto& info : infos) text += listing_line(info.name, info.description);
  return text;
}

}  // namespace ostinato::cli
