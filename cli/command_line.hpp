// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "text.hpp"

// The command line, without CLI11, which parses it. Only command_line.cpp includes CLI11, because a file that includes
// it takes ten seconds to compile.

namespace CLI {
class Option;
}

namespace ostinato::cli {

/// Reads the number that the whole text is, in decimal, with a sign or without. Returns std::errc() once `to` has it;
/// result_out_of_range for one that N doesn't hold; invalid_argument for another text.
template <class N>
std::errc read_number(std::string_view text, N& to) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + (plus ? 1 : 0), end, to);
  return read.ptr == end ? read.ec : std::errc::invalid_argument;
}

/// The same as a value; nothing for another text, and for a number that N doesn't hold.
template <class N>
std::optional<N> number_of(std::string_view text) {
  N number{};
  return read_number(text, number) == std::errc() ? std::optional<N>(number) : std::nullopt;
}

/// A check of a text: returns what is wrong with it, or an empty text. May put the usual spelling in its place.
using Check = std::function<std::string(std::string& value)>;

/// Accepts only the words of a comma-separated list, in any case.
Check one_of(const std::string& known);
/// Accepts any name of a file but the empty one, which a variable that isn't set leaves behind.
Check file_name();

/// Reads a number: returns what is wrong with the text, or an empty text once `to` has the number.
template <class N>
using Reading = std::function<std::string(const std::string& text, N& to)>;

/// Finite numbers of at least `least`.
Reading<double> at_least(double least);
/// Whole numbers in least .. most.
template <class N = int>
Reading<N> whole(N least, N most = std::numeric_limits<N>::max());
/// "auto", which sets `automatic`, or a whole number of at least `least`.
Reading<int> whole_or_auto(int least, int automatic);
/// A number of bytes, such as 500M, 1.5G or 2GiB: K, M, G and T count in thousands, KiB to TiB in 1024.
Reading<std::uint64_t> byte_size();

/// An option, or an argument that is identified by its position, as the help shows it.
struct Option {
  std::string names;  ///< "-f,--rhs"; without dashes for an argument. The first long name is the usual one
  std::string description;
  std::string value = {};         ///< placeholder of the value in the help: FILE, NAME, N, X
  std::string words = {};         ///< comma-separated: the words that the value may be, or may begin with
  Check check = {};               ///< of a text; empty: one of the words, or every text if there are none
  std::string default_text = {};  ///< shown in the help; empty: the variable's initial value
  bool required = false;
  std::string group = {};  ///< heading in the help; empty for the default heading
  bool is_flag = false;    ///< has no value; set by Command::add_flag()

  bool is_argument() const { return !names.starts_with('-'); }
  std::vector<std::string> all_names() const { return words_of(names); }
};

/// A command with its options, as the help shows them. Completion and the manual page are made from this.
struct CommandDescription {
  std::string name, description, footer;
  std::vector<Option> options;
};

/// The program's name and the texts of its help.
struct ProgramInfo {
  std::string name, description;
  std::string (*version)();  ///< a line: the name and the number, then a comma and how the program was built
  std::string footer;
};

struct ProgramDescription {
  ProgramInfo info;
  std::vector<CommandDescription> commands;
};

/// Options of several commands.
inline const Option matrix_argument = {
    .names = "matrix",
    .description = "Matrix Market file, .mtx or .mtx.gz; - is the standard input; FAMILY:N is made, see generate",
    .value = "FILE",
    .check = file_name(),
    .required = true};
inline const Option json_option = {.names = "--json",
                                   .description = "write the report; - is the standard output",
                                   .value = "FILE",
                                   .check = file_name()};

inline const Option html_option = {
    .names = "--html",
    .description = "write the report with pictures as one page; - is the standard output",
    .value = "FILE",
    .check = file_name()};
inline const Option all_option = {.names = "--all", .description = "show formats that don't run on this machine, too"};

/// An option that was given on the command line.
struct GivenOption {
  std::string name;   ///< without dashes
  std::string value;  ///< empty for a flag
};

/// A subcommand with its options and arguments. The variables have to outlive the parsing.
class Command {
 public:
  class Parser;
  /// The command number `index` of the program.
  Command(Parser& parser, ProgramDescription& program, std::size_t index)
      : parser_(parser), program_(program), index_(index) {}

  void add(const Option& option, std::string& to);
  void add(const Option& option, int& to, const Reading<int>& read);
  void add(const Option& option, std::uint64_t& to, const Reading<std::uint64_t>& read);
  void add(const Option& option, double& to, const Reading<double>& read);
  void add(const Option& option, std::optional<double>& to, const Reading<double>& read);
  void add_flag(const Option& option, bool& to);

  /// Sets the text after the options in the command's help. The footer of the program follows that text.
  void footer(const std::string& text);

  /// Returns the options of a group that were given on the command line, in the order in which they were added.
  std::vector<GivenOption> given(std::string_view group) const;

  /// All commands, once all of them are defined.
  const ProgramDescription& program() const { return program_; }

  /// Reads values from a JSON object for the options that aren't given on the command line. The keys are the long names
  /// of the options; - and _ are the same there. Does nothing when `path` is empty.
  /// Throws    FormatError when the file isn't JSON; UsageError for an unknown key, listing the known keys.
  void take_options_from(const std::string& path);

 private:
  void describe(const Option& option, CLI::Option& added);
  template <class N, class To>
  void add_number(const Option& option, To& to, const Reading<N>& read);

  Parser& parser_;
  ProgramDescription& program_;
  std::size_t index_;
};

/// An entry of the list of commands. `define` adds the command's options and returns the function that runs the command
/// after parsing. That function returns the exit code.
struct CommandInfo {
  const char* name;
  const char* description;
  std::function<int()> (*define)(Command& command);
  const char* takes_less_memory;  ///< what to do where memory ends
};

/// Parses the command line and runs the command, or prints the help or the version. Returns the exit code.
/// Throws    UsageError for a command line that doesn't parse; exceptions of the command.
int run_command_line(const ProgramInfo& program, std::span<const CommandInfo> commands, int argc, char** argv);

/// Returns "  name   description" in the columns of the help.
std::string listing_line(std::string_view name, std::string_view description);

/// Returns such lines for a list, under a title; for footers.
template <class Infos>
std::string listing(const std::string& title, const Infos& infos) {
  std::string text = title + ":\n";
  for (const auto& info : infos) text += listing_line(info.name, info.description);
  return text;
}

}  // namespace ostinato::cli
